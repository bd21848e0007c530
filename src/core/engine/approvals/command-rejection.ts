/**
 * Validates a person's command against the state of a chain: null, or why it is rejected. Checked before an update is
 * accepted, and again when its fact arrives, which may have been sent as a signal.
 */

import {
  countUtf8Bytes,
  formatCount,
  formatLongDuration,
  type Json,
  shorten,
  toCanonicalJson,
  toValueText,
} from '../../lib/index.js';
import {
  type ChainState,
  type Command,
  type CommandPermissions,
  computeRequestDigest,
  type DecisionInput,
  defaults,
  findMixedWord,
  formatRoles,
  formatStop,
  formatStopReason,
  hasRole,
  isNameless,
  isSamePerson,
  isSignalName,
  type LimitDefinition,
  type LimitName,
  limitTable,
  listDecidingRoles,
  type PersonRequest,
  type ReceivedCommand,
  type Rejection,
  type RejectionCode,
  validateLimits,
} from '../../model/index.js';
import { hasExpired, listWaitingCalls, type WaitingCall } from '../state/due-requests.js';
import { countCompleteSteps, isRequeued, listCalls } from '../state/flight.js';
import { formatAnswerCommand, isExpiredQuestion } from '../state/limit-question.js';
import { findUnpricedModel } from '../state/route.js';
import { listOpenWaits } from '../state/waits.js';
import { hasChangedArguments } from './changed-arguments.js';
import { countStartedSteps } from './pause.js';

/** @param now milliseconds since 1970, when the command was sent */
export function findRejection(state: ChainState, received: ReceivedCommand, now: number): Rejection | null {
  const { command, id, chainId } = received;
  if (command.kind === 'unreadable') return reject('unreadable', command.problem);
  if (id !== null && state.seenCommandIds.includes(id)) {
    return reject('duplicate', 'A command with this id was accepted before.');
  }
  if (chainId !== null && chainId !== state.chainId) {
    return reject('other_chain', `The command is for chain ${chainId}; this is chain ${state.chainId}.`);
  }
  if (state.stop !== null) {
    // The reason may end with the error of a tool.
    const reason = formatStop(state.stop).replace(/[^.]$/, '$&.');
    return reject('ending', `The chain is ending as ${state.stop.outcome}: ${reason}`);
  }
  if (state.paused?.question !== undefined && isExpiredQuestion(state.paused.question, now)) {
    return reject('request_expired', 'The time to answer the question at the limit has expired: the chain ends.');
  }
  if (state.pendingCommands.length >= defaults.pendingCommands) return notReady;
  return findRejectionByKind(state, received, command, now);
}

function reject(code: RejectionCode, message: string): Rejection {
  return { code, message };
}

const notReady = reject('not_ready', 'The agent of the chain is not known yet. Try again in a moment.');

type ReadableCommand = Exclude<Command, { kind: 'unreadable' }>;

function findRejectionByKind(
  state: ChainState,
  received: ReceivedCommand,
  command: ReadableCommand,
  now: number,
): Rejection | null {
  switch (command.kind) {
    case 'decide':
      return validateDecision(state, received, command, now);
    case 'steer':
      return validatePermission(state, received, 'steer') ?? validateMessage(command.text);
    case 'pause':
      return validatePermission(state, received, 'pause') ?? validatePause(state, command);
    case 'resume':
      return (
        validatePermission(state, received, 'pause') ??
        validateRoles('resume', state.paused?.roles, received) ??
        validateResume(state, command)
      );
    case 'limit':
      return (
        validatePermission(state, received, 'limit') ??
        (state.paused?.question === undefined ? null : validateRoles('limit', state.paused.roles, received)) ??
        validateRaisedLimits(state, command)
      );
    case 'signal':
      return validatePermission(state, received, 'signal') ?? validateSignal(state, command);
  }
}

export function validatePermission(
  { agent }: Pick<ChainState, 'agent'>,
  { by, roles }: Pick<ReceivedCommand, 'by' | 'roles'>,
  permission: keyof CommandPermissions,
): Rejection | null {
  return validateRoles(permission, agent?.permissions[permission], { by, roles });
}

function validateRoles(
  verb: string,
  permitted: readonly string[] | undefined,
  { by, roles }: Pick<ReceivedCommand, 'by' | 'roles'>,
): Rejection | null {
  if (permitted === undefined || hasRole(roles, permitted)) return null;
  const sender = `${by ?? 'the sender'} has ${formatRoles(roles)}`;
  const allowed = permitted.length === 0 ? 'No role' : `Only ${formatRoles(permitted)}`;
  return reject('not_permitted', `${allowed} may ${verb} this chain; ${sender}.`);
}

