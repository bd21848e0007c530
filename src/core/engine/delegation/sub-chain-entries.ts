/** Creates the entries that report the start and the end of sub-chains to readers. */

import type {
  Action,
  ChainState,
  ChildEnd,
  ChildReport,
  Fact,
  PendingCall,
  StartedChain,
  SubChainEnd,
} from '../../model/index.js';
import type { ChainEntry } from '../state/entry.js';
import { listCalls } from '../state/flight.js';

/** @param state at the time when the actions were decided */
export function createSubChainStartEntries(state: ChainState, actions: readonly Action[]): readonly ChainEntry[] {
  return actions.flatMap((action) => {
    if (action.type !== 'startChildren') return [];
    return action.starts.flatMap(({ chainId, input }): ChainEntry[] => {
      const call = findDelegatingCall(state, chainId);
      if (call === null) return [];
      const { agent, lineage } = input;
      // Branches share the task; their hypotheses differ.
      const task = lineage?.branch?.hypothesis ?? input.task;
      const chain: StartedChain = { chainId, agent, task, startedAt: state.now, end: null };
      return [{ type: 'sub-chain-started', at: state.now, call: call.id, tool: call.tool, chain }];
    });
  });
}

/** @param state before the fact */
export function createSubChainEndEntries(state: ChainState, fact: Fact): readonly ChainEntry[] {
  const ended = findSubChainEnd(fact);
  if (ended === null) return [];
  const { chainId, ...end } = ended;
  const call = findDelegatingCall(state, chainId);
  return call === null ? [] : [{ type: 'sub-chain-ended', at: fact.at, call: call.id, tool: call.tool, chainId, end }];
}

function findSubChainEnd(fact: Fact): (SubChainEnd & { readonly chainId: string }) | null {
  if (fact.type === 'childEnded') return { chainId: fact.chainId, ...toSubChainEnd(fact.end, fact.at) };
  if (fact.type !== 'childReportRead' || fact.report === null) return null;
  return { chainId: fact.chainId, ...toReportedEnd(fact.report, fact.at) };
}

function toSubChainEnd(end: ChildEnd, at: number): SubChainEnd {
  const unread = { at, steps: null, charged: null };
  switch (end.type) {
    case 'reported':
      return toReportedEnd(end.report, at);
    case 'silent':
      return { ...unread, outcome: silentOutcomes[end.status] };
    case 'exists':
    case 'not_started':
      return { ...unread, outcome: 'not_started' };
  }
}

function toReportedEnd({ outcome, steps, charged }: ChildReport, at: number): SubChainEnd {
  return { at, outcome, steps, charged };
}

const silentOutcomes = {
  cancelled: 'cancelled',
  terminated: 'terminated',
  timeout: 'terminated',
  failed: 'failure',
} as const satisfies { readonly [how in Extract<ChildEnd, { type: 'silent' }>['status']]: SubChainEnd['outcome'] };

/** Finds the call of the current step that started the sub-chain. */
function findDelegatingCall(state: ChainState, chainId: string): PendingCall | null {
  return listCalls(state).find(({ children = [] }) => children.some((child) => child.chainId === chainId)) ?? null;
}
