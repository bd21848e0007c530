/**
 * What a fact meant, as readers are told: one fact gives the new state and the entries that belong to
 * it. Folding the entries gives the chain; following them live gives the stream.
 */

import type { AgentSnapshot } from './agent.js';
import type { Call, CallStatus, Chain, Notice, PersonMessage, Step } from './chain.js';
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
  | { readonly type: 'notice'; readonly at: number; readonly notice: Notice }
  | { readonly type: 'message'; readonly at: number; readonly message: PersonMessage };

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

export const emptyRecord: Omit<Chain, 'state'> = { steps: [], notices: [], messages: [], paused: [] };

/** The chain with entries added. Copies once, however many they are: a long history is read in few pieces. */
export function record(chain: Omit<Chain, 'state'>, state: State, entries: readonly Entry[]): Chain {
  if (entries.length === 0) return { ...chain, state };
  const steps = [...chain.steps];
  const notices = [...chain.notices];
  const messages = [...chain.messages];
  let { paused } = chain;
  for (const entry of entries) {
    switch (entry.type) {
      case 'paused':
        paused = [...paused, ...entry.content];
        break;
      case 'step':
        steps.push({ ...entry.step, pausedContent: paused });
        paused = [];
        break;
      case 'observation':
        settleIn(steps, entry.settled, entry.at);
        break;
      case 'notice':
        notices.push(entry.notice);
        break;
      case 'message':
        messages.push(entry.message);
        break;
      case 'started':
      case 'prepared':
        break;
      default:
        entry satisfies never;
    }
  }
  return { state, steps, notices, messages, paused };
}

/** Calls are settled in the step they were made in, which is the last one. */
function settleIn(steps: Step[], settled: Settled, at: number): void {
  const last = steps.pop();
  if (last === undefined) return;
  const { call: id, status, observation, clippedFrom } = settled;
  const calls = last.calls.map((call): Call => {
    return call.id === id ? { ...call, status, observation, clippedFrom, endedAt: at } : call;
  });
  steps.push({ ...last, calls });
}
