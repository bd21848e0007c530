/**
 * Why something a person says to a chain is not taken: one sentence for them, or null when it is. Asked before an update
 * is accepted, and once more when the fact comes, which may have been sent as a signal.
 */

import { callKey } from '../lib/digest.js';
import { longDuration } from '../lib/display.js';
import { asText, canonical, type Json } from '../lib/json.js';
import { type Ask, rolesOf } from '../model/ask.js';
import { defaults } from '../model/defaults.js';
import type { Decision, Directed, Direction, Permissions } from '../model/direction.js';
import { hasRole, isNameless, isSamePerson, mixedWord } from '../model/identity.js';
import { type Limits, problemWithLimits } from '../model/limits.js';
import type { State } from '../model/state.js';
import { reasonOf } from '../model/stop-reason.js';
import { hasExpired, type WaitingCall, waiting } from '../state/asks-due.js';
import { callsIn, completeSteps } from '../state/flight.js';
import { stepsBegun } from './hold.js';

/** @param now milliseconds since 1970, when it is said */
export function refusalOf(state: State, said: Directed, now: number): string | null {
  const { direction } = said;
  if (direction.kind === 'unreadable') return direction.problem;
  if (said.id !== null && state.heard.includes(said.id)) return 'This was said before, and has been taken.';
  if (said.chainId !== null && said.chainId !== state.chainId) {
    return `This is for chain ${said.chainId}, and this one is ${state.chainId}.`;
  }
  if (state.stop !== null) {
    // It may quote what a tool threw.
    const reason = reasonOf(state.stop).replace(/[^.]$/, '$&.');
    return `The chain is coming to its end as ${state.stop.outcome}: ${reason}`;
  }
  if (state.early.length >= defaults.earlyMessages) return notYet;
  return refusalOfKind(state, said, direction, now);
}

const notYet = 'The agent is not known yet: try again in a moment.';

type Readable = Exclude<Direction, { kind: 'unreadable' }>;

function refusalOfKind(state: State, said: Directed, direction: Readable, now: number): string | null {
  switch (direction.kind) {
    case 'decide':
      return refusalOfDecision(state, said, direction, now);
    case 'steer':
      return notPermitted(state, said, 'steer') ?? refusalOfText(direction.text);
    case 'pause':
      return notPermitted(state, said, 'pause') ?? refusalOfPause(state, direction);
    case 'resume':
      return (
        notPermitted(state, said, 'pause') ??
        (state.held === null && state.agent !== null ? 'The chain is not paused: it goes on as it is.' : null)
      );
    case 'limit':
      return notPermitted(state, said, 'limit') ?? refusalOfLimits(state, direction);
  }
}

/** @param verb what somebody wants to do */
export function notPermitted(
  { agent }: Pick<State, 'agent'>,
  { by, roles }: Pick<Directed, 'by' | 'roles'>,
  verb: keyof Permissions,
): string | null {
  const wanted = agent?.permissions[verb];
  if (wanted === undefined || hasRole(roles, wanted)) return null;
  return `Only ${listed(wanted)} may do this (${verb}), and ${by ?? 'whoever said it'} has ${listed(roles, 'no role')}.`;
}

function refusalOfDecision(
  state: State,
  said: Directed,
  { call: id, digest, decision }: Extract<Direction, { kind: 'decide' }>,
  now: number,
): string | null {
  const call = waiting(state).find((each) => each.id === id);
  if (call === undefined) return notWaiting(state, id);
  const { ask } = call;
  if (hasExpired(ask, now)) {
    return `The time to decide on call ${id} has run out: it was ${longDuration(ask.rules.expiresMs ?? 0)}.`;
  }
  if (digest !== null && digest !== call.key) {
    return `Call ${id} is not what was decided on: its digest is ${call.key}, not ${digest}. Look at it again.`;
  }
  return (
    notEntitled(state, said, call, rolesOf(ask, now)) ??
    refusalOfWord(call, decision) ??
    refusalOfVote(said, call, decision) ??
    refusalOfChange(call, decision) ??
    refusalOfLength(call, decision)
  );
}

function notWaiting(state: State, id: string): string {
  const inStep = callsIn(state).some((call) => call.id === id);
  if (inStep) return `Call ${id} waits for nobody: it was decided already, its time ran out, or it needs no decision.`;
  const step = Number.parseInt(id, 10);
  if (step >= 1 && step <= completeSteps(state)) return `Call ${id} waits for nobody: step ${step} is complete.`;
  return noSuchCall(
    id,
    waiting(state).map((call) => call.id),
  );
}

/** @param open those that wait */
export function noSuchCall(id: string, open: readonly string[]): string {
  const has = open.length === 0 ? 'Nothing waits for a person now.' : `These wait: ${open.join(', ')}.`;
  return `There is no call ${id} in this chain. ${has}`;
}

/**
 * By the rules of the request, not the agent's permissions.
 *
 * @param wanted the roles that may decide it
 */
export function notEntitled(
  { input }: Pick<State, 'input'>,
  { by, roles }: Pick<Directed, 'by' | 'roles'>,
  { id, ask }: { readonly id: string; readonly ask: Pick<Ask, 'rules'> },
  wanted: readonly string[],
): string | null {
  if (wanted.length > 0 && !hasRole(roles, wanted)) {
    return `Call ${id} is for ${listed(wanted)} to decide, and ${by ?? 'whoever said it'} has ${listed(roles, 'no role')}.`;
  }
  const named = !ask.rules.byRequester || ask.rules.approvers > 1;
  if (named && isNameless(by)) return `Call ${id} needs to know who decides: say by whom.`;
  const mixed = named ? mixedWord(by ?? '') : null;
  if (mixed !== null) {
    return `The name ${by} mixes alphabets in one word (${mixed}), so nobody can tell whose it is. Write it in one alphabet.`;
  }
  if (!ask.rules.byRequester && isSamePerson(by, input?.user ?? null)) {
    return `${by} asked for this chain, and may not decide on call ${id}: somebody else has to.`;
  }
  return null;
}

