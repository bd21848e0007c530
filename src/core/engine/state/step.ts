/** A step and its calls: created from a reply, then each call waits for a person, runs, and is settled. */

import { countUtf8Bytes, type Json, shorten, toValueText } from '../../lib/index.js';
import {
  type AgentSnapshot,
  type AnsweringModel,
  type Call,
  type CallStatus,
  type ChainState,
  changeState,
  computeCost,
  isWithoutEffect,
  mergeDataClasses,
  type PendingCall,
  type PersonRequest,
  type Price,
  pickAnsweringModel,
  type Reading,
  type RequestedCall,
  type Reservation,
  type Step,
  type StoredParts,
  toStoredParts,
  type Usage,
} from '../../model/index.js';
import { type Advance, emit } from './advance.js';
import { addBytes, observationOverheadBytes } from './budget.js';
import { settleAttempt } from './call-charges.js';
import { toChargeParts } from './call-payment.js';
import { boundFileTokens } from './conversation-size.js';
import { createObservationEntry, createRequestEntry } from './entry.js';
import { recordOutcome } from './repeats.js';
import { listModels } from './route.js';

/** Creates a call. Its id is made of step and position, from 1: `3.1` is the first call of step 3. */
export function createCall(step: number, index: number, requested: RequestedCall, at: number): Call {
  return {
    id: `${step}.${index + 1}`,
    useId: requested.useId,
    tool: requested.tool,
    input: requested.input,
    status: 'pending',
    observation: null,
    clippedFrom: null,
    reusedFrom: null,
    startedAt: at,
    endedAt: null,
  };
}

/** A settled reply; `charged` is its whole reservation where it reported no plausible usage. */
export interface StepReply extends AnsweringModel {
  readonly reading: Reading;
  readonly usage: Usage;
  readonly price: Price | null;
  readonly charged: Reservation | null;
}

export function createStep(
  number: number,
  { reading, usage, price, charged, ...answering }: StepReply,
  calls: readonly Call[],
  times: Pick<Step, 'modelCall' | 'startedAt' | 'endedAt'>,
): Step {
  const { thought, problem, content, received, repairs } = reading;
  // The findings of a failure are no answer: the chain's result has them.
  const answer = reading.failure === undefined ? reading.answer : null;
  const whole = received === undefined ? {} : { received };
  const repaired = repairs === undefined || answer === null ? {} : { repairs };
  const by = pickAnsweringModel(answering);
  const reply = { thought, calls, answer, ...repaired, problem, content, ...whole, ...by, usage };
  const step = { number, ...reply, pausedContent: [], ...times };
  if (charged !== null) return { ...step, costUsd: charged.usd, charged };
  return { ...step, costUsd: price === null ? null : computeCost(usage, price) };
}

/** The result of a call. */
interface CallEnding extends StoredParts {
  readonly status: CallStatus;
  readonly content: Json;
  readonly clippedFrom?: number | null;
}

/** Settles a call. What is still held for it is charged: its attempt reported nothing. */
export function settleCall(
  before: ChainState,
  agent: AgentSnapshot,
  unpaid: PendingCall,
  { status, content, clippedFrom = null, ...rest }: CallEnding,
): Advance {
  const { state, call } = settleAttempt(before, unpaid, null);
  const good = status === 'ok' || status === 'answered';
  const text = toValueText(content);
  const bytes = countUtf8Bytes(text);
  const tokens = boundFileTokens(rest.files, listModels(agent));
  const noted: ChainState = changeState(addBytes(state, bytes + observationOverheadBytes + tokens), {
    dataClasses: hasRun(status) ? addToolClasses(state, agent, call).dataClasses : state.dataClasses,
    stall: recordOutcome(
      state.stall,
      {
        key: call.key,
        tool: call.tool,
        input: call.input,
        // Files with equal descriptions may have other content.
        observation: rest.files === undefined ? content : [content, ...rest.files.map(({ digest }) => digest)],
        hasEffect: !isWithoutEffect(call.effects),
      },
      agent.limits.stallSimilarity,
    ),
    partialFindings: good
      ? { ...state.partialFindings, observation: `${call.tool}: ${shorten(text, 2_000)}` }
      : state.partialFindings,
  });
  const { request: _, ...withoutRequest } = call;
  const ended: PendingCall = {
    ...withoutRequest,
    progress: good ? 'ok' : 'failed',
    bytes: good ? bytes : 0,
    // Files are in the request once; steps that are summarized lose theirs, and only another call returns them.
    reusable: call.reusable && rest.files === undefined,
    // Only the results of reads expire.
    ...(call.reusable && call.effects === 'read' ? { endedAt: state.now } : {}),
  };
  return emit(
    replaceCall(noted, ended),
    createObservationEntry(state, call, status, content, clippedFrom, {
      ...toStoredParts(rest),
      ...toChargeParts(call),
    }),
  );
}

/** Settles a call whose question gets no answer: with the result that it had without one, if it had one. */
export function settleUnanswered(
  state: ChainState,
  agent: AgentSnapshot,
  call: PendingCall,
  ending: CallEnding,
): Advance {
  const { resultWithoutAnswer } = call;
  return settleCall(
    state,
    agent,
    call,
    resultWithoutAnswer === undefined ? ending : { status: 'ok', content: resultWithoutAnswer },
  );
}

/** A call that did not run has read nothing. */
function hasRun(status: CallStatus): boolean {
  return status !== 'not_run' && status !== 'denied' && status !== 'not_permitted';
}

/** Marks the chain with the classes of a tool's data, before a text of the tool can be in a request. */
export function addToolClasses(state: ChainState, { tools }: AgentSnapshot, { tool: name }: PendingCall): ChainState {
  const added = tools.find((tool) => tool.name === name)?.dataClasses;
  return changeState(state, { dataClasses: mergeDataClasses(state.dataClasses, added) });
}

export function waitForPerson(state: ChainState, call: PendingCall, request: PersonRequest): Advance {
  const waiting: PendingCall = { ...call, progress: 'waiting', request };
  return emit(replaceCall(state, waiting), createRequestEntry(state, call, request));
}

/** Lets a call run with the next actions. */
export function allowCall(state: ChainState, { request, ...call }: PendingCall): ChainState {
  return replaceCall(state, {
    ...call,
    progress: 'ready',
    ...(request === undefined ? {} : { approvedUnder: request.rules }),
  });
}

export function replaceCall(state: ChainState, call: PendingCall): ChainState {
  if (state.flight.kind !== 'calls') return state;
  const calls = state.flight.calls.map((other) => (other.id === call.id ? call : other));
  return changeState(state, { flight: { ...state.flight, calls } });
}
