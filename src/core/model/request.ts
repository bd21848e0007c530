/**
 * A request to a person about one call of a chain, and the rules by which it may be decided. A request freezes the call: its
 * digest is that of the tool and the exact arguments.
 */

import { isObject, type Json } from '../lib/json.js';

/** `approval`: may it be run? `outcome`: did it happen? `question`: what is the answer? */
export type RequestKind = 'approval' | 'outcome' | 'question';

export type Risk = 'low' | 'medium' | 'high';

/** Who decides, how many of them, and what becomes of it when nobody does. */
export interface RequestRules {
  /** One sentence for the person who is asked. */
  readonly reason: string;
  readonly risk: Risk;
  /** Any one of them is enough; empty: anybody may decide. */
  readonly roles: readonly string[];
  /** Different people who must approve. */
  readonly approvers: number;
  /** Whether the user for whom the chain runs may decide. */
  readonly byRequester: boolean;
  /** Milliseconds; null waits for ever. */
  readonly expiresMs: number | null;
  readonly onExpiry: 'deny' | 'approve';
  /** After so many milliseconds these roles may decide as well. */
  readonly escalation: { readonly afterMs: number; readonly roles: readonly string[] } | null;
}

/** One of several people who must approve. */
export interface Vote {
  readonly by: string | null;
  readonly roles: readonly string[];
  /** For all calls of this tool in this chain. */
  readonly always: boolean;
}

/** A request that is open. Times are milliseconds since 1970. */
export interface PersonRequest {
  readonly kind: RequestKind;
  readonly rules: RequestRules;
  readonly requestedAt: number;
  readonly expiresAt: number | null;
  /** Null once it has happened, and where there is nobody to escalate to. */
  readonly escalatesAt: number | null;
  readonly votes: readonly Vote[];
}

/** What somebody said of a request, or what time did. */
export interface Decision {
  readonly kind:
    | 'approved'
    | 'denied'
    | 'answered'
    /** Of an outcome: it did, and this came of it; it did not, run it again; nobody can tell. */
    | 'happened'
    | 'not_happened'
    | 'given_up'
    | 'expired';
  readonly by: string | null;
  readonly roles: readonly string[];
  readonly reason: string | null;
  readonly at: number;
  /** The arguments that it was approved with, where the person changed them. */
  readonly input?: Json;
  readonly always?: true;
  /** One of several: the others are still waited for. */
  readonly partly?: true;
}

/** A request as readers see it, with all that was said of it. */
export interface CallRequest extends Pick<PersonRequest, 'kind' | 'rules' | 'requestedAt' | 'expiresAt'> {
  /** Digest of tool and arguments, as they were when it was asked. */
  readonly digest: string;
  /** In the order in which they came; the last one decided, unless it is `partly`. */
  readonly decisions: readonly Decision[];
}

export function createPersonRequest(kind: RequestKind, rules: RequestRules, at: number): PersonRequest {
  return {
    kind,
    rules,
    requestedAt: at,
    expiresAt: rules.expiresMs === null ? null : at + rules.expiresMs,
    escalatesAt: rules.escalation === null ? null : at + rules.escalation.afterMs,
    votes: [],
  };
}

/** The approvals that count: what was approved before somebody changed the arguments was something else. */
export function listApprovals(decisions: readonly Decision[]): readonly Decision[] {
  const changed = decisions.findLastIndex(({ input }) => input !== undefined);
  return decisions.slice(Math.max(0, changed)).filter(({ kind }) => kind === 'approved');
}

/** What decided a request; null while others are waited for, and where nobody came. */
export function findDecision(decisions: readonly Decision[]): Decision | null {
  const last = decisions.at(-1);
  return last === undefined || last.partly ? null : last;
}

/** When something becomes of it by itself; null when never. */
export function findDueTime({ expiresAt, escalatesAt }: PersonRequest): number | null {
  const times = [expiresAt, escalatesAt].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** Who may decide at a time. Escalation adds people and takes nobody's word away. */
export function listDecidingRoles(
  { rules, escalatesAt }: Pick<PersonRequest, 'rules' | 'escalatesAt'>,
  now: number,
): readonly string[] {
  const { roles, escalation } = rules;
  const escalated = escalation !== null && (escalatesAt === null || escalatesAt <= now);
  return escalated && roles.length > 0 ? [...roles, ...escalation.roles] : roles;
}

/** In its words, or null where there are none. */
export function findQuestion(input: Json): string | null {
  return isObject(input) && typeof input.question === 'string' ? input.question : null;
}

/** Answers that the model proposes. */
export function listChoices(input: Json): readonly string[] {
  if (!isObject(input) || !Array.isArray(input.options)) return [];
  return input.options.filter((option: Json) => typeof option === 'string') as string[];
}
