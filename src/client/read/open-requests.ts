/**
 * Lists the open requests of a chain or its sub-chains, from their histories. Sub-chains come from their parents'
 * histories, because a search lags behind.
 */

import type { Client } from '@temporalio/client';
import type { Json } from '../../core/lib/json.js';
import {
  computeRequestDigest,
  getSubject,
  listDecidingRoles,
  type RequestKind,
  type Risk,
  type Vote,
} from '../../core/model/request.js';
import type { ChainState } from '../../core/model/state.js';
import { listDelegatingCalls } from '../../core/state/children.js';
import { hasExpired, listWaitingCalls, type WaitingCall } from '../../core/state/due-requests.js';
import { resolveChainSource } from './chain-source.js';
import { isGone, mapAll } from './many-chains.js';
import { readChain } from './read-chain.js';

/** A request that can still be decided. Times are milliseconds since 1970. */
export interface OpenRequest {
  /** Id of the waiting call, such as `3.1`: the argument of `approve`, `deny`, `answer` and `resolveOutcome`. */
  readonly call: string;
  /** `approval`: may the call run? `outcome`: did it happen? `question`: what is the answer? */
  readonly kind: RequestKind;
  readonly tool: string;
  /**
   * The arguments that will run unless a person changes them; of a tool that asks while it runs, its question. Not masked.
   */
  readonly input: Json;
  /** Digest of tool and arguments. A decision with it applies only to this version of the call. */
  readonly digest: string;
  readonly risk: Risk;
  /** Why a person must decide, in one sentence. */
  readonly reason: string;
  /** Any of these roles may decide, as of now; empty: any person. */
  readonly roles: readonly string[];
  /** Whether the user for whom the chain runs may decide. */
  readonly byRequester: boolean;
  /** Number of different people who must approve. */
  readonly approvers: number;
  readonly votes: readonly Vote[];
  readonly askedAt: number;
  /** Null: the request never expires. */
  readonly expiresAt: number | null;
  /** Decision when the request expires. */
  readonly onExpiry: 'deny' | 'approve';
  /** When further roles may decide; null once they may, or without escalation. */
  readonly escalates: { readonly at: number; readonly roles: readonly string[] } | null;
}

/** Lists open requests in the order of the model's calls. */
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
    input: getSubject(request, input),
    digest: computeRequestDigest({ tool, key, request }),
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

/** Lists the sub-chains at any depth that wait for a person, higher levels first. */
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

/** Returns the state; null when the chain has ended or does not exist. */
async function readState(client: Client, chainId: string): Promise<ChainState | null> {
  try {
    const { chain, closed } = await readChain(await resolveChainSource(client, chainId, ''));
    return closed === null ? chain.state : null;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
