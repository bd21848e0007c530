/** The open requests of a chain: what a person can still decide. */

import type { Json } from '../../lib/index.js';
import {
  type ChainState,
  computeRequestDigest,
  getSubject,
  listDecidingRoles,
  type RequestKind,
  type Risk,
  type Vote,
} from '../../model/index.js';
import { hasExpired, listWaitingCalls, type WaitingCall } from './due-requests.js';

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
