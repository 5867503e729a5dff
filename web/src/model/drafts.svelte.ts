/** Changes that a person has made on the page and not applied yet, and the server's answers to them. One place for
 * forms and pictures. */

import { ApiError, setParams } from '../link/rest';
import type { Value, Values } from '../link/protocol';
import { run } from './run.svelte';

export interface Refusal {
  message: string;
  /** Empty when it is about the whole change. */
  param: string;
}

class Drafts {
  private changes = $state.raw<Record<string, Values>>({});
  private refusals = $state.raw<Record<string, Refusal>>({});
  private underWay = $state.raw<Record<string, boolean>>({});

  of(node: string): Values {
    return this.changes[node] ?? {};
  }

  count(node: string): number {
    return Object.keys(this.of(node)).length;
  }

  refusal(node: string): Refusal | undefined {
    return this.refusals[node];
  }

  isApplying(node: string): boolean {
    return this.underWay[node] ?? false;
  }

  /** The value as it will be. */
  value(node: string, param: string): Value | undefined {
    const draft = this.of(node)[param];
    return draft === undefined ? run.value(node, param) : draft;
  }

  /** Nodes with changes. */
  get nodes(): string[] {
    return Object.keys(this.changes);
  }

  /** Notes changes. A value that equals the present one is no change. */
  set(node: string, values: Values): void {
    const draft = { ...this.of(node) };
    for (const [param, value] of Object.entries(values)) {
      if (JSON.stringify(value) === JSON.stringify(run.value(node, param))) delete draft[param];
      else draft[param] = value;
    }
    const { [node]: _, ...others } = this.changes;
    this.changes = Object.keys(draft).length > 0 ? { ...others, [node]: draft } : others;
    this.forget(node);
  }

  revert(node: string): void {
    const { [node]: _, ...others } = this.changes;
    this.changes = others;
    this.forget(node);
  }

  private forget(node: string): void {
    const { [node]: _, ...others } = this.refusals;
    this.refusals = others;
  }

  /** Sends all changes of a node in one request: they act from the same frame, or none does. */
  async apply(node: string): Promise<boolean> {
    const set = this.of(node);
    if (Object.keys(set).length === 0 || this.isApplying(node)) return false;
    this.underWay = { ...this.underWay, [node]: true };
    try {
      run.learn(await setParams(node, set));
      this.revert(node);
      return true;
    } catch (problem) {
      const param = problem instanceof ApiError ? (problem.param ?? '') : '';
      this.refusals = { ...this.refusals, [node]: { message: (problem as Error).message, param } };
      return false;
    } finally {
      this.underWay = { ...this.underWay, [node]: false };
    }
  }
}

export const drafts = new Drafts();
