/** The step in which the results of sub-agents are combined: the reply after several of them. */

import { findOwn, formatCount, isObject } from '../lib/index.js';
import { hasResult } from '../model/index.js';
import type { ReasoningStep, ToolCallStep } from './reasoning.js';
import type { ViewScene } from './visibility.js';
import { computeLevel } from './visibility-level.js';

export interface CombinedResults {
  /** Ids of the results: `2.1r`. */
  readonly ids: readonly string[];
  /** Number of sub-agents: a call may have several tasks. */
  readonly agents: number;
}

/**
 * Returns the results that a reply combines, as far as its viewer sees them; null for fewer than two sub-agents. Read from the calls of
 * the step before alone, which readers of a part of the chain have.
 */
export function findCombinedResults(
  { kind, number }: ReasoningStep,
  calls: ReadonlyMap<string, ToolCallStep>,
  scene: ViewScene,
): CombinedResults | null {
  if (kind !== 'thinking' && kind !== 'synthesis') return null;
  const ids: string[] = [];
  let agents = 0;
  for (let nth = 1; ; nth++) {
    const call = calls.get(`${number - 1}.${nth}`);
    if (call === undefined) break;
    const result = { ...call, kind: 'tool_result', id: `${call.id}r` } as const;
    if (call.toolKind !== 'sub_agent' || !hasResult(call.status) || computeLevel(result, scene).level === 'hidden')
      continue;
    ids.push(result.id);
    agents += countTasks(call);
  }
  return agents < 2 ? null : { ids, agents };
}

function countTasks({ input }: ToolCallStep): number {
  const list = isObject(input) ? findOwn(input, 'tasks') : undefined;
  return Array.isArray(list) ? list.length : 1;
}

/** `the results of 3 sub-agents` */
export function formatCombinedResults({ agents }: CombinedResults): string {
  return `the results of ${formatCount(agents)} sub-agents`;
}
