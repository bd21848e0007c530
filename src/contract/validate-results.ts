/**
 * Validates what activities return, before it becomes a fact. Anyone with the server's credentials can complete an activity
 * with any value. L1: the workflow and its readers call the same pure functions, so they reject the same values.
 *
 * Members that are not read are not checked: a newer worker may add some. A name is returned where the type is wrong, so
 * that a person can find the fault; null where the value is as expected.
 */

import { isModelFailureKind } from '../core/engine/failure-rules.js';
import { isAmount, isText } from '../core/lib/check-value.js';
import { isObject, isTooDeep, type Json } from '../core/lib/json.js';
import { isModelUse } from '../core/model/call-cost.js';
import { isDataClassList } from '../core/model/data-class.js';
import { defaults } from '../core/model/defaults.js';
import { isFileList, isStoredFile } from '../core/model/file.js';
import { isCallRoute } from '../core/model/routing.js';
import { maxSummaryLength } from '../core/model/stored-content.js';
import { isToolRun } from '../core/model/tool-run.js';
import { isReservation, isUsage } from '../core/model/usage.js';

// Read once: inside a workflow each access to a global passes the sandbox.
const { isArray } = Array;
const { isFinite: isFiniteNumber } = Number;

/** The problem of a value, or null. */
type ResultProblem = string | null;
type Guard = (value: unknown) => boolean;

export function validatePrepareResult(value: unknown): ResultProblem {
  if (isTooDeep(value)) return tooDeep;
  if (!isObject(value)) return describeExpected('an agent');
  if (!('agent' in value)) return validateSnapshot(value);
  return (
    validateSnapshot(value.agent) ??
    validateMembers(value, {
      origin: allowMissing(isObject),
      searchAttributes: allowMissing(isOneOf('registered')),
    })
  );
}

export function validateModelCallResult(value: unknown): ResultProblem {
  if (isTooDeep(value)) return tooDeep;
  if (!isObject(value)) return describeExpected('a reply or a failure');
  if (value.status !== 'prepared') return validateAttemptResult(value);
  const agent = validateSnapshot(value.agent);
  if (agent !== null || value.first === null) return agent;
  if (!isObject(value.first) || !isReservation(value.first.reservation))
    return describeExpected('a reservation in "first"');
  return validateAttemptResult(value.first.result);
}

export function validateObservation(value: unknown): ResultProblem {
  if (isTooDeep(value)) return tooDeep;
  if (!isObject(value) || value.content === undefined) return describeExpected('an observation with "content"');
  return validateMembers(value, {
    clippedFrom: allowNull(isAmount),
    fullObservation: allowMissing(isStored),
    files: allowMissing(isFileList),
    artifacts: allowMissing(isListOf(isStoredFile)),
    cached: allowMissing((cached) => isObject(cached) && isAmount(cached.ageMs)),
    visibility: allowMissing(isStepVisibility),
    uses: allowMissing(isListOf(isModelUse)),
  });
}

function isStepVisibility(value: unknown): boolean {
  return hasMembers(value, {
    level: isOneOf('summary', 'hidden'),
    summary: allowNull((line) => isText(line) && (line as string).length <= maxSummaryLength),
  });
}

function validateAttemptResult(value: unknown): ResultProblem {
  if (!isObject(value)) return describeExpected('a reply or a failure');
  switch (value.status) {
    case 'replied':
      return validateReply(value.reply);
    case 'checked':
      return isCheckResult(value.check) ? null : describeExpected('the result of a check');
    case 'failed':
      return validateMembers(value.failure, {
        kind: isModelFailureKind,
        message: isText,
        status: allowNull(isNumber),
        retryAfterMs: allowNull(isAmount),
        settle: isOneOf('nothing', 'usage', 'reservation'),
        usage: allowNull(isUsage),
        route: allowMissing(isCallRoute),
      });
    default:
      return describeExpected('"status" to be "replied", "failed", "checked" or "prepared"');
  }
}

function isCheckResult(check: unknown): boolean {
  return (
    isObject(check) && isOneOf('custom', 'failure')(check.outcome) && isText(check.reason) && check.answer !== undefined
  );
}

