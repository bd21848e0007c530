/**
 * A request to people about one call of a chain, and the rules of its decision. A request freezes the call: its digest
 * covers the tool and the exact arguments.
 */

import { check, computeCallKey, findOwn, isObject, type Json, type JsonObject, toValueText } from '../lib/index.js';

/** `approval`: may the call run? `outcome`: did its effect happen? `question`: what is the answer? */
export type RequestKind = 'approval' | 'outcome' | 'question';

export type Risk = 'low' | 'medium' | 'high';

/** Who may decide a request, how many must approve, and what happens when it expires. */
export interface RequestRules {
  /** One sentence for the people who decide. */
  readonly reason: string;
  readonly risk: Risk;
  /** A person with any of these roles may decide; empty: anybody may. */
  readonly roles: readonly string[];
  /** Number of different people who must approve. */
  readonly approvers: number;
  /** Whether the user who started the chain may decide. */
  readonly byRequester: boolean;
  /** Milliseconds; null never expires. */
  readonly expiresMs: number | null;
  readonly onExpiry: 'deny' | 'approve';
  /** After so many milliseconds, these roles may decide as well. */
  readonly escalation: { readonly afterMs: number; readonly roles: readonly string[] } | null;
}

/** One person's approval, where several are needed. */
export interface Vote {
  readonly by: string | null;
  readonly roles: readonly string[];
  /** Whether it covers all later calls of this tool in this chain. */
  readonly always: boolean;
}

/** The question of a running tool. */
export interface ToolQuestion {
  readonly text: string;
  /** Answers to choose from. */
  readonly options?: readonly string[];
  /** JSON Schema of the answer. Absent for any text. */
  readonly schema?: JsonObject;
  /** What the call returned without the answer. Only of an unsafe call, which may have had its effect. */
  readonly result?: Json;
}

/** An answer that a call got, for its next run. */
export interface CallAnswer {
  /** Of its question; see `computeQuestionDigest`. */
  readonly digest: string;
  readonly answer: Json;
}

/** An open request. Times are milliseconds since 1970. */
export interface PersonRequest {
  readonly kind: RequestKind;
  /** Only of a question that the tool asks while it runs. The question of `ask_user` is in its arguments. */
  readonly question?: ToolQuestion;
  readonly rules: RequestRules;
  readonly requestedAt: number;
  readonly expiresAt: number | null;
  /** Null after the escalation, and where the rules have none. */
  readonly escalatesAt: number | null;
  readonly votes: readonly Vote[];
}

/** The end of a request, by a person or by time. */
export interface Decision {
  readonly kind:
    | 'approved'
    | 'denied'
    | 'answered'
    /** Of an outcome: it happened, with this observation; it did not, run it again; unknown for good. */
    | 'happened'
    | 'not_happened'
    | 'given_up'
    | 'expired';
  readonly by: string | null;
  readonly roles: readonly string[];
  readonly reason: string | null;
  readonly at: number;
  /** The approved arguments, where the person changed them. */
  readonly input?: Json;
  /** Only of a question that the tool asked while it ran. That of `ask_user` is the result of the call. */
  readonly answer?: Json;
  readonly always?: true;
  /** One of several approvals: others are still needed. */
  readonly partly?: true;
}

