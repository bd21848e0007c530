/**
 * What a fact meant, as readers are told: one fact gives the new state and the entries that belong to
 * it. Folding the entries gives the chain; following them live gives the stream.
 */

import type { AgentSnapshot } from './agent.js';
import type { Call, CallStatus, Chain, Notice, Step } from './chain.js';
import type { ChainInput } from './fact.js';
import type { Json } from './json.js';
import type { ReplyBlock } from './model.js';
import type { PendingCall, State } from './state.js';

/** What became of a call. */
export interface Settled {
  readonly call: string;
  readonly status: CallStatus;
  readonly observation: Json;
  readonly clippedFrom: number | null;
}

export type Entry =
  | { readonly type: 'started'; readonly at: number; readonly input: ChainInput }
  | { readonly type: 'prepared'; readonly at: number; readonly agent: AgentSnapshot }
  | { readonly type: 'paused'; readonly at: number; readonly content: readonly ReplyBlock[] }
  | { readonly type: 'step'; readonly at: number; readonly step: Step }
  | { readonly type: 'observation'; readonly at: number; readonly settled: Settled; readonly tool: string }
  | { readonly type: 'notice'; readonly at: number; readonly notice: Notice };

export function notice(state: State, kind: Notice['kind'], text: string): Entry {
  return { type: 'notice', at: state.now, notice: { kind, text, step: state.steps, at: state.now } };
}

export function settledEntry(
  state: State,
  call: Pick<PendingCall, 'id' | 'tool'>,
  status: CallStatus,
  observation: Json,
  clippedFrom: number | null = null,
): Entry {
  return {
    type: 'observation',
    at: state.now,
    tool: call.tool,
    settled: { call: call.id, status, observation, clippedFrom },
  };
}

export const emptyRecord: Omit<Chain, 'state'> = { steps: [], notices: [], paused: [] };

/** The chain with the entries of one turn added. */
export function record(chain: Omit<Chain, 'state'>, state: State, entries: readonly Entry[]): Chain {
  return entries.reduce<Chain>(add, { ...chain, state });
}

function add(chain: Chain, entry: Entry): Chain {
  switch (entry.type) {
    case 'started':
    case 'prepared':
      return chain;
    case 'paused':
      return { ...chain, paused: [...chain.paused, ...entry.content] };
    case 'step':
      return { ...chain, paused: [], steps: [...chain.steps, { ...entry.step, pausedContent: chain.paused }] };
    case 'observation':
      return { ...chain, steps: settle(chain.steps, entry.settled, entry.at) };
    case 'notice':
      return { ...chain, notices: [...chain.notices, entry.notice] };
  }
}

/** Calls are settled in the step they were made in, which is the last one. */
function settle(steps: readonly Step[], settled: Settled, at: number): readonly Step[] {
  const last = steps.at(-1);
  if (last === undefined) return steps;
  const calls = last.calls.map((call): Call => (call.id === settled.call ? { ...call, ...result(settled, at) } : call));
  return [...steps.slice(0, -1), { ...last, calls }];
}

function result(settled: Settled, at: number): Pick<Call, 'status' | 'observation' | 'clippedFrom' | 'endedAt'> {
  const { status, observation, clippedFrom } = settled;
  return { status, observation, clippedFrom, endedAt: at };
}
