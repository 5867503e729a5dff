/** The identity of this page's user. The token of a printed link becomes a cookie at once and leaves the address. */

import * as rest from '../link/rest';
import { tokenOf } from './address';
import { place } from './place.svelte';
import { run } from './run.svelte';

const NAME = 'livetime.user';

export const userName = () => localStorage.getItem(NAME) ?? '';

export function setUserName(name: string): void {
  localStorage.setItem(NAME, name.slice(0, 64));
}

/** Uses the token in the address, if there is one. Without, or with a wrong one, the page can still look. */
export async function enter(): Promise<void> {
  addEventListener('hashchange', () => void useToken());
  await useToken();
}

async function useToken(): Promise<void> {
  const token = tokenOf(location.hash);
  if (token === null) return;
  history.replaceState(null, '', '#/');
  place.reload();
  await signIn(token);
}

/** Signs in with a token. Returns the error, or an empty text. */
export async function signIn(token: string): Promise<string> {
  try {
    run.rights = await rest.openSession(token.trim().replace(/^.*#t=/, ''), userName());
    run.problem = '';
    return '';
  } catch (problem) {
    run.problem = (problem as Error).message;
    return run.problem;
  }
}