const words: { readonly [kind in Ask['kind']]: readonly Decision['what'][] } = {
  approval: ['approve', 'deny', 'answer'],
  outcome: ['happened', 'not_happened', 'give_up'],
  question: ['answer', 'deny'],
};

function refusalOfWord({ id, ask }: WaitingCall, decision: Decision): string | null {
  const { what } = decision;
  if (!words[ask.kind].includes(what)) {
    return `Call ${id} waits for ${asked[ask.kind]}: say one of ${words[ask.kind].join(', ')}.`;
  }
  return null;
}

/** One person's word counts once; that of somebody who changes the arguments counts for the new ones. */
function refusalOfVote({ by }: Directed, { id, ask, input }: WaitingCall, decision: Decision): string | null {
  if (decision.what !== 'approve' || !ask.votes.some((vote) => isSamePerson(vote.by, by) || vote.by === by))
    return null;
  if (decision.input !== undefined && canonical(decision.input) !== canonical(input)) return null;
  return `${by} has approved call ${id} already; ${ask.rules.approvers} different people have to.`;
}

/** Policies are asked about changed arguments by whoever runs the call; a sub-chain nobody runs. */
function refusalOfChange({ id, key, tool, children }: WaitingCall, decision: Decision): string | null {
  if (decision.what !== 'approve' || decision.input === undefined || children === undefined) return null;
  if (callKey(tool, decision.input) === key) return null;
  return `The arguments of call ${id} cannot be changed, because ${tool} delegates: deny it, and say what to ask for instead.`;
}

/**
 * What is too long to be read is no answer. Observations of tools are clipped; a person can say it shorter. Arguments go
 * into the history once more with the call: a payload too large would end the chain.
 */
function refusalOfLength({ id }: WaitingCall, decision: Decision): string | null {
  switch (decision.what) {
    case 'answer':
      return tooLong(`The answer to call ${id} has`, decision.answer, defaults.messageCharacters);
    case 'happened':
      return tooLong(`The answer to call ${id} has`, decision.observation, defaults.messageCharacters);
    case 'approve':
      return tooLong(`The changed arguments of call ${id} have`, decision.input ?? null, defaults.inputCharacters);
    default:
      return null;
  }
}

/** @param has the beginning of the sentence */
function tooLong(has: string, said: Json, most: number): string | null {
  const { length } = asText(said);
  if (length <= most) return null;
  return `${has} ${length} characters, and ${most} are the most. Put what is long where a tool can read it.`;
}

/** What is waited for, as a person would say it. */
const asked = {
  approval: 'approval',
  outcome: 'somebody to say whether it happened',
  question: 'an answer',
} as const satisfies { readonly [kind in Ask['kind']]: string };

function refusalOfText(text: string): string | null {
  if (text.trim() === '') return 'There is nothing in the message: say what the agent should know.';
  return tooLong('The message has', text, defaults.messageCharacters);
}

function refusalOfPause(state: State, { at }: Extract<Direction, { kind: 'pause' }>): string | null {
  if (at === null) return state.held === null ? null : 'The chain is paused already.';
  if (state.breakpoints.length >= defaults.breakpoints) {
    return `The chain has ${defaults.breakpoints} breakpoints, and no more are kept.`;
  }
  if ('step' in at && at.step <= stepsBegun(state)) {
    return `Step ${at.step} has begun: set the breakpoint at step ${stepsBegun(state) + 1} or a later one.`;
  }
  if ('costUsd' in at && state.agent?.model.price === null) {
    return `No cost is known for ${state.agent.model.name}: set a breakpoint at a step.`;
  }
  if ('tool' in at && state.agent?.tools.every(({ name }) => name !== at.tool)) {
    return `The agent has no tool named ${at.tool}. It has: ${state.agent.tools.map(({ name }) => name).join(', ')}.`;
  }
  return null;
}

function refusalOfLimits({ agent, input }: State, { limits }: Extract<Direction, { kind: 'limit' }>): string | null {
  if (agent === null) return notYet;
  const wrong = problemWithLimits(limits);
  if (wrong !== null) return wrong;
  const given = Object.entries(limits).filter(([, value]) => value !== null);
  if (given.length === 0) return 'No limit is named: say which is to be raised.';
  for (const [name, value] of given) {
    const now = agent.limits[name as keyof Limits];
    if (now === null) return `${name} cannot be set: the model ${agent.model.name} has no price.`;
    if (now === undefined) return `${name} cannot be set: ${agent.name} does not delegate.`;
    const most = mostOf(input, name);
    if (most !== null && Number(value) > most) {
      return `${name} is ${now} now and may be ${most} at most: that is this chain's share of its parent's budget.`;
    }
    if (Number(value) < now) return `${name} is ${now} now, and limits are only raised: ${value} is less.`;
  }
  return null;
}

/** The most that a sub-chain's limit may be raised to; null where nothing above sets one. */
function mostOf(input: State['input'], name: string): number | null {
  const share = input?.lineage?.share;
  if (share === undefined) return null;
  return { tokens: share.tokens, costUsd: share.usd, timeMs: share.timeMs, chains: share.chains }[name] ?? null;
}

function listed(roles: readonly string[], none = 'nobody'): string {
  if (roles.length === 0) return none;
  return roles.length === 1 ? `the role ${roles[0]}` : `one of the roles ${roles.join(', ')}`;
}