function validateReply(value: unknown): ResultProblem {
  const wrong = validateMembers(value, {
    provider: allowNull(isText),
    request: allowNull(isDigest),
    model: isText,
    endpoint: allowMissing(isText),
    region: allowMissing(isText),
    stopReason: isText,
    usage: allowNull(isUsage),
    usageProblem: allowMissing(isText),
    route: allowMissing(isCallRoute),
    reading: isObject,
    check: allowNull(isCheckResult),
    approvals: allowNull(isListOf(allowNull(isRequestRules))),
    unchecked: allowMissing(isListOf(isAmount)),
    reusedPlan: allowMissing(isReusedPlan),
  });
  if (wrong !== null || !isObject(value)) return wrong;
  return validateMembers(value.reading, {
    thought: isQuoted,
    calls: (calls) => isListOf(isCall)(calls) && (calls as readonly unknown[]).length <= defaults.callsPerReply,
    answer: isQuoted,
    failure: allowMissing(isQuoted),
    repairs: allowMissing(isListOf(isText)),
    problem: allowNull(isText),
    scratchpad: isQuoted,
    content: isListOf(isBlock),
    received: allowMissing(isListOf(isBlock)),
  });
}

/** Its tasks are corrected where they are applied. */
function isReusedPlan(value: unknown): boolean {
  return hasMembers(value, { tasks: isArray, chainId: isText, goal: isText, similarity: isAmount });
}

function validateSnapshot(value: unknown): ResultProblem {
  return validateMembers(value, {
    name: isText,
    version: allowNull(isText),
    instructions: isText,
    model: isModel,
    routing: allowMissing(isRouting),
    strategy: (strategy) => isObject(strategy) && isOneOf('react', 'tools', 'autonomous', 'plan')(strategy.name),
    outputSchema: allowMissing(isObject),
    tools: isListOf(isTool),
    limits: isLimits,
    successPhrases: isListOf(isText),
    failurePhrases: isListOf(isText),
    maxObservationTokens: isAmount,
    promptBytes: isAmount,
    countedTokens: allowMissing(isAmount),
    permissions: isObject,
    tenants: allowNull(isListOf(isText)),
    waitingCounts: isBoolean,
    continueAfter: allowMissing(isObject),
    digest: isText,
  });
}

function isModel(value: unknown): boolean {
  return hasMembers(value, {
    ...listCallableMembers(),
    files: allowMissing(isListOf(isFileRule)),
    structuredOutput: allowMissing(isOneOf('with_tools', 'without_tools')),
    compactAt: isAmount,
    stopSequences: isListOf(isText),
    timeoutMs: isAmount,
    heartbeatMs: isAmount,
    retry: (retry) => hasMembers(retry, { attempts: allowNull(isAmount), forMs: isAmount, maxIntervalMs: isAmount }),
    onProviderError: isOneOf('hold', 'fail'),
  });
}

function isRouting(value: unknown): boolean {
  return hasMembers(value, {
    others: isListOf(isModel),
    roles: isObject,
    fallbacks: isListOf(isText),
    policy: allowMissing(isBoolean),
  });
}

function isFileRule(value: unknown): boolean {
  if (!isObject(value) || !isAmount(value.maxBytes)) return false;
  if (value.kind === 'pdf') return isAmount(value.maxPages);
  return value.kind === 'image' && isListOf(isText)(value.mediaTypes) && isAmount(value.maxSide);
}

function isTool(value: unknown): boolean {
  return hasMembers(value, {
    // Temporal uses it as the activity's type.
    name: (name) => isText(name) && /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name),
    kind: isText,
    description: isText,
    inputSchema: isObject,
    effects: isOneOf('pure', 'read', 'idempotent', 'unsafe'),
    timeoutMs: isAmount,
    heartbeatMs: isAmount,
    attempts: isAmount,
    backoffMs: isAmount,
    view: isObject,
    roles: isListOf(isText),
    audit: allowNull(isText),
    question: allowNull(isRequestRules),
    waits: isBoolean,
    dataClasses: allowMissing(isDataClassList),
    delegates: allowNull((delegates) => isObject(delegates) && isText(delegates.agent) && isObject(delegates.spread)),
    cost: allowMissing(isCallCost),
    concurrency: allowMissing((limit) =>
      hasMembers(limit, { group: isText, perWorker: isAmount, slotTimeoutMs: isAmount }),
    ),
    queue: allowMissing((queue) => hasMembers(queue, { name: isText, waitMs: isAmount })),
    runs: allowMissing(isToolRun),
  });
}

