/** What a chain waits for people to say: who may, until when, how, and what becomes of it if nobody does. */

import { breakpointText } from '../approvals/hold.js';
import { type Ask, rolesOf } from '../model/ask.js';
import type { State } from '../model/state.js';
import { type WaitingCall, waiting } from '../state/asks-due.js';
import { decideCommands, minute } from '../state/decided-text.js';
import * as reasons from '../state/reasons.js';
import { waitedFor } from '../state/stop.js';

/** After `It waits for`. */
export function waitedForText({ id, tool, ask }: WaitingCall): string {
  return `${waitedFor[ask.kind]} call ${id} (${tool})`;
}

export function aboutPeople(state: State, now: number): readonly string[] {
  return [
    ...waiting(state).flatMap((call) => aboutRequest(call, state.chainId, now)),
    ...(state.held === null
      ? []
      : [reasons.paused(state.held.by, state.held.reason), `Go on: longhand resume ${state.chainId}`]),
    ...state.breakpoints.map(({ at }) => `A breakpoint stands ${breakpointText(at)}.`),
  ];
}

function aboutRequest({ id, ask }: WaitingCall, chainId: string, now: number): readonly string[] {
  const { rules, votes, expiresAt } = ask;
  const roles = rolesOf(ask, now);
  const who = roles.length === 0 ? 'Anybody' : `Who has the role ${roles.join(' or ')}`;
  const until =
    expiresAt === null
      ? ', and it waits for as long as it takes'
      : ` until ${minute(expiresAt)}; then ${thenText(ask)}`;
  const people = `${rules.approvers} different people have to approve it, and ${votes.length} ${votes.length === 1 ? 'has' : 'have'}.`;
  const self = rules.byRequester ? [] : ['The user for whom the chain runs may not.'];
  const commands = decideCommands(ask.kind, chainId, id, roles);
  return [
    `${who} may decide on call ${id}${until}.`,
    ...(rules.approvers === 1 ? [] : [people]),
    ...self,
    `Decide: ${commands.join(', or ')}`,
  ];
}

function thenText({ kind, rules }: Ask): string {
  if (kind === 'outcome') return 'the chain ends as failure';
  if (kind === 'question') return 'the model goes on without an answer';
  return rules.onExpiry === 'approve' ? 'it is run' : 'it is denied';
}
