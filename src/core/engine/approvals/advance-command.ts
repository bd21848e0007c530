/**
 * Applies commands to a chain. A rejected command changes nothing, and readers get a notice.
 *
 * 1. A request is decided once: later decisions of it are rejected.
 * 2. A command id is applied once.
 * 3. Commands that arrive before the agent wait for it: the agent defines who may send them.
 */

import { computeCallKey, countUtf8Bytes, type Json, toValueText } from '../../lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  type Command,
  changeState,
  computeQuestionDigest,
  type Decision,
  type DecisionInput,
  describeRaisedLimits,
  type PartialLimits,
  type ReceivedCommand,
  type ToolQuestion,
  type Vote,
} from '../../model/index.js';
import { type Advance, andThen, applyEach, emit, unchanged } from '../state/advance.js';
import { addBytes, addMessageBytes, observationOverheadBytes } from '../state/budget.js';
import { listWaitingCalls, type WaitingCall } from '../state/due-requests.js';
import { createDecisionEntry, createNoticeEntry } from '../state/entry.js';
import { isRetryWait } from '../state/flight.js';
import {
  formatBreakpointNotice,
  formatEndedWaitNotice,
  formatRaisedLimitsNotice,
  formatRejectedCommandNotice,
  renderDenial,
} from '../state/notice-text.js';
import { countMessageBytes } from '../state/observation.js';
import { receiveSignal } from '../state/signals.js';
import { allowCall, replaceCall, settleCall, settleUnanswered } from '../state/step.js';
import { stopChain } from '../state/stop.js';
import { endAllWaits, endWait, extendWaits, listOpenWaits } from '../state/waits.js';
import { hasChangedArguments } from './changed-arguments.js';
import { findRejection } from './command-rejection.js';
import { countStartedSteps, formatBreakpoint, pauseChain, resumeChain } from './pause.js';
import { grantStandingApprovals } from './standing-approvals.js';

export function applyCommand(before: ChainState, received: ReceivedCommand): Advance {
  const rejection = findRejection(before, received, before.now);
  if (rejection !== null) {
    const text = formatRejectedCommandNotice(received, rejection.message);
    return emit(before, createNoticeEntry(before, 'command_rejected', text));
  }
  const state = recordCommandId(before, received.id);
  const { command } = received;
  if (state.agent === null) {
    // Trying a preparation again needs no permission, and the agent that would grant it is what is missing.
    if (command.kind === 'resume' && isRetryWait(state.flight)) return resumeChain(state, received.by, received.reason);
    return emit(changeState(state, { pendingCommands: [...state.pendingCommands, received] }));
  }
  switch (command.kind) {
    case 'decide':
      return applyDecision(state, received, command);
    case 'steer':
      return steer(state, received, command.text);
    case 'pause':
      return command.breakpoint === null
        ? pauseChain(state, received.by, received.reason)
        : setBreakpoint(state, received, command.breakpoint);
    case 'resume':
      return command.call === null
        ? resumeChain(state, received.by, received.reason)
        : endWaitByPerson(state, received, command.call);
    case 'limit':
      return raiseLimits(state, received, command.limits);
    case 'signal':
      return receiveSignal(state, { name: command.name, data: command.data, by: received.by });
    case 'unreadable':
      return emit(state);
  }
}

/**
 * Applies pending commands once the agent is known or its preparation has failed (invariant 3). Their ids were recorded on
 * arrival.
 *
 * @param max number of commands to apply; the others keep waiting
 */
export function applyPendingCommands(before: ChainState): Advance {
  const { pendingCommands } = before;
  return applyEach(changeState(before, { pendingCommands: [] }), pendingCommands, (state, received) =>
    applyCommand(state, { ...received, id: null }),
  );
}

/** Number of ids to remember. */
const maxSeenCommandIds = 128;

/** Invariant 2. */
export function recordCommandId(state: ChainState, id: string | null): ChainState {
  return id === null
    ? state
    : changeState(state, { seenCommandIds: [...state.seenCommandIds, id].slice(-maxSeenCommandIds) });
}

/** Adds a person's message after the step under way, whose request was sent without it. A wait ends: the message is news. */
function steer(state: ChainState, { by }: ReceivedCommand, text: string): Advance {
  const message = { text, by, afterStep: countStartedSteps(state), at: state.now };
  const sent = emit(changeState(addMessageBytes(state, countMessageBytes(message)), { hasUnreadMessages: true }), {
    type: 'message-received',
    at: state.now,
    message,
  });
  return andThen(sent, (next) => endAllWaits(next, 'message'));
}

function endWaitByPerson(state: ChainState, { by, reason }: ReceivedCommand, id: string): Advance {
  const call = listOpenWaits(state).find((openWait) => openWait.id === id);
  if (call === undefined) return unchanged(state);
  const notice = createNoticeEntry(state, 'wait_ended', formatEndedWaitNotice(id, by, reason));
  return andThen(emit(state, notice), (next) => endWait(next, call, { ended: 'resume' }));
}

function setBreakpoint(
  state: ChainState,
  { by, reason }: ReceivedCommand,
  at: ChainState['breakpoints'][number]['breakpoint'],
): Advance {
  const notice = createNoticeEntry(state, 'breakpoint_set', formatBreakpointNotice(formatBreakpoint(at), by, reason));
  return emit(changeState(state, { breakpoints: [...state.breakpoints, { breakpoint: at, by }] }), notice);
}

