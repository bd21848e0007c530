/**
 * A tool whose calls are chains of an agent, as plain data in the snapshot of the agent that has it: whom it asks, how
 * often, and how much its model is shown of what came of it.
 */

import { findOwn, isObject, type Json, toValueText } from '../lib/json.js';
import type { PartialLimits } from './limits.js';

/** `answer`: that alone. `summary`: with what it took. `chain`: with what was thought and done, step by step. */
export type ResultDetail = 'answer' | 'summary' | 'chain';

/** Into how many chains one call becomes. */
export type Spread =
  | { readonly kind: 'one' }
  /** One for each of the call's `tasks`. */
  | { readonly kind: 'map'; readonly atOnce: number; readonly most: number }
  /** The same task for each. */
  | { readonly kind: 'samples'; readonly count: number }
  /** The chain itself goes on with each of the call's `hypotheses`, from where it stood before the call. */
  | { readonly kind: 'branches'; readonly most: number };

/** Who says which of several answers is the best. `score`: a function of the agent's own, asked in the worker. */
export type Judge =
  | { readonly by: 'vote' }
  | { readonly by: 'score' }
  | { readonly by: 'agent'; readonly agent: string };

export interface Delegation {
  readonly agent: string;
  readonly spread: Spread;
  /** Null where all answers are shown. */
  readonly judge: Judge | null;
  /** The task of the chain, with the call's arguments in braces: `Research {topic}`. */
  readonly task: string;
  readonly sees: ResultDetail;
  /** Chains that are begun one after the other for one task, until one of them does not fail. */
  readonly attempts: number;
  /** What each chain may use at most; an equal part of what is left, where nobody said. */
  readonly limits: PartialLimits;
  /** Tenants whose chains may call it; null for all. */
  readonly tenants: readonly string[] | null;
}

/** The tasks of a call, one for each chain that it becomes. */
export function listTasks(delegation: Delegation, input: Json): readonly string[] {
  return Array.from({ length: countChains(delegation, input) }, (_, index) => getTaskAt(delegation, input, index));
}

/** One of them alone: who asks for each of many by itself is not to make them all. */
export function getTaskAt({ spread, task }: Delegation, input: Json, index: number): string {
  switch (spread.kind) {
    case 'one':
    case 'samples':
      return renderTask(task, input);
    case 'map':
      return renderTask(task, {
        ...(isObject(input) ? input : {}),
        task: toValueText(getList(input, 'tasks')[index] ?? ''),
      });
    case 'branches':
      return toValueText(getList(input, 'hypotheses')[index] ?? '');
  }
}

function countChains({ spread }: Delegation, input: Json): number {
  switch (spread.kind) {
    case 'one':
      return 1;
    case 'samples':
      return spread.count;
    case 'map':
      return getList(input, 'tasks').length;
    case 'branches':
      return getList(input, 'hypotheses').length;
  }
}

/** Chains of one call that may run at once. */
export function getConcurrency({ spread }: Delegation): number {
  return spread.kind === 'map' ? spread.atOnce : Number.POSITIVE_INFINITY;
}

/** What the arguments do not have, the template leaves out: the schema says which must be there. */
export function renderTask(template: string, input: Json): string {
  const text = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = isObject(input) ? findOwn(input, name) : undefined;
    return value === undefined ? '' : toValueText(value);
  });
  return text.trim();
}

function getList(input: Json, member: string): readonly Json[] {
  const list = isObject(input) ? findOwn(input, member) : undefined;
  return Array.isArray(list) ? list : [];
}