/** A request as readers see it, with all its decisions. */
export interface CallRequest extends Pick<PersonRequest, 'kind' | 'question' | 'rules' | 'requestedAt' | 'expiresAt'> {
  /** Digest of tool and arguments, or of tool and question, when the request was made. */
  readonly digest: string;
  /** In order of arrival; the last one decided the request unless it is `partly`. */
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

export function createQuestionRequest(question: ToolQuestion, rules: RequestRules, at: number): PersonRequest {
  return { ...createPersonRequest('question', rules, at), question };
}

/** Returns what a person decides about: the question of a running tool, as arguments of `ask_user`, or the arguments of the call. */
export function getSubject({ question }: Pick<PersonRequest, 'question'>, input: Json): Json {
  if (question === undefined) return input;
  const { text, ...rest } = question;
  return { question: text, ...rest };
}

/** Returns the digest that a decision names, so that it is about what its sender read. */
export function computeRequestDigest({
  tool,
  key,
  request,
}: {
  readonly tool: string;
  readonly key: string;
  readonly request: Pick<PersonRequest, 'question'>;
}): string {
  return request.question === undefined ? key : computeQuestionDigest(tool, request.question);
}

/** By its text, its options and its schema: a result beside it may be another one in each run. */
export function computeQuestionDigest(tool: string, { result: _, ...question }: ToolQuestion): string {
  return computeCallKey(tool, { ...question });
}

export const isToolQuestion = check.shape<Omit<ToolQuestion, 'result'>>({
  text: check.text,
  options: check.optional(check.texts),
  schema: check.optional(check.object),
}).is;

/** Returns the approvals that count: those since the last change of the arguments. */
export function listApprovals(decisions: readonly Decision[]): readonly Decision[] {
  const changed = decisions.findLastIndex(({ input }) => input !== undefined);
  return decisions.slice(Math.max(0, changed)).filter(({ kind }) => kind === 'approved');
}

/** Returns the decision that ended a request; null while it is open or only partly approved. */
export function findDecision(decisions: readonly Decision[]): Decision | null {
  const last = decisions.at(-1);
  return last === undefined || last.partly ? null : last;
}

/** Returns the milliseconds in which a call only waited for people. */
export function computeWaitingMs(call: {
  readonly requests?: readonly CallRequest[];
  readonly endedAt: number | null;
}): number {
  const { requests = [], endedAt } = call;
  return requests.reduce((sum, { requestedAt, decisions }) => {
    const until = findDecision(decisions)?.at ?? endedAt ?? requestedAt;
    return sum + until - requestedAt;
  }, 0);
}

/** Returns when a request next expires or escalates by time; null for never. */
export function findDueTime({ expiresAt, escalatesAt }: PersonRequest): number | null {
  const times = [expiresAt, escalatesAt].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** Returns the roles that may decide at a time. Escalation adds roles and removes none. */
export function listDecidingRoles(
  { rules, escalatesAt }: Pick<PersonRequest, 'rules' | 'escalatesAt'>,
  now: number,
): readonly string[] {
  const { roles, escalation } = rules;
  const escalated = escalation !== null && (escalatesAt === null || escalatesAt <= now);
  return escalated && roles.length > 0 ? [...roles, ...escalation.roles] : roles;
}

/** Returns the text of a question, or null for arguments without one. */
export function findQuestion(input: Json): string | null {
  return isObject(input) && typeof input.question === 'string' ? input.question : null;
}

/** A question as people read it. */
export interface QuestionTexts {
  readonly text: string;
  /** The answers to choose from; without any, what the answer must contain. */
  readonly options: readonly string[];
  /** What an unsafe call returned without the answer; null for none. */
  readonly unanswered: string | null;
}

export function formatQuestion(input: Json): QuestionTexts {
  const choices = listChoices(input);
  const result = isObject(input) ? findOwn(input, 'result') : undefined;
  return {
    text: findQuestion(input) ?? toValueText(input),
    options: choices.length > 0 ? choices : listAnswerFields(input),
    unanswered: result === undefined ? null : `Without the answer, the call returned: ${toValueText(result)}`,
  };
}

/** Returns the answers that the model proposes to a question. */
export function listChoices(input: Json): readonly string[] {
  if (!isObject(input) || !Array.isArray(input.options)) return [];
  return input.options.filter((option: Json) => typeof option === 'string') as string[];
}

/** Lists what the answer to a question must contain: `seat: aisle or window`, `age: number, optional`. Empty for any text. */
function listAnswerFields(input: Json): readonly string[] {
  const schema = isObject(input) && isObject(input.schema) ? input.schema : {};
  const { type, properties, required } = schema;
  if (type !== 'object' || !isObject(properties)) {
    const expected = describeValue(schema);
    return expected === null ? [] : [expected];
  }
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, member]) => {
    const parts = [describeValue(member) ?? 'any value', ...(needed.includes(name) ? [] : ['optional'])];
    const about = isObject(member) && typeof member.description === 'string' ? ` (${member.description})` : '';
    return `${name}: ${parts.join(', ')}${about}`;
  });
}

function describeValue(schema: Json): string | null {
  if (!isObject(schema)) return null;
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => String(value)).join(' or ');
  switch (schema.type) {
    case 'string':
      return typeof schema.format === 'string' ? `text (${schema.format})` : 'text';
    case 'boolean':
      return 'yes or no';
    case 'integer':
      return 'whole number';
    default:
      return typeof schema.type === 'string' ? schema.type : null;
  }
}
