/**
 * Why something a person says to a chain is not taken: one sentence for them, or null when it is. Asked before an update
 * is accepted, and once more when the fact comes, which may have been sent as a signal.
 */

import { computeCallKey } from '../lib/digest.js';
import { formatLongDuration } from '../lib/display.js';
import { type Json, toCanonicalJson, toValueText } from '../lib/json.js';
import type { Command, CommandPermissions, DecisionInput, ReceivedCommand } from '../model/command.js';
import { defaults } from '../model/defaults.js';
import { findMixedWord, hasRole, isNameless, isSamePerson } from '../model/identity.js';
import { type Limits, validateLimits } from '../model/limits.js';
import { listDecidingRoles, type PersonRequest } from '../model/request.js';
import type { ChainState } from '../model/state.js';
import { formatStop } from '../model/stop-reason.js';
import { hasExpired, listWaitingCalls, type WaitingCall } from '../state/due-requests.js';
import { countCompleteSteps, listCalls } from '../state/flight.js';
import { countStartedSteps } from './pause.js';

/** @param now milliseconds since 1970, when it is said */
export function findRejection(state: ChainState, said: ReceivedCommand, now: number): string | null {
  const { command } = said;
  if (command.kind === 'unreadable') return command.problem;
  if (said.id !== null && state.seenCommandIds.includes(said.id)) return 'This was said before, and has been taken.';
  if (said.chainId !== null && said.chainId !== state.chainId) {
    return `This is for chain ${said.chainId}, and this one is ${state.chainId}.`;
  }
  if (state.stop !== null) {
    // It may quote what a tool threw.
    const reason = formatStop(state.stop).replace(/[^.]$/, '$&.');
    return `The chain is coming to its end as ${state.stop.outcome}: ${reason}`;
  }
  if (state.pendingCommands.length >= defaults.earlyMessages) return agentNotPreparedText;
  return findRejectionByKind(state, said, command, now);
}

const agentNotPreparedText = 'The agent is not known yet: try again in a moment.';

type ReadableCommand = Exclude<Command, { kind: 'unreadable' }>;

function findRejectionByKind(
  state: ChainState,
  said: ReceivedCommand,
  direction: ReadableCommand,
  now: number,
): string | null {
  switch (direction.kind) {
    case 'decide':
      return validateDecision(state, said, direction, now);
    case 'steer':
      return validatePermission(state, said, 'steer') ?? validateMessage(direction.text);
    case 'pause':
      return validatePermission(state, said, 'pause') ?? validatePause(state, direction);
    case 'resume':
      return (
        validatePermission(state, said, 'pause') ??
        (state.paused === null && state.agent !== null ? 'The chain is not paused: it goes on as it is.' : null)
      );
    case 'limit':
      return validatePermission(state, said, 'limit') ?? validateRaisedLimits(state, direction);
  }
}

/** @param verb what somebody wants to do */
export function validatePermission(
  { agent }: Pick<ChainState, 'agent'>,
  { by, roles }: Pick<ReceivedCommand, 'by' | 'roles'>,
  verb: keyof CommandPermissions,
): string | null {
  const wanted = agent?.permissions[verb];
  if (wanted === undefined || hasRole(roles, wanted)) return null;
  return `Only ${formatRoles(wanted)} may do this (${verb}), and ${by ?? 'whoever said it'} has ${formatRoles(roles, 'no role')}.`;
}

function validateDecision(
  state: ChainState,
  said: ReceivedCommand,
  { call: id, digest, decision }: Extract<Command, { kind: 'decide' }>,
  now: number,
): string | null {
  const call = listWaitingCalls(state).find((each) => each.id === id);
  if (call === undefined) return formatNotWaiting(state, id);
  const { request } = call;
  if (hasExpired(request, now)) {
    return `The time to decide on call ${id} has run out: it was ${formatLongDuration(request.rules.expiresMs ?? 0)}.`;
  }
  if (digest !== null && digest !== call.key) {
    return `Call ${id} is not what was decided on: its digest is ${call.key}, not ${digest}. Look at it again.`;
  }
  return (
    validateEntitlement(state, said, call, listDecidingRoles(request, now)) ??
    validateDecisionKind(call, decision) ??
    validateVote(said, call, decision) ??
    validateArgumentChange(call, decision) ??
    validateDecisionLength(call, decision)
  );
}

