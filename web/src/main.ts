import { mount } from 'svelte';
import App from './App.svelte';
import { enter } from './model/session';
import { place } from './model/place.svelte';
import { run } from './model/run.svelte';
import { firstScreen } from './screens/list';
import { lookAhead } from './picture/start';
import './style/tokens.css';
import './style/theme';

const entered = enter();
// Requests that need no token start before the session is known.
run.whenDescribed = () => {
  place.begin(firstScreen(run.nodes));
  lookAhead();
};
void run.describe();
const target = document.getElementById('page') as HTMLElement;
target.replaceChildren();
mount(App, { target });
await entered;
run.start();
