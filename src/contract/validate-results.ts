/**
 * Validates what activities return, before it becomes a fact. Anyone with the server's credentials can complete an activity
 * with any value. L1: the workflow and its readers call the same pure functions, so they reject the same values.
 *
 * Members that are not read are not checked: a newer worker may add some. A name is returned where the type is wrong, so
 * that a person can find the fault; null if the value is as expected.
 */

import { checkFailureKind } from '../core/engine/index.js';
import { check, isObject, isTooDeep } from '../core/lib/index.js';
import {
  checkBlock,
  checkBudgetRejection,
  checkCallRoute,
  checkCounts,
  checkDataClasses,
  checkFileList,
  checkModelUses,
  checkName,
  checkPromptRef,
  checkSettle,
  checkStoredFile,
  checkToolRun,
  defaults,
  type LimitDefinition,
  limitEntries,
  maxSummaryLength,
  type RequestRules,
} from '../core/model/index.js';

/** The problem of a value, or null. */
type ResultProblem = string | null;
type Members = readonly (readonly [name: string, is: (value: unknown) => boolean])[];

export function validatePrepareResult(value: unknown): ResultProblem {
  if (isTooDeep(value)) return tooDeep;
  if (!isObject(value)) return 'expected an agent';
  if (!('agent' in value)) return validateMembers(value, snapshotMembers);
  return validateMembers(value.agent, snapshotMembers) ?? validateMembers(value, preparedMembers);
}

export function validateModelCallResult(value: unknown): ResultProblem {
  if (isTooDeep(value)) return tooDeep;
  if (!isObject(value)) return 'expected a reply or a failure';
  switch (value.status) {
    case 'replied':
      return validateReply(value.reply);
    case 'checked':
      return checkVerdict.is(value.check) ? null : 'expected the result of a check';
    case 'failed':
      return validateMembers(value.failure, failureMembers);
    default:
      return 'expected "status" to be "replied", "failed" or "checked"';
  }
}

export function validateObservation(value: unknown): ResultProblem {
  if (isTooDeep(value)) return tooDeep;
  if (!isObject(value) || value.content === undefined) return 'expected an observation with "content"';
  return validateMembers(value, observationMembers);
}

function validateReply(value: unknown): ResultProblem {
  const problem = validateMembers(value, replyMembers);
  return problem !== null || !isObject(value) ? problem : validateMembers(value.reading, readingMembers);
}

function validateMembers(value: unknown, members: Members): ResultProblem {
  if (!isObject(value)) return 'expected an object';
  for (const [name, is] of members) if (!is(value[name])) return `"${name}" is missing or invalid`;
  return null;
}

function listMembers(checks: { readonly [name: string]: check.Check }): Members {
  return Object.entries(checks).map(([name, { is }]) => [name, is]);
}

const tooDeep = 'it is nested more than 200 levels deep';

export const checkRequestRules = check.shape({
  ...{ reason: check.text, risk: check.text, roles: check.texts, approvers: check.amount },
  expiresMs: check.nullable(check.amount),
  onExpiry: check.oneOf(['deny', 'approve']),
  escalation: check.nullable(check.shape({ afterMs: check.amount, roles: check.texts })),
}) as check.Check<RequestRules>;

const observationMembers = listMembers({
  clippedFrom: check.nullable(check.amount),
  fullObservation: check.optional(check.shape({ digest: check.text, bytes: check.amount })),
  files: check.optional(checkFileList),
  artifacts: check.optional(check.list(checkStoredFile)),
  cached: check.optional(check.shape({ ageMs: check.amount })),
  summarized: check.optional(check.shape({ model: check.text, failure: check.optional(check.text) })),
  visibility: check.optional(
    check.shape({
      level: check.oneOf(['summary', 'hidden']),
      summary: check.nullable(
        check.refine(
          check.text,
          ({ length }) => length <= maxSummaryLength,
          `must have at most ${maxSummaryLength} characters`,
        ),
      ),
    }),
  ),
  uses: check.optional(checkModelUses),
});