function formatNotWaiting(state: ChainState, id: string): string {
  const inStep = listCalls(state).some((call) => call.id === id);
  if (inStep) return `Call ${id} waits for nobody: it was decided already, its time ran out, or it needs no decision.`;
  const step = Number.parseInt(id, 10);
  if (step >= 1 && step <= countCompleteSteps(state)) return `Call ${id} waits for nobody: step ${step} is complete.`;
  return formatCallNotFound(
    id,
    listWaitingCalls(state).map((call) => call.id),
  );
}

/** @param open those that wait */
export function formatCallNotFound(id: string, open: readonly string[]): string {
  const has = open.length === 0 ? 'Nothing waits for a person now.' : `These wait: ${open.join(', ')}.`;
  return `There is no call ${id} in this chain. ${has}`;
}

/**
 * By the rules of the request, not the agent's permissions.
 *
 * @param wanted the roles that may decide it
 */
export function validateEntitlement(
  { input }: Pick<ChainState, 'input'>,
  { by, roles }: Pick<ReceivedCommand, 'by' | 'roles'>,
  { id, request }: { readonly id: string; readonly request: Pick<PersonRequest, 'rules'> },
  wanted: readonly string[],
): string | null {
  if (wanted.length > 0 && !hasRole(roles, wanted)) {
    return `Call ${id} is for ${formatRoles(wanted)} to decide, and ${by ?? 'whoever said it'} has ${formatRoles(roles, 'no role')}.`;
  }
  const named = !request.rules.byRequester || request.rules.approvers > 1;
  if (named && isNameless(by)) return `Call ${id} needs to know who decides: say by whom.`;
  const mixed = named ? findMixedWord(by ?? '') : null;
  if (mixed !== null) {
    return `The name ${by} mixes alphabets in one word (${mixed}), so nobody can tell whose it is. Write it in one alphabet.`;
  }
  if (!request.rules.byRequester && isSamePerson(by, input?.user ?? null)) {
    return `${by} asked for this chain, and may not decide on call ${id}: somebody else has to.`;
  }
  return null;
}

const allowedDecisions: { readonly [kind in PersonRequest['kind']]: readonly DecisionInput['kind'][] } = {
  approval: ['approve', 'deny', 'answer'],
  outcome: ['happened', 'not_happened', 'give_up'],
  question: ['answer', 'deny'],
};

function validateDecisionKind({ id, request }: WaitingCall, decision: DecisionInput): string | null {
  const { kind } = decision;
  if (!allowedDecisions[request.kind].includes(kind)) {
    return `Call ${id} waits for ${requestLabels[request.kind]}: say one of ${allowedDecisions[request.kind].join(', ')}.`;
  }
  return null;
}

/** One person's word counts once; that of somebody who changes the arguments counts for the new ones. */
function validateVote(
  { by }: ReceivedCommand,
  { id, request, input }: WaitingCall,
  decision: DecisionInput,
): string | null {
  if (decision.kind !== 'approve' || !request.votes.some((vote) => isSamePerson(vote.by, by) || vote.by === by))
    return null;
  if (decision.input !== undefined && toCanonicalJson(decision.input) !== toCanonicalJson(input)) return null;
  return `${by} has approved call ${id} already; ${request.rules.approvers} different people have to.`;
}

/** Policies are asked about changed arguments by whoever runs the call; a sub-chain nobody runs. */
function validateArgumentChange({ id, key, tool, children }: WaitingCall, decision: DecisionInput): string | null {
  if (decision.kind !== 'approve' || decision.input === undefined || children === undefined) return null;
  if (computeCallKey(tool, decision.input) === key) return null;
  return `The arguments of call ${id} cannot be changed, because ${tool} delegates: deny it, and say what to ask for instead.`;
}

