/**
 * Validates what activities return, before it becomes a fact. Anyone with the server's credentials can complete an activity
 * with any value. L1: the workflow and its readers call the same pure functions, so they reject the same values.
 *
 * Members that are not read are not checked: a newer worker may add some. A name is returned where the type is wrong, so
 * that a person can find the fault; null where the value is as expected.
 */

import { isModelFailureKind } from '../core/engine/provider-failure.js';
import { isObject, isTooDeep, type Json } from '../core/lib/json.js';
import { defaults } from '../core/model/defaults.js';
import { isReservation, isUsage } from '../core/model/usage.js';

// Taken once: inside a workflow each look at a global goes through the sandbox.
const { isArray } = Array;
const { isFinite: isFiniteNumber } = Number;

/** What is wrong with a value, or null. */
type Fault = string | null;
type Guard = (value: unknown) => boolean;

export function faultInPrepared(value: unknown): Fault {
  if (isTooDeep(value)) return tooDeep;
  if (!isObject(value)) return expected('an agent');
  if (!('origin' in value)) return faultInAgent(value);
  return faultInAgent(value.agent) ?? (isObject(value.origin) ? null : expected('an origin'));
}

export function faultInModelCall(value: unknown): Fault {
  if (isTooDeep(value)) return tooDeep;
  if (!isObject(value)) return expected('a reply or a failure');
  if (value.status !== 'begun') return faultInCalled(value);
  const agent = faultInAgent(value.agent);
  if (agent !== null || value.first === null) return agent;
  if (!isObject(value.first) || !isReservation(value.first.reservation)) return expected('a reservation in "first"');
  return faultInCalled(value.first.came);
}

export function faultInObservation(value: unknown): Fault {
  if (isTooDeep(value)) return tooDeep;
  if (!isObject(value) || value.content === undefined) return expected('an observation with "content"');
  return faultOf(value, {
    clippedFrom: orNull(isAmount),
    whole: optional(isStored),
    artifacts: optional(listOf((each) => isStored(each) && isText(each.artifact) && isText(each.mediaType))),
    cached: optional((cached) => isObject(cached) && isAmount(cached.ageMs)),
  });
}

function faultInCalled(value: unknown): Fault {
  if (!isObject(value)) return expected('a reply or a failure');
  switch (value.status) {
    case 'replied':
      return faultInReply(value.reply);
    case 'failed':
      return faultOf(value.failure, {
        kind: isModelFailureKind,
        message: isText,
        status: orNull(isNumber),
        retryAfterMs: orNull(isAmount),
        settle: isOneOf('nothing', 'usage', 'reservation'),
        usage: orNull(isUsage),
      });
    default:
      return expected('"status" to be "replied", "failed" or "begun"');
  }
}

function faultInReply(value: unknown): Fault {
  const wrong = faultOf(value, {
    model: isText,
    stopReason: isText,
    usage: orNull(isUsage),
    usageProblem: optional(isText),
    reading: isObject,
    check: orNull((check) => isObject(check) && isText(check.reason) && check.answer !== undefined),
    approvals: orNull(listOf(orNull(isAskRules))),
    reusedPlan: optional(isArray),
  });
  if (wrong !== null || !isObject(value)) return wrong;
  return faultOf(value.reading, {
    thought: isQuoted,
    calls: (calls) => listOf(isCall)(calls) && (calls as readonly unknown[]).length <= defaults.callsPerReply,
    answer: isQuoted,
    problem: orNull(isText),
    scratchpad: isQuoted,
    content: listOf(isBlock),
  });
}

function faultInAgent(value: unknown): Fault {
  return faultOf(value, {
    name: isText,
    instructions: isText,
    model: isModel,
    strategy: (strategy) => isObject(strategy) && isOneOf('react', 'tools', 'autonomous', 'plan')(strategy.name),
    tools: listOf(isTool),
    limits: isLimits,
    successPhrases: listOf(isText),
    failurePhrases: listOf(isText),
    maxObservationTokens: isAmount,
    promptBytes: isAmount,
    permissions: isObject,
    tenants: orNull(listOf(isText)),
    waitingCounts: isFlag,
    continueAfter: optional(isObject),
    digest: isText,
  });
}