function raiseLimits(state: ChainState, { by, reason }: ReceivedCommand, limits: PartialLimits): Advance {
  if (state.agent === null) return unchanged(state);
  const raisedLimits = Object.fromEntries(
    Object.entries(limits).filter(([, value]) => value !== undefined && value !== null),
  );
  const agent: AgentSnapshot = { ...state.agent, limits: { ...state.agent.limits, ...raisedLimits } };
  // The running timer of the time limit stays: when it fires, it starts again for the rest.
  const notice = createNoticeEntry(
    state,
    'limits_raised',
    formatRaisedLimitsNotice(by, reason, describeRaisedLimits(limits)),
    { limits: raisedLimits },
  );
  const raised: ChainState = changeState(state, { agent });
  return emit(limits.waitMs == null ? raised : extendWaits(raised), notice);
}

function applyDecision(
  state: ChainState,
  received: ReceivedCommand,
  { call: id, decision }: Extract<Command, { kind: 'decide' }>,
): Advance {
  const call = listWaitingCalls(state).find((waitingCall) => waitingCall.id === id);
  if (call === undefined || state.agent === null) return unchanged(state);
  if (decision.kind === 'approve') return approve(state, call, received, decision);
  const { agent } = state;
  const answer = call.request.question !== undefined && decision.kind === 'answer' ? { answer: decision.answer } : {};
  const decided = { ...toDecision(state, received, decision), ...answer };
  return andThen(emit(state, createDecisionEntry(state, call, decided)), (next) =>
    settleByDecision(next, agent, call, received, decision),
  );
}

function settleByDecision(
  state: ChainState,
  agent: AgentSnapshot,
  call: WaitingCall,
  { by, reason }: ReceivedCommand,
  decision: Exclude<DecisionInput, { kind: 'approve' }>,
): Advance {
  switch (decision.kind) {
    case 'deny':
      return settleUnanswered(state, agent, call, {
        status: 'denied',
        content: renderDenial(call.request.kind, by, reason),
      });
    case 'answer':
      return call.request.question === undefined
        ? settleCall(state, agent, call, { status: 'answered', content: decision.answer })
        : emit(continueCall(state, call, call.request.question, decision.answer));
    case 'happened':
      return settleCall(state, agent, call, { status: 'answered', content: decision.observation });
    case 'not_happened':
      return emit(allowCall(state, { ...call, retryApproved: true, retries: (call.retries ?? 0) + 1 }));
    case 'give_up': {
      const { rules } = call.request;
      return andThen(settleCall(state, agent, call, { status: 'unknown', content: rules.reason }), (settled) =>
        stopChain(settled, 'failure', { code: 'given_up', question: rules.reason, by, why: reason }),
      );
    }
  }
}

/** Runs a call again that asked a question. The rules of its approval remain. */
function continueCall(
  state: ChainState,
  { request: _, ...call }: WaitingCall,
  question: ToolQuestion,
  answer: Json,
): ChainState {
  const answers = [...(call.answers ?? []), { digest: computeQuestionDigest(call.tool, question), answer }];
  return replaceCall(state, { ...call, progress: 'ready', answers });
}

/** Approves a call. Changed arguments void the earlier votes: these were for other arguments. */
function approve(
  before: ChainState,
  waitingCall: WaitingCall,
  received: ReceivedCommand,
  decision: Extract<DecisionInput, { kind: 'approve' }>,
): Advance {
  const changed = decision.input !== undefined && hasChangedArguments(waitingCall, decision.input);
  const call = changed ? changeArguments(waitingCall, decision) : waitingCall;
  const state = changed ? addBytes(before, countUtf8Bytes(toValueText(call.input)) + observationOverheadBytes) : before;
  const vote: Vote = { by: received.by, roles: received.roles, always: decision.always ?? false };
  const votes = [...(changed ? [] : call.request.votes), vote];
  const enough = votes.length >= call.request.rules.approvers;
  const entry = createDecisionEntry(state, call, {
    ...toDecision(state, received, decision),
    ...(changed ? { input: call.input } : {}),
    ...(enough ? {} : { partly: true as const }),
  });
  if (!enough) return emit(replaceCall(state, { ...call, request: { ...call.request, votes } }), entry);
  // A standing approval covers later calls: those that wait already are decided one by one.
  if (!votes.every((vote) => vote.always)) return emit(allowCall(state, call), entry);
  // Policies check arguments that a person changed when the call runs.
  if (call.changedUnder !== undefined) return emit(allowCall(state, { ...call, standingVotes: votes }), entry);
  return emit(grantStandingApprovals(allowCall(state, call), call.tool, votes), entry);
}

function changeArguments(
  call: WaitingCall,
  { input = null }: Extract<DecisionInput, { kind: 'approve' }>,
): WaitingCall {
  return { ...call, input, key: computeCallKey(call.tool, input), changedUnder: call.request.rules };
}

const decisionKinds = {
  approve: 'approved',
  deny: 'denied',
  answer: 'answered',
  happened: 'happened',
  not_happened: 'not_happened',
  give_up: 'given_up',
} as const satisfies { readonly [what in DecisionInput['kind']]: Decision['kind'] };

function toDecision({ now }: ChainState, { by, roles, reason }: ReceivedCommand, decision: DecisionInput): Decision {
  const always = decision.kind === 'approve' && decision.always === true;
  return { kind: decisionKinds[decision.kind], by, roles, reason, at: now, ...(always ? { always } : {}) };
}
