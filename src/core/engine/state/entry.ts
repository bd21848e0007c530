/**
 * Entries: the meaning of a fact for readers. Folding the entries gives the chain; following them live gives the stream.
 */

import { type Json, omitUndefined } from '../../lib/index.js';
import {
  type AgentSnapshot,
  type Call,
  type CallRequest,
  type CallStatus,
  type Chain,
  type ChainInput,
  type ChainState,
  computeRequestDigest,
  type Decision,
  type ModelCharge,
  type Notice,
  type PendingCall,
  type PersonMessage,
  type PersonRequest,
  type Plan,
  type PlanGuidance,
  type ReplyBlock,
  type StartedChain,
  type Step,
  type StoredParts,
  type SubChainEnd,
  toStoredParts,
} from '../../model/index.js';

/** The result of a call. */
export interface CallResult extends StoredParts {
  readonly call: string;
  readonly status: CallStatus;
  readonly observation: Json;
  readonly clippedFrom: number | null;
  /** Of all attempts at the call. Absent if it asked no model. */
  readonly charges?: readonly ModelCharge[];
}

export type ChainEntry =
  | { readonly type: 'chain-started'; readonly at: number; readonly input: ChainInput }
  | { readonly type: 'agent-prepared'; readonly at: number; readonly agent: AgentSnapshot }
  | { readonly type: 'turn-paused'; readonly at: number; readonly content: readonly ReplyBlock[] }
  | { readonly type: 'step-added'; readonly at: number; readonly step: Step }
  | { readonly type: 'call-completed'; readonly at: number; readonly result: CallResult; readonly tool: string }
  /** A request to people about a call was opened. */
  | {
      readonly type: 'request-opened';
      readonly at: number;
      readonly call: string;
      readonly tool: string;
      readonly request: Omit<CallRequest, 'decisions'>;
    }
  | {
      readonly type: 'request-decided';
      readonly at: number;
      readonly call: string;
      readonly tool: string;
      readonly decision: Decision;
    }
  /** A delegating call started a sub-chain. */
  | {
      readonly type: 'sub-chain-started';
      readonly at: number;
      readonly call: string;
      readonly tool: string;
      readonly chain: StartedChain;
    }
  /** Emitted again when more about the end is known. */
  | {
      readonly type: 'sub-chain-ended';
      readonly at: number;
      readonly call: string;
      readonly tool: string;
      readonly chainId: string;
      readonly end: SubChainEnd;
    }
  | { readonly type: 'notice-added'; readonly at: number; readonly notice: Notice }
  | { readonly type: 'message-received'; readonly at: number; readonly message: PersonMessage }
  /** The plan or the status of its tasks changed. */
  | { readonly type: 'plan-changed'; readonly at: number; readonly plan: Plan }
  /** Guidance about the plan for the model. */
  | { readonly type: 'guidance-added'; readonly at: number; readonly guidance: PlanGuidance };

/** @param parameters of the code, for programs */
export function createNoticeEntry(
  state: ChainState,
  code: Notice['code'],
  text: string,
  parameters: Pick<Notice, 'usage' | 'limits' | 'asked' | 'verdict'> = {},
): ChainEntry {
  return {
    type: 'notice-added',
    at: state.now,
    notice: { code, text, step: state.steps, at: state.now, ...parameters },
  };
}

export function createObservationEntry(
  state: ChainState,
  call: Pick<PendingCall, 'id' | 'tool'>,
  status: CallStatus,
  observation: Json,
  clippedFrom: number | null = null,
  parts: StoredParts & Pick<CallResult, 'charges'> = {},
): ChainEntry {
  return {
    type: 'call-completed',
    at: state.now,
    tool: call.tool,
    result: { call: call.id, status, observation, clippedFrom, ...parts },
  };
}

export function createRequestEntry(state: ChainState, call: PendingCall, request: PersonRequest): ChainEntry {
  const { kind, question, rules, requestedAt, expiresAt } = request;
  const digest = computeRequestDigest({ ...call, request });
  const opened = { kind, ...omitUndefined({ question }), rules, requestedAt, expiresAt, digest };
  return { type: 'request-opened', at: state.now, call: call.id, tool: call.tool, request: opened };
}