function isModel(value: unknown): boolean {
  return fits(value, {
    name: isText,
    price: orNull((price) =>
      fits(price, { input: isAmount, output: isAmount, cacheRead: isAmount, cacheWrite: isAmount }),
    ),
    maxTokens: isAmount,
    stopSequences: listOf(isText),
    timeoutMs: isAmount,
    heartbeatMs: isAmount,
  });
}

function isTool(value: unknown): boolean {
  return fits(value, {
    // Temporal takes it for an activity's type.
    name: (name) => isText(name) && /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name),
    description: isText,
    inputSchema: isObject,
    effects: isOneOf('read', 'idempotent', 'unsafe'),
    timeoutMs: isAmount,
    heartbeatMs: isAmount,
    attempts: isAmount,
    backoffMs: isAmount,
    view: isObject,
    audit: orNull(isText),
    question: orNull(isAskRules),
    delegates: orNull((delegates) => isObject(delegates) && isText(delegates.agent) && isObject(delegates.spread)),
  });
}

function isLimits(value: unknown): boolean {
  return fits(value, {
    steps: isAmount,
    tokens: isAmount,
    costUsd: orNull(isAmount),
    timeMs: isAmount,
    stallThreshold: isAmount,
    depth: optional(isAmount),
    chains: optional(isAmount),
  });
}

function isAskRules(value: unknown): boolean {
  return fits(value, {
    reason: isText,
    risk: isText,
    roles: listOf(isText),
    approvers: isAmount,
    expiresMs: orNull(isAmount),
    onExpiry: isOneOf('deny', 'approve'),
    escalation: orNull((each) => isObject(each) && isAmount(each.afterMs) && listOf(isText)(each.roles)),
  });
}

function isBlock(value: unknown): boolean {
  if (!isObject(value)) return false;
  switch (value.type) {
    case 'text':
      return isText(value.text);
    case 'thinking':
      return isText(value.thinking) && isText(value.signature);
    case 'redacted_thinking':
      return isText(value.data);
    case 'tool_use':
      return isText(value.id) && isText(value.name) && value.input !== undefined;
    default:
      return false;
  }
}

function isCall(value: unknown): boolean {
  if (!isObject(value) || !orNull(isText)(value.rejected)) return false;
  if ('use' in value) return isNumber(value.use);
  return orNull(isText)(value.useId) && isText(value.tool) && isQuoted(value.input);
}

/** What is not a quote may be any value. */
function isQuoted(value: unknown): boolean {
  if (!isObject(value) || 'verbatim' in value || !('said' in value)) return value !== undefined;
  const place = value.said;
  if (!isObject(place)) return false;
  if ('input' in place) {
    return isArray(place.input) && isNumber(place.input[0]) && optional(isText)(place.input[1]);
  }
  const span: Json | undefined = 'text' in place ? place.text : place.json;
  return isArray(span) && span.length === 3 && span.every(isNumber);
}

function isStored(value: unknown): value is { readonly [member: string]: Json } {
  return isObject(value) && isText(value.digest) && isAmount(value.bytes);
}

function faultOf(value: unknown, guards: { readonly [member: string]: Guard }): Fault {
  if (!isObject(value)) return expected('an object');
  for (const member in guards) if (!guards[member]!(value[member])) return `"${member}" is missing or invalid`;
  return null;
}

function fits(value: unknown, guards: { readonly [member: string]: Guard }): boolean {
  return faultOf(value, guards) === null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && isFiniteNumber(value);
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && isFiniteNumber(value) && value >= 0;
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isOneOf(...values: readonly string[]): Guard {
  return (value) => values.some((each) => each === value);
}

function orNull(guard: Guard): Guard {
  return (value) => value === null || guard(value);
}

function optional(guard: Guard): Guard {
  return (value) => value === undefined || guard(value);
}

function listOf(guard: Guard): Guard {
  return (value) => isArray(value) && value.every(guard);
}

function expected(what: string): string {
  return `expected ${what}`;
}

const tooDeep = 'it is nested more than 200 levels deep';