function isCallCost(value: unknown): boolean {
  if (isObject(value) && value.kind === 'fee') return isAmount(value.usd);
  if (!isObject(value) || !isOneOf('model', 'consensus', 'sampling')(value.kind)) return false;
  if (value.kind === 'sampling' && !isSmallCount(value.requests)) return false;
  const judge = value.kind !== 'consensus' || value.judge === null || isCallableModel(value.judge);
  return (
    judge && isListOf(isCallableModel)(value.models) && isAmount(value.maxTokens) && isAmount(value.instructionBytes)
  );
}

/** As many parts are listed for each call. */
function isSmallCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 10;
}

function isCallableModel(value: unknown): boolean {
  return hasMembers(value, { ...listCallableMembers(), takesTemperature: isBoolean });
}

/** The members of every model that is called, by a chain or by its tools. */
function listCallableMembers() {
  return {
    name: isText,
    provider: isText,
    id: isText,
    price: allowNull(isPrice),
    maxTokens: isAmount,
    contextTokens: allowNull(isAmount),
  };
}

function isPrice(price: unknown): boolean {
  return hasMembers(price, { ...rates, tiers: allowMissing(isListOf(isPriceTier)) });
}

function isPriceTier(tier: unknown): boolean {
  return hasMembers(tier, { ...rates, above: isAmount });
}

const rates = {
  input: isAmount,
  output: isAmount,
  cacheRead: isAmount,
  cacheWrite: isAmount,
  thinking: allowMissing(isAmount),
};

function isLimits(value: unknown): boolean {
  return hasMembers(value, {
    steps: isAmount,
    tokens: isAmount,
    costUsd: allowNull(isAmount),
    timeMs: isAmount,
    stallThreshold: isAmount,
    stallSimilarity: isAmount,
    depth: allowMissing(isAmount),
    chains: allowMissing(isAmount),
    waitMs: allowMissing(isAmount),
  });
}

export function isRequestRules(value: unknown): boolean {
  return hasMembers(value, {
    reason: isText,
    risk: isText,
    roles: isListOf(isText),
    approvers: isAmount,
    expiresMs: allowNull(isAmount),
    onExpiry: isOneOf('deny', 'approve'),
    escalation: allowNull((each) => isObject(each) && isAmount(each.afterMs) && isListOf(isText)(each.roles)),
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
  if (!isObject(value) || !allowNull(isText)(value.rejected)) return false;
  if ('use' in value) return isNumber(value.use);
  return allowNull(isText)(value.useId) && isText(value.tool) && isQuoted(value.input);
}

/** A value that is not a quote may be anything. */
function isQuoted(value: unknown): boolean {
  if (!isObject(value) || 'verbatim' in value || !('quote' in value)) return value !== undefined;
  const place = value.quote;
  if (!isObject(place)) return false;
  if ('input' in place) {
    return isArray(place.input) && isNumber(place.input[0]) && allowMissing(isText)(place.input[1]);
  }
  const span: Json | undefined = 'text' in place ? place.text : place.json;
  return isArray(span) && span.length === 3 && span.every(isNumber);
}

function isStored(value: unknown): value is { readonly [member: string]: Json } {
  return isObject(value) && isText(value.digest) && isAmount(value.bytes);
}

function validateMembers(value: unknown, guards: { readonly [member: string]: Guard }): ResultProblem {
  if (!isObject(value)) return describeExpected('an object');
  for (const member in guards) if (!guards[member]!(value[member])) return `"${member}" is missing or invalid`;
  return null;
}

function hasMembers(value: unknown, guards: { readonly [member: string]: Guard }): boolean {
  return validateMembers(value, guards) === null;
}

function isDigest(value: unknown): boolean {
  return isText(value) && /^[0-9a-f]{64}$/.test(value);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && isFiniteNumber(value);
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isOneOf(...values: readonly string[]): Guard {
  return (value) => values.some((each) => each === value);
}

function allowNull(guard: Guard): Guard {
  return (value) => value === null || guard(value);
}

function allowMissing(guard: Guard): Guard {
  return (value) => value === undefined || guard(value);
}

function isListOf(guard: Guard): Guard {
  return (value) => isArray(value) && value.every(guard);
}

function describeExpected(what: string): string {
  return `expected ${what}`;
}

const tooDeep = 'it is nested more than 200 levels deep';