export function createDecisionEntry(
  state: ChainState,
  { id, tool }: Pick<PendingCall, 'id' | 'tool'>,
  decided: Decision,
): ChainEntry {
  return { type: 'request-decided', at: state.now, call: id, tool, decision: decided };
}

export const emptyRecord: Omit<Chain, 'state'> = {
  steps: [],
  notices: [],
  messages: [],
  pausedContent: [],
  guidance: [],
};

/** Adds entries to a chain. Copies once per call, so long histories are folded in few calls. */
export function recordEntries(chain: Omit<Chain, 'state'>, state: ChainState, entries: readonly ChainEntry[]): Chain {
  if (entries.length === 0) return { ...chain, state };
  const steps = [...chain.steps];
  const notices = [...chain.notices];
  let messages = [...chain.messages];
  const guides = [...chain.guidance];
  let { pausedContent } = chain;
  for (const entry of entries) {
    switch (entry.type) {
      case 'turn-paused':
        pausedContent = [...pausedContent, ...entry.content];
        break;
      case 'step-added':
        steps.push({ ...entry.step, pausedContent });
        messages = messages.map((message) => correctAfterStep(message, entry.step));
        pausedContent = [];
        break;
      case 'call-completed':
        changeCall(steps, entry.result.call, (call) => applyResult(call, entry.result, entry.at));
        break;
      case 'request-opened':
        changeCall(steps, entry.call, (call) => addRequest(call, { ...entry.request, decisions: [] }));
        break;
      case 'request-decided':
        changeCall(steps, entry.call, (call) => addDecision(call, entry.decision));
        break;
      case 'sub-chain-started':
        changeCall(steps, entry.call, (call) => ({ ...call, chains: [...(call.chains ?? []), entry.chain] }));
        break;
      case 'sub-chain-ended':
        changeCall(steps, entry.call, (call) => endSubChain(call, entry.chainId, entry.end));
        break;
      case 'notice-added':
        notices.push(entry.notice);
        break;
      case 'message-received':
        messages.push(entry.message);
        break;
      case 'plan-changed':
        changeLastStep(steps, (step) => ({ ...step, plan: entry.plan }));
        break;
      case 'guidance-added':
        guides.push(entry.guidance);
        break;
      case 'chain-started':
      case 'agent-prepared':
        break;
      default:
        entry satisfies never;
    }
  }
  return { state, steps, notices, messages, pausedContent, guidance: guides };
}

/** A message that arrived during a failed attempt was in the request of the attempt that succeeded. */
function correctAfterStep(message: PersonMessage, { number, startedAt }: Step): PersonMessage {
  const before = message.afterStep === number && message.at < startedAt;
  return before ? { ...message, afterStep: number - 1 } : message;
}

/** Changes a call of the last step: the next step starts only when all of its calls have ended. */
function changeCall(steps: Step[], id: string, change: (call: Call) => Call): void {
  changeLastStep(steps, (last) => ({
    ...last,
    calls: last.calls.map((call) => (call.id === id ? change(call) : call)),
  }));
}

function changeLastStep(steps: Step[], change: (step: Step) => Step): void {
  const last = steps.pop();
  if (last !== undefined) steps.push(change(last));
}

function applyResult(
  call: Call,
  { status, observation, clippedFrom, charges, ...result }: CallResult,
  at: number,
): Call {
  const paid = charges === undefined ? {} : { charges };
  return { ...call, status, observation, clippedFrom, ...toStoredParts(result), ...paid, endedAt: at };
}

function addRequest(call: Call, request: CallRequest): Call {
  return { ...call, requests: [...(call.requests ?? []), request] };
}

function addDecision(call: Call, decision: Decision): Call {
  const requests = call.requests ?? [];
  const open = requests.at(-1);
  const decided =
    open === undefined ? [] : [...requests.slice(0, -1), { ...open, decisions: [...open.decisions, decision] }];
  const { input } = decision;
  const changed = input === undefined ? {} : { input, changedFrom: call.changedFrom ?? call.input };
  return { ...call, ...changed, requests: decided };
}

function endSubChain(call: Call, chainId: string, ended: SubChainEnd): Call {
  const chains = (call.chains ?? []).map((chain) => (chain.chainId === chainId ? { ...chain, end: ended } : chain));
  return { ...call, chains };
}
