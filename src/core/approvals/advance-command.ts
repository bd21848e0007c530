/**
 * What a person's word does to a chain. What cannot be taken changes nothing, and readers are told why.
 *
 * 1. A request is decided once: what is said of it later finds it closed.
 * 2. What comes twice under one id is taken once.
 * 3. What comes before the agent is known waits until it is: the agent names who may say it.
 */

import { computeCallKey } from '../lib/digest.js';
import { countUtf8Bytes, toValueText } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Command, DecisionInput, ReceivedCommand } from '../model/command.js';
import { describeRaisedLimits, type PartialLimits } from '../model/limits.js';
import type { Decision, Vote } from '../model/request.js';
import type { ChainState } from '../model/state.js';
import { type Advance, andThen, applyEach, emit } from '../state/advance.js';
import { addBytes, observationOverheadBytes } from '../state/budget.js';
import { listWaitingCalls, type WaitingCall } from '../state/due-requests.js';
import { createDecisionEntry, createNoticeEntry } from '../state/entry.js';
import * as reasons from '../state/notice-text.js';
import { countMessageBytes } from '../state/observation.js';
import { allowCall, replaceCall, settleCall } from '../state/step.js';
import { stopChain } from '../state/stop.js';
import { findRejection } from './command-rejection.js';
import { countStartedSteps, formatBreakpoint, pauseChain, resumeChain } from './pause.js';
import { grantStandingApprovals } from './standing-approvals.js';

export function applyCommand(before: ChainState, said: ReceivedCommand): Advance {
  const rejection = findRejection(before, said, before.now);
  if (rejection !== null) {
    const text = reasons.formatRejectedCommandNotice(said, rejection.message);
    return emit(before, createNoticeEntry(before, 'command_rejected', text));
  }
  const state = recordCommandId(before, said.id);
  if (state.agent === null) return emit({ ...state, pendingCommands: [...state.pendingCommands, said] });
  const { command } = said;
  switch (command.kind) {
    case 'decide':
      return applyDecision(state, said, command);
    case 'steer':
      return steer(state, said, command.text);
    case 'pause':
      return command.breakpoint === null
        ? pauseChain(state, said.by, said.reason)
        : setBreakpoint(state, said, command.breakpoint);
    case 'resume':
      return resumeChain(state, said.by, said.reason);
    case 'limit':
      return raiseLimits(state, said, command.limits);
    case 'unreadable':
      return emit(state);
  }
}

/**
 * Invariant 3, once the agent is known, or cannot be. Their ids were heard when they came.
 *
 * @param most how many of them; the others go on waiting
 */
export function applyPendingCommands(before: ChainState, most = before.pendingCommands.length): Advance {
  const { pendingCommands } = before;
  return applyEach(
    { ...before, pendingCommands: pendingCommands.slice(most) },
    pendingCommands.slice(0, most),
    (state, said) => applyCommand(state, { ...said, id: null }),
  );
}

/** How many ids are remembered. */
const maxSeenCommandIds = 128;

/** Invariant 2. */
export function recordCommandId(state: ChainState, id: string | null): ChainState {
  return id === null ? state : { ...state, seenCommandIds: [...state.seenCommandIds, id].slice(-maxSeenCommandIds) };
}

/** The model hears it behind the step under way: what is being asked now was asked without it. */
function steer(state: ChainState, { by }: ReceivedCommand, text: string): Advance {
  const message = { text, by, afterStep: countStartedSteps(state), at: state.now };
  return emit(
    { ...addBytes(state, countMessageBytes(message)), hasUnreadMessages: true },
    { type: 'message-received', at: state.now, message },
  );
}

function setBreakpoint(
  state: ChainState,
  { by, reason }: ReceivedCommand,
  at: ChainState['breakpoints'][number]['breakpoint'],
): Advance {
  const told = createNoticeEntry(
    state,
    'breakpoint_set',
    reasons.formatBreakpointNotice(formatBreakpoint(at), by, reason),
  );
  return emit({ ...state, breakpoints: [...state.breakpoints, { breakpoint: at, by }] }, told);
}

function raiseLimits(state: ChainState, { by, reason }: ReceivedCommand, limits: PartialLimits): Advance {
  if (state.agent === null) return emit(state);
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined && value !== null));
  const agent: AgentSnapshot = { ...state.agent, limits: { ...state.agent.limits, ...given } };
  // A timer for less time may be running: when it fires, time is counted again.
  const timers = { ...state.timers, deadline: state.timers.deadline && limits.timeMs === undefined };
  const told = createNoticeEntry(
    state,
    'limits_raised',
    reasons.formatRaisedLimitsNotice(by, reason, describeRaisedLimits(limits)),
  );
  return emit({ ...state, agent, timers }, told);
}

function applyDecision(
  state: ChainState,
  said: ReceivedCommand,
  { call: id, decision }: Extract<Command, { kind: 'decide' }>,
): Advance {
  const call = listWaitingCalls(state).find((each) => each.id === id);
  if (call === undefined || state.agent === null) return emit(state);
  if (decision.kind === 'approve') return approve(state, call, said, decision);
  const { agent } = state;
  return andThen(emit(state, createDecisionEntry(state, call, toDecision(state, said, decision))), (next) =>
    settleByDecision(next, agent, call, said, decision),
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
      return settleCall(state, agent, call, {
        status: 'denied',
        content: reasons.renderDenial(call.request.kind, by, reason),
      });
    case 'answer':
      return settleCall(state, agent, call, { status: 'answered', content: decision.answer });
    case 'happened':
      return settleCall(state, agent, call, { status: 'answered', content: decision.observation });
    case 'not_happened':
      return emit(allowCall(state, { ...call, retryApproved: true }));
    case 'give_up': {
      const { rules } = call.request;
      return andThen(settleCall(state, agent, call, { status: 'unknown', content: rules.reason }), (settled) =>
        stopChain(settled, 'failure', { code: 'given_up', question: rules.reason, by, why: reason }),
      );
    }
  }
}

/** Arguments that a person changes are a new request for all the others: their word was for the old ones. */
function approve(
  before: ChainState,
  waitingCall: WaitingCall,
  said: ReceivedCommand,
  decision: Extract<DecisionInput, { kind: 'approve' }>,
): Advance {
  const changed = decision.input !== undefined && computeCallKey(waitingCall.tool, decision.input) !== waitingCall.key;
  const call = changed ? changeArguments(waitingCall, decision) : waitingCall;
  const state = changed ? addBytes(before, countUtf8Bytes(toValueText(call.input)) + observationOverheadBytes) : before;
  const vote: Vote = { by: said.by, roles: said.roles, always: decision.always ?? false };
  const votes = [...(changed ? [] : call.request.votes), vote];
  const enough = votes.length >= call.request.rules.approvers;
  const entry = createDecisionEntry(state, call, {
    ...toDecision(state, said, decision),
    ...(changed ? { input: call.input } : {}),
    ...(enough ? {} : { partly: true as const }),
  });
  if (!enough) return emit(replaceCall(state, { ...call, request: { ...call.request, votes } }), entry);
  // Later calls are meant: what waits already is there to be read, and is decided by itself.
  if (!votes.every((each) => each.always)) return emit(allowCall(state, call), entry);
  // Policies have yet to see arguments that a person set.
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
