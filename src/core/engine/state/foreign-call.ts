/** Calls that run an activity or a workflow of the user: what is started, and what has to be checked before. */

import type { ChainState, PendingCall, ToolRun, ToolSnapshot } from '../../model/index.js';

export interface ForeignCall {
  readonly tool: ToolSnapshot;
  readonly run: ToolRun;
}

/** Returns null for a call of a tool of Longhand's workers. */
export function findForeignCall({ agent }: ChainState, call: PendingCall): ForeignCall | null {
  const tool = agent?.tools.find(({ name }) => name === call.tool);
  return tool?.runs === undefined ? null : { tool, run: tool.runs };
}

/**
 * Whether an activity of Longhand has to check the call first: a foreign one can neither evaluate policies nor find out whether a
 * reset repeats an unsafe call (L5).
 */
export function needsCheck({ checked, effects, unchecked, changedUnder }: PendingCall): boolean {
  return checked !== true && (effects === 'unsafe' || unchecked === true || changedUnder !== undefined);
}