const failureMembers = listMembers({
  kind: checkFailureKind,
  message: check.text,
  status: check.nullable(check.finite),
  retryAfterMs: check.nullable(check.amount),
  settle: checkSettle,
  usage: check.nullable(checkCounts),
  route: check.optional(checkCallRoute),
  dataClasses: check.optional(checkDataClasses),
  budget: check.optional(checkBudgetRejection),
  budgetAlerts: check.optional(check.texts),
});

const checkVerdict = check.shape({
  outcome: check.oneOf(['custom', 'failure']),
  reason: check.text,
  answer: check.present,
  by: check.optional(check.oneOf(['policy'])),
});

const replyMembers = listMembers({
  provider: check.nullable(check.text),
  request: check.nullable(check.pattern(/^[0-9a-f]{64}$/, 'must be a SHA-256')),
  model: check.text,
  endpoint: check.optional(check.text),
  region: check.optional(check.text),
  stopReason: check.text,
  usage: check.nullable(checkCounts),
  usageProblem: check.optional(check.text),
  route: check.optional(checkCallRoute),
  reading: check.object,
  check: check.nullable(checkVerdict),
  approvals: check.nullable(check.list(check.nullable(checkRequestRules))),
  unchecked: check.optional(check.list(check.amount)),
  dataClasses: check.optional(checkDataClasses),
  cached: check.optional(check.shape({ ageMs: check.count, usage: checkCounts })),
  // The tasks of its plan are corrected where they are applied.
  reusedPlan: check.optional(
    check.shape({
      tasks: check.list(check.anything),
      chainId: check.text,
      goal: check.text,
      similarity: check.amount,
    }),
  ),
});

/** A value that is not a quote may be anything. */
const checkQuoted = check.define((value) => {
  if (!isObject(value) || 'verbatim' in value || !('quote' in value)) return value !== undefined;
  const { quote } = value;
  if (!isObject(quote)) return false;
  return 'input' in quote ? checkInputPlace.is(quote.input) : checkSpan.is('text' in quote ? quote.text : quote.json);
}, 'must be a value or a quote');

const checkSpan = check.refine(check.list(check.finite), ({ length }) => length === 3, 'must have three numbers');

/** A block and, where only a part of its arguments is quoted, a member of them. */
const checkMember = check.optional(check.text);
const checkInputPlace = check.refine(
  check.list(check.anything),
  ([block, member]) => check.finite.is(block) && checkMember.is(member),
  'must be a block and a member',
);

const callMembers = { rejected: check.nullable(check.text) };
const checkUse = check.shape({ ...callMembers, use: check.finite });
const checkWrittenCall = check.shape({
  ...callMembers,
  ...{ useId: check.nullable(check.text), tool: check.text, input: checkQuoted },
});
const checkCall = check.define(
  (value) => (isObject(value) && 'use' in value ? checkUse.is(value) : checkWrittenCall.is(value)),
  'must be a call',
);

const readingMembers = listMembers({
  thought: checkQuoted,
  calls: check.refine(check.list(checkCall), ({ length }) => length <= defaults.callsPerReply, 'must have fewer calls'),
  answer: checkQuoted,
  failure: check.optional(checkQuoted),
  repairs: check.optional(check.texts),
  problem: check.nullable(check.text),
  scratchpad: checkQuoted,
  content: check.list(checkBlock),
  received: check.optional(check.list(checkBlock)),
});

const rates = {
  ...{ input: check.amount, output: check.amount, cacheRead: check.amount, cacheWrite: check.amount },
  thinking: check.optional(check.amount),
};

/** The members of every model that is called, by a chain or by its tools. */
const callableMembers = {
  ...{ name: check.text, provider: check.text, id: check.text },
  price: check.nullable(
    check.shape({ ...rates, tiers: check.optional(check.list(check.shape({ ...rates, above: check.amount }))) }),
  ),
  maxTokens: check.amount,
  contextTokens: check.nullable(check.amount),
};