function validateDecision(
  state: ChainState,
  received: ReceivedCommand,
  { call: id, digest, decision }: Extract<Command, { kind: 'decide' }>,
  now: number,
): Rejection | null {
  const call = listWaitingCalls(state).find((waitingCall) => waitingCall.id === id);
  if (call === undefined) return rejectNotWaiting(state, id);
  const { request } = call;
  if (hasExpired(request, now)) {
    const time = formatLongDuration(request.rules.expiresMs ?? 0);
    return reject('request_expired', `The time to decide call ${id} has expired (${time}).`);
  }
  const current = computeRequestDigest(call);
  if (digest !== null && digest !== current) {
    const digests = `its digest is ${current}, not ${digest}`;
    return reject('call_changed', `Call ${id} has changed since it was read: ${digests}. Read the request again.`);
  }
  return (
    validateEntitlement(state, received, call, listDecidingRoles(request, now)) ??
    validateDecisionKind(call, decision) ??
    validateVote(received, call, decision) ??
    validateArgumentChange(call, decision) ??
    validateDecisionLength(call, decision) ??
    validateAnswersSize(state, call, decision)
  );
}

function rejectNotWaiting(state: ChainState, id: string): Rejection {
  const why = findReasonNotWaiting(state, id);
  if (why !== null) return reject('call_not_waiting', `Call ${id} is not awaiting a decision (${why}).`);
  const waiting = listWaitingCalls(state).map((call) => call.id);
  return reject('call_not_found', formatCallNotFound(id, waiting));
}

function findReasonNotWaiting(state: ChainState, id: string): string | null {
  if (listCalls(state).some((call) => call.id === id)) return 'already decided, expired, or none required';
  const step = Number.parseInt(id, 10);
  return step >= 1 && step <= countCompleteSteps(state) ? `step ${step} is complete` : null;
}

/** @param waiting ids of the calls that await a decision */
export function formatCallNotFound(id: string, waiting: readonly string[]): string {
  const list = waiting.length === 0 ? 'No call is awaiting a decision.' : `Awaiting a decision: ${waiting.join(', ')}.`;
  return `The chain has no call ${id}. ${list}`;
}

/**
 * Applies the rules of the request, not the agent's permissions.
 *
 * @param roles those that may decide it
 */
export function validateEntitlement(
  { input }: Pick<ChainState, 'input'>,
  sender: Pick<ReceivedCommand, 'by' | 'roles'>,
  { id, request }: { readonly id: string; readonly request: Pick<PersonRequest, 'rules'> },
  roles: readonly string[],
): Rejection | null {
  const { by } = sender;
  if (roles.length > 0 && !hasRole(sender.roles, roles)) {
    const has = `${by ?? 'the sender'} has ${formatRoles(sender.roles)}`;
    return reject('not_entitled', `Call ${id} requires a decision by ${formatRoles(roles)}; ${has}.`);
  }
  const needsName = !request.rules.byRequester || request.rules.approvers > 1;
  if (needsName && isNameless(by)) {
    return reject('sender_missing', `A decision on call ${id} needs the name of its sender. Add it as "by".`);
  }
  const mixed = needsName ? findMixedWord(by ?? '') : null;
  if (mixed !== null) {
    const fix = 'so it could be mistaken for another. Write it in one alphabet.';
    return reject('sender_ambiguous', `The name ${by} mixes alphabets in one word (${mixed}), ${fix}`);
  }
  if (!request.rules.byRequester && isSamePerson(by, input?.user ?? null)) {
    return reject('not_entitled', `${by} started this chain and may not decide call ${id}. Another person must.`);
  }
  return null;
}

const allowedDecisions: { readonly [kind in PersonRequest['kind']]: readonly DecisionInput['kind'][] } = {
  approval: ['approve', 'deny', 'answer'],
  outcome: ['happened', 'not_happened', 'give_up'],
  question: ['answer', 'deny'],
};

const requestNouns = {
  approval: 'approval',
  outcome: 'the outcome of an uncertain call',
  question: 'an answer',
} as const satisfies { readonly [kind in PersonRequest['kind']]: string };

function validateDecisionKind({ id, request }: WaitingCall, decision: DecisionInput): Rejection | null {
  const allowed = allowedDecisions[request.kind];
  if (allowed.includes(decision.kind)) return null;
  const expected = `expected ${allowed.join(', ')}`;
  return reject(
    'wrong_decision',
    `Call ${id} awaits ${requestNouns[request.kind]}; ${expected}, not ${decision.kind}.`,
  );
}

