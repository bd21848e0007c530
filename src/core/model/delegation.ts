/**
 * A tool whose calls start chains of an agent, as plain data in the snapshot of the calling agent: which agent, how many
 * chains, and how much of their results the model sees.
 */

import { findOwn, isObject, type Json, toValueText } from '../lib/index.js';
import type { PartialLimits } from './limits.js';

/** `answer`: the answer. `summary`: also outcome and cost. `chain`: also thoughts and calls, step by step. */
export type ResultDetail = 'answer' | 'summary' | 'chain';

/** The number of chains that one call starts. */
export type DelegationSpread =
  | { readonly kind: 'one' }
  /** One chain for each of the call's `tasks`. */
  | { readonly kind: 'map'; readonly atOnce: number; readonly most: number }
  /** `count` chains with the same task. */
  | { readonly kind: 'samples'; readonly count: number }
  /** One branch of the calling chain for each of the call's `hypotheses`, from the step before the call. */
  | { readonly kind: 'branches'; readonly most: number };

/** How the best of several answers is chosen. `score`: by a function of the agent, run in the worker. */
export type DelegationJudge =
  | { readonly by: 'vote' }
  | { readonly by: 'score' }
  | { readonly by: 'agent'; readonly agent: string };

export interface Delegation {
  readonly agent: string;
  readonly spread: DelegationSpread;
  /** Null: the model sees all answers. */
  readonly judge: DelegationJudge | null;
  /** The task of the chain, with the call's arguments in braces: `Research {topic}`. */
  readonly task: string;
  readonly sees: ResultDetail;
  /** Most chains started in turn for one task, until one of them succeeds. */
  readonly attempts: number;
  /** Limits of each chain; where absent, an equal part of what is left. */
  readonly limits: PartialLimits;
  /** Tenants whose chains may call it; null for all. */
  readonly tenants: readonly string[] | null;
}

/** Returns the tasks of a call, one for each chain that it starts. */
export function listTasks(delegation: Delegation, input: Json): readonly string[] {
  return Array.from({ length: countChains(delegation, input) }, (_, index) => getTaskAt(delegation, input, index));
}

/** Returns one task of a call. A loop over many tasks must not render them all each time. */
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

/** Returns how many chains of one call may run at the same time. */
export function getConcurrency({ spread }: Delegation): number {
  return spread.kind === 'map' ? spread.atOnce : Number.POSITIVE_INFINITY;
}

/** Fills the arguments into the task's template. Absent members become empty: the schema decides what is required. */
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