const checkFileRule = check.variant<object>('kind', {
  pdf: check.shape({ maxBytes: check.amount, maxPages: check.amount }),
  image: check.shape({ maxBytes: check.amount, mediaTypes: check.texts, maxSide: check.amount }),
});

const checkModel = check.shape({
  ...callableMembers,
  files: check.optional(check.list(checkFileRule)),
  structuredOutput: check.optional(check.oneOf(['with_tools', 'without_tools'])),
  ...{ compactAt: check.amount, stopSequences: check.texts, timeoutMs: check.amount, heartbeatMs: check.amount },
  retry: check.shape({ attempts: check.nullable(check.amount), forMs: check.amount, maxIntervalMs: check.amount }),
  onProviderError: check.oneOf(['hold', 'fail']),
});

const checkCallableModel = check.shape({ ...callableMembers, takesTemperature: check.boolean });

const modelsCost = { models: check.list(checkCallableModel), maxTokens: check.amount, instructionBytes: check.amount };

const checkCallCost = check.variant<object>('kind', {
  fee: check.shape({ usd: check.amount }),
  model: check.shape(modelsCost),
  consensus: check.shape({ ...modelsCost, judge: check.nullable(checkCallableModel) }),
  summary: check.shape({ ...modelsCost, aboveTokens: check.amount }),
  // As many parts are listed for each call.
  sampling: check.shape({ ...modelsCost, requests: check.integerWithin(1, 10) }),
});

const checkTool = check.shape({
  // Temporal uses it as the activity's type.
  name: checkName,
  ...{ kind: check.text, description: check.text, inputSchema: check.object },
  effects: check.oneOf(['pure', 'read', 'idempotent', 'unsafe']),
  ...{ timeoutMs: check.amount, heartbeatMs: check.amount, attempts: check.amount, backoffMs: check.amount },
  view: check.object,
  roles: check.texts,
  audit: check.nullable(check.text),
  question: check.nullable(checkRequestRules),
  waits: check.boolean,
  dataClasses: check.optional(checkDataClasses),
  delegates: check.nullable(check.shape({ agent: check.text, spread: check.object })),
  cost: check.optional(checkCallCost),
  local: check.optional(check.boolean),
  concurrency: check.optional(check.shape({ group: check.text, perWorker: check.amount, slotTimeoutMs: check.amount })),
  queue: check.optional(check.shape({ name: check.text, queueTimeoutMs: check.amount })),
  runs: check.optional(checkToolRun),
});

function toLimitCheck(unit: LimitDefinition['unit'], agents: LimitDefinition['agents']): check.Check {
  if (agents !== 'all') return check.optional(check.amount);
  return unit === 'usd' ? check.nullable(check.amount) : check.amount;
}

const snapshotMembers = listMembers({
  name: check.text,
  version: check.nullable(check.text),
  title: check.optional(check.text),
  prompt: check.optional(checkPromptRef),
  instructions: check.text,
  model: checkModel,
  routing: check.optional(
    check.shape({
      others: check.list(checkModel),
      roles: check.object,
      fallbacks: check.texts,
      policy: check.optional(check.boolean),
    }),
  ),
  strategy: check.shape({ name: check.oneOf(['react', 'tools', 'autonomous', 'plan', 'custom']) }),
  outputSchema: check.optional(check.object),
  tools: check.list(checkTool),
  limits: check.shape(
    Object.fromEntries(limitEntries.map(([name, { unit, agents }]) => [name, toLimitCheck(unit, agents)])),
  ),
  successPhrases: check.texts,
  failurePhrases: check.texts,
  maxObservationTokens: check.amount,
  promptBytes: check.amount,
  countedTokens: check.optional(check.amount),
  permissions: check.object,
  tenants: check.nullable(check.texts),
  waitingCounts: check.boolean,
  continueAfter: check.optional(check.object),
  digest: check.text,
});

const preparedMembers = listMembers({
  origin: check.optional(check.object),
  searchAttributes: check.optional(check.oneOf(['registered'])),
});