/** One person's vote counts once. A vote that changes the arguments counts for the new ones. */
function validateVote({ by }: ReceivedCommand, call: WaitingCall, decision: DecisionInput): Rejection | null {
  const { id, request } = call;
  if (decision.kind !== 'approve') return null;
  if (!request.votes.some((vote) => isSamePerson(vote.by, by) || vote.by === by)) return null;
  if (decision.input !== undefined && hasChangedArguments(call, decision.input)) return null;
  const needed = `${request.rules.approvers} different people must approve it`;
  return reject('already_approved', `${by} has already approved call ${id}; ${needed}.`);
}

/** Policies check changed arguments in the activity of a call. A sub-chain has none. */
function validateArgumentChange(call: WaitingCall, decision: DecisionInput): Rejection | null {
  const { id, tool, children } = call;
  if (decision.kind !== 'approve' || decision.input === undefined || children === undefined) return null;
  if (!hasChangedArguments(call, decision.input)) return null;
  const fix = 'Deny it, with the request to make instead as the reason.';
  return reject('arguments_fixed', `The arguments of call ${id} cannot be changed, because ${tool} delegates. ${fix}`);
}

/** Each further run of a call gets all its answers so far, and the state keeps those of all calls. */
function validateAnswersSize(
  state: ChainState,
  { id, request }: WaitingCall,
  decision: DecisionInput,
): Rejection | null {
  if (decision.kind !== 'answer' || request.question === undefined) return null;
  const earlierAnswers = listCalls(state).flatMap(({ answers = [] }) => answers.map(({ answer }) => answer));
  const bytes = [...earlierAnswers, decision.answer].reduce(
    (sum: number, answer) => sum + countUtf8Bytes(toCanonicalJson(answer)),
    0,
  );
  if (bytes <= defaults.answersBytes) return null;
  const limit = `the limit for all answers to the calls of a step is ${formatCount(defaults.answersBytes)}`;
  return reject(
    'too_long',
    `With this answer to call ${id}, there are ${formatCount(bytes)} bytes; ${limit}. Shorten it.`,
  );
}

/**
 * An answer too long to read is rejected, not clipped: a person can shorten it. Changed arguments go into the history
 * again with the call, where a payload too large would end the chain.
 */
function validateDecisionLength({ id }: WaitingCall, decision: DecisionInput): Rejection | null {
  switch (decision.kind) {
    case 'answer':
      return validateLength(`The answer to call ${id} is`, decision.answer, defaults.messageCharacters);
    case 'happened':
      return validateLength(`The answer to call ${id} is`, decision.observation, defaults.messageCharacters);
    case 'approve':
      return validateLength(`The input of call ${id} is`, decision.input ?? null, defaults.inputCharacters);
    default:
      return null;
  }
}

/** @param subject the start of the sentence, with its verb */
function validateLength(subject: string, value: Json, max: number): Rejection | null {
  const { length } = toValueText(value);
  if (length <= max) return null;
  const limit = `the limit is ${formatCount(max)}`;
  const fix = 'Store long content where a tool can read it.';
  return reject('too_long', `${subject} ${formatCount(length)} characters; ${limit}. ${fix}`);
}

function validateMessage(text: string): Rejection | null {
  if (text.trim() === '') return reject('empty', 'The message is empty. Write what the agent should know.');
  return validateLength('The message is', text, defaults.messageCharacters);
}

function validatePause(state: ChainState, { breakpoint }: Extract<Command, { kind: 'pause' }>): Rejection | null {
  if (breakpoint === null) {
    return state.paused === null ? null : reject('already_paused', 'The chain is already paused.');
  }
  if (state.breakpoints.length >= defaults.breakpoints) {
    return reject('breakpoints_full', `The chain already has ${defaults.breakpoints} breakpoints, which is the limit.`);
  }
  if ('step' in breakpoint && breakpoint.step <= countStartedSteps(state)) {
    const next = countStartedSteps(state) + 1;
    return reject('breakpoint_passed', `Step ${breakpoint.step} has already started. Use step ${next} or later.`);
  }
  const unpriced = state.agent === null ? null : findUnpricedModel(state.agent);
  if ('costUsd' in breakpoint && unpriced !== null) {
    const fix = 'Use a step as breakpoint.';
    return reject('breakpoint_unknown', `The model ${unpriced.name} has no price, so no cost is known. ${fix}`);
  }
  if ('tool' in breakpoint && state.agent?.tools.every(({ name }) => name !== breakpoint.tool)) {
    const tools = state.agent.tools.map(({ name }) => name).join(', ');
    return reject('breakpoint_unknown', `The agent has no tool ${breakpoint.tool}. Its tools: ${tools}.`);
  }
  return null;
}