/**
 * What is too long to be read is no answer. Observations of tools are clipped; a person can say it shorter. Arguments go
 * into the history once more with the call: a payload too large would end the chain.
 */
function validateDecisionLength({ id }: WaitingCall, decision: DecisionInput): string | null {
  switch (decision.kind) {
    case 'answer':
      return validateLength(`The answer to call ${id} has`, decision.answer, defaults.messageCharacters);
    case 'happened':
      return validateLength(`The answer to call ${id} has`, decision.observation, defaults.messageCharacters);
    case 'approve':
      return validateLength(
        `The changed arguments of call ${id} have`,
        decision.input ?? null,
        defaults.inputCharacters,
      );
    default:
      return null;
  }
}

/** @param has the beginning of the sentence */
function validateLength(has: string, said: Json, most: number): string | null {
  const { length } = toValueText(said);
  if (length <= most) return null;
  return `${has} ${length} characters, and ${most} are the most. Put what is long where a tool can read it.`;
}

/** What is waited for, as a person would say it. */
const requestLabels = {
  approval: 'approval',
  outcome: 'somebody to say whether it happened',
  question: 'an answer',
} as const satisfies { readonly [kind in PersonRequest['kind']]: string };

function validateMessage(text: string): string | null {
  if (text.trim() === '') return 'There is nothing in the message: say what the agent should know.';
  return validateLength('The message has', text, defaults.messageCharacters);
}

function validatePause(state: ChainState, { breakpoint }: Extract<Command, { kind: 'pause' }>): string | null {
  if (breakpoint === null) return state.paused === null ? null : 'The chain is paused already.';
  if (state.breakpoints.length >= defaults.breakpoints) {
    return `The chain has ${defaults.breakpoints} breakpoints, and no more are kept.`;
  }
  if ('step' in breakpoint && breakpoint.step <= countStartedSteps(state)) {
    return `Step ${breakpoint.step} has begun: set the breakpoint at step ${countStartedSteps(state) + 1} or a later one.`;
  }
  if ('costUsd' in breakpoint && state.agent?.model.price === null) {
    return `No cost is known for ${state.agent.model.name}: set a breakpoint at a step.`;
  }
  if ('tool' in breakpoint && state.agent?.tools.every(({ name }) => name !== breakpoint.tool)) {
    return `The agent has no tool named ${breakpoint.tool}. It has: ${state.agent.tools.map(({ name }) => name).join(', ')}.`;
  }
  return null;
}

function validateRaisedLimits(
  { agent, input }: ChainState,
  { limits }: Extract<Command, { kind: 'limit' }>,
): string | null {
  if (agent === null) return agentNotPreparedText;
  const wrong = validateLimits(limits);
  if (wrong !== null) return wrong;
  const given = Object.entries(limits).filter(([, value]) => value !== null);
  if (given.length === 0) return 'No limit is named: say which is to be raised.';
  for (const [name, value] of given) {
    const now = agent.limits[name as keyof Limits];
    if (now === null) return `${name} cannot be set: the model ${agent.model.name} has no price.`;
    if (now === undefined) return `${name} cannot be set: ${agent.name} does not delegate.`;
    const most = findMaxLimit(input, name);
    if (most !== null && Number(value) > most) {
      return `${name} is ${now} now and may be ${most} at most: that is this chain's share of its parent's budget.`;
    }
    if (Number(value) < now) return `${name} is ${now} now, and limits are only raised: ${value} is less.`;
  }
  return null;
}

/** The most that a sub-chain's limit may be raised to; null where nothing above sets one. */
function findMaxLimit(input: ChainState['input'], name: string): number | null {
  const share = input?.lineage?.share;
  if (share === undefined) return null;
  return { tokens: share.tokens, costUsd: share.usd, timeMs: share.timeMs, chains: share.chains }[name] ?? null;
}

function formatRoles(roles: readonly string[], none = 'nobody'): string {
  if (roles.length === 0) return none;
  return roles.length === 1 ? `the role ${roles[0]}` : `one of the roles ${roles.join(', ')}`;
}
