/**
 * What a chain, or its sub-chains, wait for from people, as histories tell it: each request with what it is about and who may
 * decide. Sub-chains are found by their parents' histories, not by a search, which lags behind.
 */

import type { Client } from '@temporalio/client';
import type { Json } from '../../core/lib/json.js';
import { type AskKind, type Risk, rolesOf, type Vote } from '../../core/model/ask.js';
import type { State } from '../../core/model/state.js';
import { hasExpired, type WaitingCall, waiting } from '../../core/state/asks-due.js';
import { delegating } from '../../core/state/children.js';
import { isGone, mapAll } from './many-chains.js';
import { readChain } from './read-chain.js';
import { sourceOf } from './source.js';

/** A request that can still be decided. Times are milliseconds since 1970. */
export interface OpenRequest {
  /** Id of the call that waits, as `3.1`: what `approve`, `deny`, `answer` and `outcome` name. */
  readonly call: string;
  /** `approval`: may it be run? `outcome`: did it happen? `question`: what is the answer? */
  readonly kind: AskKind;
  readonly tool: string;
  /** The arguments, frozen: these are what is run, unless a person changes them. Not redacted. */
  readonly input: Json;
  /** Of tool and arguments. Deciding by it decides what was read, or nothing. */
  readonly digest: string;
  readonly risk: Risk;
  /** One sentence that says why somebody is asked. */
  readonly reason: string;
  /** Any one of them may decide, as of now; empty: anybody. */
  readonly roles: readonly string[];
  /** Whether the user for whom the chain runs may decide. */
  readonly byRequester: boolean;
  /** Different people who must approve, and who has so far. */
  readonly approvers: number;
  readonly votes: readonly Vote[];
  readonly askedAt: number;
  /** Null waits for ever. */
  readonly expiresAt: number | null;
  /** What becomes of an approval that nobody decides. */
  readonly onExpiry: 'deny' | 'approve';
  /** When these may decide as well; null once they may, and where nobody comes later. */
  readonly escalates: { readonly at: number; readonly roles: readonly string[] } | null;
}

/** In the order in which the model asked for the calls. */
export function requestsOf(state: State, now: number): readonly OpenRequest[] {
  if (state.stop !== null) return [];
  return waiting(state)
    .filter(({ ask }) => !hasExpired(ask, now))
    .map((call) => requestOf(call, now));
}

function requestOf({ id, tool, input, key, ask }: WaitingCall, now: number): OpenRequest {
  const { kind, rules, votes, askedAt, expiresAt, escalatesAt } = ask;
  const later = escalatesAt !== null && escalatesAt > now ? rules.escalation : null;
  return {
    call: id,
    kind,
    tool,
    input,
    digest: key,
    risk: rules.risk,
    reason: rules.reason,
    roles: rolesOf(ask, now),
    byRequester: rules.byRequester,
    approvers: rules.approvers,
    votes,
    askedAt,
    expiresAt,
    onExpiry: rules.onExpiry,
    escalates: later === null || escalatesAt === null ? null : { at: escalatesAt, roles: later.roles },
  };
}

export interface WaitingBelow {
  readonly chainId: string;
  readonly agent: string;
  readonly requests: readonly OpenRequest[];
}

/** The sub-chains of a chain that wait for a person, down to the last of them. Those above come first. */
export async function waitingBelow(client: Client, chainId: string): Promise<readonly WaitingBelow[]> {
  const found: WaitingBelow[] = [];
  let level = runningIn((await readChain(await sourceOf(client, chainId))).chain.state);
  while (level.length > 0) {
    const next: string[] = [];
    for (const state of await mapAll(level, (id) => stateOf(client, id))) {
      if (state === null) continue;
      const requests = requestsOf(state, Date.now());
      if (requests.length > 0) found.push({ chainId: state.chainId, agent: state.input?.agent ?? '', requests });
      next.push(...runningIn(state));
    }
    level = next;
  }
  return found;
}

export function runningIn(state: State): readonly string[] {
  return delegating(state).flatMap(({ children }) =>
    children.flatMap(({ chainId, progress }) => (progress === 'running' ? [chainId] : [])),
  );
}

/** Null where it has ended, or is not there. */
async function stateOf(client: Client, chainId: string): Promise<State | null> {
  try {
    const { chain, closed } = await readChain(await sourceOf(client, chainId, ''));
    return closed === null ? chain.state : null;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
