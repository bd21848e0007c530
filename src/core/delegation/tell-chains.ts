/** What readers are told of sub-chains: each is begun by the action that starts it, and ended by the fact that says so. */

import type { Action } from '../model/action.js';
import type { BegunChain, ChildEnd, ChildReport, EndedChain } from '../model/child.js';
import type { Fact } from '../model/fact.js';
import type { PendingCall, State } from '../model/state.js';
import type { Entry } from '../state/entry.js';
import { callsIn } from '../state/flight.js';

/** @param state as it was when the actions were decided */
export function toldOfBegun(state: State, actions: readonly Action[]): readonly Entry[] {
  return actions.flatMap((action) => {
    if (action.type !== 'startChildren') return [];
    return action.starts.flatMap(({ chainId, input }): Entry[] => {
      const call = callOf(state, chainId);
      if (call === null) return [];
      const { agent, lineage } = input;
      // Branches have one task, and an idea each.
      const task = lineage?.branch?.hypothesis ?? input.task;
      const chain: BegunChain = { chainId, agent, task, begunAt: state.now, ended: null };
      return [{ type: 'chainBegun', at: state.now, call: call.id, tool: call.tool, chain }];
    });
  });
}

/** @param state as it was before the fact */
export function toldOfEnded(state: State, fact: Fact): readonly Entry[] {
  const ended = endedBy(fact);
  if (ended === null) return [];
  const { chainId, ...end } = ended;
  const call = callOf(state, chainId);
  return call === null ? [] : [{ type: 'chainEnded', at: fact.at, call: call.id, tool: call.tool, chainId, end }];
}

function endedBy(fact: Fact): (EndedChain & { readonly chainId: string }) | null {
  if (fact.type === 'childEnded') return { chainId: fact.chainId, ...endOf(fact.end, fact.at) };
  if (fact.type !== 'childRead' || fact.report === null) return null;
  return { chainId: fact.chainId, ...reported(fact.report, fact.at) };
}

function endOf(end: ChildEnd, at: number): EndedChain {
  const unread = { at, steps: null, charged: null };
  switch (end.type) {
    case 'reported':
      return reported(end.report, at);
    case 'silent':
      return { ...unread, outcome: silent[end.how] };
    case 'exists':
    case 'not_started':
      return { ...unread, outcome: 'not_begun' };
  }
}

function reported({ outcome, steps, charged }: ChildReport, at: number): EndedChain {
  return { at, outcome, steps, charged };
}

const silent = {
  cancelled: 'cancelled',
  terminated: 'terminated',
  timeout: 'terminated',
  failed: 'failure',
} as const satisfies { readonly [how in Extract<ChildEnd, { type: 'silent' }>['how']]: EndedChain['outcome'] };

/** The call of the step under way that has such a sub-chain. */
function callOf(state: State, chainId: string): PendingCall | null {
  return callsIn(state).find(({ children = [] }) => children.some((child) => child.chainId === chainId)) ?? null;
}