function validateResume(state: ChainState, { call }: Extract<Command, { kind: 'resume' }>): Rejection | null {
  const waits = listOpenWaits(state).map(({ id }) => id);
  if (call !== null) return waits.includes(call) ? null : rejectNoWait(state, call, waits);
  const question = state.paused?.question;
  if (question != null && question.raise !== null) {
    const fix = `Raise it (\`${formatAnswerCommand(state.chainId, question)}\`), or cancel the chain.`;
    return reject('limit_reached', `${formatStopReason(question.reason)} ${fix}`);
  }
  if (state.paused !== null || state.flight.kind === 'modelRetry' || isRequeued(state) || state.agent === null)
    return null;
  const fix = waits.length === 0 ? '' : ` To end the wait of a call, name the call: ${waits.join(' or ')}.`;
  return reject(
    'not_paused',
    `The chain is not paused, and does not wait for its provider, the store or a worker.${fix}`,
  );
}

/** A repeated resume is rejected here, because the wait that it names has ended. */
function rejectNoWait(state: ChainState, id: string, waits: readonly string[]): Rejection {
  const list = waits.length === 0 ? 'No call waits for a time or a signal.' : `Waiting: ${waits.join(', ')}.`;
  const isKnown = findReasonNotWaiting(state, id) !== null;
  if (!isKnown) return reject('call_not_found', `The chain has no call ${id}. ${list}`);
  return reject('call_not_waiting', `Call ${id} does not wait for a time or a signal. ${list}`);
}

function validateSignal({ agent }: ChainState, { name, data }: Extract<Command, { kind: 'signal' }>): Rejection | null {
  if (!isSignalName(name)) {
    const fix = 'Use 1 to 100 letters, digits, or _ . : -, beginning with a letter or digit.';
    return reject('signal_invalid', `${JSON.stringify(shorten(name, 120))} is not a name of a signal. ${fix}`);
  }
  if (agent !== null && !agent.tools.some(({ waits }) => waits)) {
    return reject('signal_unawaited', `No tool of agent ${agent.name} waits for signals. Add wait() to its tools.`);
  }
  const bytes = countUtf8Bytes(toCanonicalJson(data));
  if (bytes <= defaults.signalBytes) return null;
  const limit = `the limit is ${formatCount(defaults.signalBytes)}`;
  const fix = 'Store long content where a tool can read it.';
  return reject('too_long', `The data of signal ${name} are ${formatCount(bytes)} bytes; ${limit}. ${fix}`);
}

function validateRaisedLimits(
  { agent, input }: ChainState,
  { limits }: Extract<Command, { kind: 'limit' }>,
): Rejection | null {
  if (agent === null) return notReady;
  const problem = validateLimits(limits);
  if (problem !== null) return reject('limit_invalid', problem);
  const newLimits = Object.entries(limits).filter(([, value]) => value !== null);
  if (newLimits.length === 0) return reject('empty', 'No limit is given. Name the limits to raise.');
  for (const [name, value] of newLimits) {
    const rejection = validateRaisedLimit(agent, input, name as LimitName, Number(value));
    if (rejection !== null) return rejection;
  }
  return null;
}

function validateRaisedLimit(
  agent: NonNullable<ChainState['agent']>,
  input: ChainState['input'],
  name: LimitName,
  value: number,
): Rejection | null {
  const current = agent.limits[name];
  if (current === null) {
    const { name: model } = findUnpricedModel(agent) ?? agent.model;
    return reject('limit_invalid', `${name} cannot be set: the model ${model} has no price.`);
  }
  const { unit, names, agents, format = String }: LimitDefinition = limitTable[name];
  const label = unit === 'ms' ? names[0] : name;
  if (current === undefined) {
    const why = agents === 'waiting' ? 'has no tool that waits' : 'does not delegate';
    return reject('limit_invalid', `${label} cannot be set: ${agent.name} ${why}.`);
  }
  const max = findMaxLimit(input, name);
  if (max !== null && value > max) {
    return reject(
      'limit_over_share',
      `${label} can be raised to ${format(max)} at most, the chain's share of its parent's budget.`,
    );
  }
  if (value < current)
    return reject(
      'limit_lowered',
      `${label} is ${format(current)} and can only be raised, not set to ${format(value)}.`,
    );
  return null;
}

/** The most that a sub-chain's limit may be raised to; null if no parent sets one. */
function findMaxLimit(input: ChainState['input'], name: string): number | null {
  const share = input?.lineage?.share;
  if (share === undefined) return null;
  return { tokens: share.tokens, costUsd: share.usd, timeMs: share.timeMs, chains: share.chains }[name] ?? null;
}
