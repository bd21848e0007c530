/**
 * What a chain, or its sub-chains, wait for from people, as histories tell it: each request with what it is about and who may
 * decide. Sub-chains are found by their parents' histories, not by a search, which lags behind.
 */

import type { Client } from '@temporalio/client';
import type { Json } from '../../core/lib/json.js';
import { listDecidingRoles, type RequestKind, type Risk, type Vote } from '../../core/model/request.js';
import type { ChainState } from '../../core/model/state.js';
import { listDelegatingCalls } from '../../core/state/children.js';
import { hasExpired, listWaitingCalls, type WaitingCall } from '../../core/state/due-requests.js';
import { resolveChainSource } from './chain-source.js';
import { isGone, mapAll } from './many-chains.js';
import { readChain } from './read-chain.js';

/** A request that can still be decided. Times are milliseconds since 1970. */
export interface OpenRequest {
  /** Id of the call that waits, as `3.1`: what `approve`, `deny`, `answer` and `outcome` name. */
  readonly call: string;
  /** `approval`: may it be run? `outcome`: did it happen? `question`: what is the answer? */
  readonly kind: RequestKind;
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
export function listOpenRequests(state: ChainState, now: number): readonly OpenRequest[] {
  if (state.stop !== null) return [];
  return listWaitingCalls(state)
    .filter(({ request }) => !hasExpired(request, now))
    .map((call) => toOpenRequest(call, now));
}

function toOpenRequest({ id, tool, input, key, request }: WaitingCall, now: number): OpenRequest {
  const { kind, rules, votes, requestedAt, expiresAt, escalatesAt } = request;
  const later = escalatesAt !== null && escalatesAt > now ? rules.escalation : null;
  return {
    call: id,
    kind,
    tool,
    input,
    digest: key,
    risk: rules.risk,
    reason: rules.reason,
    roles: listDecidingRoles(request, now),
    byRequester: rules.byRequester,
    approvers: rules.approvers,
    votes,
    askedAt: requestedAt,
    expiresAt,
    onExpiry: rules.onExpiry,
    escalates: later === null || escalatesAt === null ? null : { at: escalatesAt, roles: later.roles },
  };
}

export interface SubChainRequests {
  readonly chainId: string;
  readonly agent: string;
  readonly requests: readonly OpenRequest[];
}

/** The sub-chains of a chain that wait for a person, down to the last of them. Those above come first. */
export async function listSubChainRequests(client: Client, chainId: string): Promise<readonly SubChainRequests[]> {
  const found: SubChainRequests[] = [];
  let level = listRunningSubChainIds((await readChain(await resolveChainSource(client, chainId))).chain.state);
  while (level.length > 0) {
    const next: string[] = [];
    for (const state of await mapAll(level, (id) => readState(client, id))) {
      if (state === null) continue;
      const requests = listOpenRequests(state, Date.now());
      if (requests.length > 0) found.push({ chainId: state.chainId, agent: state.input?.agent ?? '', requests });
      next.push(...listRunningSubChainIds(state));
    }
    level = next;
  }
  return found;
}

export function listRunningSubChainIds(state: ChainState): readonly string[] {
  return listDelegatingCalls(state).flatMap(({ children }) =>
    children.flatMap(({ chainId, progress }) => (progress === 'running' ? [chainId] : [])),
  );
}

/** Null where it has ended, or is not there. */
async function readState(client: Client, chainId: string): Promise<ChainState | null> {
  try {
    const { chain, closed } = await readChain(await resolveChainSource(client, chainId, ''));
    return closed === null ? chain.state : null;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
