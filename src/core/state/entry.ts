/**
 * What a fact meant, as readers are told: one fact gives the new state and the entries that belong to
 * it. Folding the entries gives the chain; following them live gives the stream.
 */

import type { Json } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Ask, CallRequest, Decided } from '../model/ask.js';
import type { Call, CallStatus, Chain, Notice, PersonMessage, Step } from '../model/chain.js';
import type { BegunChain, EndedChain } from '../model/child.js';
import type { ChainInput } from '../model/fact.js';
import { type Kept, keptOf } from '../model/kept.js';
import type { ReplyBlock } from '../model/model.js';
import type { Guide, Plan } from '../model/plan.js';
import type { PendingCall, State } from '../model/state.js';

/** What became of a call. */
export interface Settled extends Kept {
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
  /** A person is asked about a call. */
  | {
      readonly type: 'asked';
      readonly at: number;
      readonly call: string;
      readonly tool: string;
      readonly request: Omit<CallRequest, 'decisions'>;
    }
  | {
      readonly type: 'decided';
      readonly at: number;
      readonly call: string;
      readonly tool: string;
      readonly decided: Decided;
    }
  /** A call of an agent has begun a sub-chain. */
  | {
      readonly type: 'chainBegun';
      readonly at: number;
      readonly call: string;
      readonly tool: string;
      readonly chain: BegunChain;
    }
  /** Told again when more of it is known. */
  | {
      readonly type: 'chainEnded';
      readonly at: number;
      readonly call: string;
      readonly tool: string;
      readonly chainId: string;
      readonly end: EndedChain;
    }
  | { readonly type: 'notice'; readonly at: number; readonly notice: Notice }
  | { readonly type: 'message'; readonly at: number; readonly message: PersonMessage }
  /** The plan is another one, or has come further. */
  | { readonly type: 'planned'; readonly at: number; readonly plan: Plan }
  /** The model will be told what is next. */
  | { readonly type: 'guided'; readonly at: number; readonly guide: Guide };

export function notice(state: State, kind: Notice['kind'], text: string): Entry {
  return { type: 'notice', at: state.now, notice: { kind, text, step: state.steps, at: state.now } };
}

export function settledEntry(
  state: State,
  call: Pick<PendingCall, 'id' | 'tool'>,
  status: CallStatus,
  observation: Json,
  clippedFrom: number | null = null,
  kept: Kept = {},
): Entry {
  return {
    type: 'observation',
    at: state.now,
    tool: call.tool,
    settled: { call: call.id, status, observation, clippedFrom, ...kept },
  };
}

export function askedEntry(state: State, call: PendingCall, ask: Ask): Entry {
  const { kind, rules, askedAt, expiresAt } = ask;
  const request = { kind, rules, askedAt, expiresAt, digest: call.key };
  return { type: 'asked', at: state.now, call: call.id, tool: call.tool, request };
}

export function decidedEntry(state: State, { id, tool }: Pick<PendingCall, 'id' | 'tool'>, decided: Decided): Entry {
  return { type: 'decided', at: state.now, call: id, tool, decided };
}

export const emptyRecord: Omit<Chain, 'state'> = { steps: [], notices: [], messages: [], paused: [], guides: [] };

/** The chain with entries added. Copies once, however many they are: a long history is read in few pieces. */
export function record(chain: Omit<Chain, 'state'>, state: State, entries: readonly Entry[]): Chain {
  if (entries.length === 0) return { ...chain, state };
  const steps = [...chain.steps];
  const notices = [...chain.notices];
  let messages = [...chain.messages];
  const guides = [...chain.guides];
  let { paused } = chain;
  for (const entry of entries) {
    switch (entry.type) {
      case 'paused':
        paused = [...paused, ...entry.content];
        break;
      case 'step':
        steps.push({ ...entry.step, pausedContent: paused });
        messages = messages.map((message) => asHeard(message, entry.step));
        paused = [];
        break;
      case 'observation':
        changeCall(steps, entry.settled.call, (call) => settled(call, entry.settled, entry.at));
        break;
      case 'asked':
        changeCall(steps, entry.call, (call) => asked(call, { ...entry.request, decisions: [] }));
        break;
      case 'decided':
        changeCall(steps, entry.call, (call) => decided(call, entry.decided));
        break;
      case 'chainBegun':
        changeCall(steps, entry.call, (call) => ({ ...call, chains: [...(call.chains ?? []), entry.chain] }));
        break;
      case 'chainEnded':
        changeCall(steps, entry.call, (call) => chainEnded(call, entry.chainId, entry.end));
        break;
      case 'notice':
        notices.push(entry.notice);
        break;
      case 'message':
        messages.push(entry.message);
        break;
      case 'planned':
        changeLast(steps, (step) => ({ ...step, plan: entry.plan }));
        break;
      case 'guided':
        guides.push(entry.guide);
        break;
      case 'started':
      case 'prepared':
        break;
      default:
        entry satisfies never;
    }
  }
  return { state, steps, notices, messages, paused, guides };
}

/** What was said during an attempt that failed was heard by the one that took the step. */
function asHeard(message: PersonMessage, { number, startedAt }: Step): PersonMessage {
  const before = message.afterStep === number && message.at < startedAt;
  return before ? { ...message, afterStep: number - 1 } : message;
}

/** Calls are those of the last step: the next one begins when all of them have ended. */
function changeCall(steps: Step[], id: string, change: (call: Call) => Call): void {
  changeLast(steps, (last) => ({ ...last, calls: last.calls.map((call) => (call.id === id ? change(call) : call)) }));
}

function changeLast(steps: Step[], change: (step: Step) => Step): void {
  const last = steps.pop();
  if (last !== undefined) steps.push(change(last));
}

function settled(call: Call, { status, observation, clippedFrom, ...kept }: Settled, at: number): Call {
  return { ...call, status, observation, clippedFrom, ...keptOf(kept), endedAt: at };
}

function asked(call: Call, request: CallRequest): Call {
  return { ...call, requests: [...(call.requests ?? []), request] };
}

function decided(call: Call, said: Decided): Call {
  const requests = call.requests ?? [];
  const open = requests.at(-1);
  const told = open === undefined ? [] : [...requests.slice(0, -1), { ...open, decisions: [...open.decisions, said] }];
  const changed = said.input === undefined ? {} : { input: said.input, changedFrom: call.changedFrom ?? call.input };
  return { ...call, ...changed, requests: told };
}

function chainEnded(call: Call, chainId: string, ended: EndedChain): Call {
  const chains = (call.chains ?? []).map((chain) => (chain.chainId === chainId ? { ...chain, ended } : chain));
  return { ...call, chains };
}
