/**
 * Validates what a provider returns. A provider may be code of a user, a mock, or plain JavaScript: a wrong result is a failure that
 * names the member that is wrong, before other code reads it. A block of a reply is checked in constant time, except the arguments of
 * calls, which must be JSON.
 */

import { providerFailures } from '../../core/engine/failure-rules.js';
import { checkOneOf, checkText, findFirstProblem, type ValueCheck } from '../../core/lib/check-value.js';
import { shorten } from '../../core/lib/display.js';
import { toErrorMessage } from '../../core/lib/errors.js';
import { findOwn, isObject } from '../../core/lib/json.js';
import type { ModelFailure } from '../../core/model/fact.js';
import type { Reply, ReplyBlock, ReplyStopReason, Usage } from '../../core/model/model.js';
import { noUsage } from '../../core/model/usage.js';
import { registeredSecretsMasker } from '../../secrets/secret-registry.js';
import type { ModelCall, ModelCallOptions, ModelCallResult, ModelProvider } from './provider.js';
import { redactingConsole } from './redacting-provider.js';

/** Wraps an endpoint so that its `call` keeps the contract of `ModelProvider.call`. Its other members stay, also those of a class. */
export function checkResults(endpoint: ModelProvider): ModelProvider {
  const { name, models, files, structuredOutput } = endpoint;
  return {
    name,
    ...(models === undefined ? {} : { models }),
    ...(files === undefined ? {} : { files }),
    ...(structuredOutput === undefined ? {} : { structuredOutput }),
    ...(endpoint.countTokens === undefined
      ? {}
      : { countTokens: (call, options) => endpoint.countTokens?.(call, options) ?? Promise.resolve(null) }),
    call: (call, options) => callAndCheck(endpoint, call, options),
  };
}

async function callAndCheck(
  endpoint: ModelProvider,
  call: ModelCall,
  options: ModelCallOptions,
): Promise<ModelCallResult> {
  const { name } = endpoint;
  const { signal, onText } = options;
  let textProblem: string | null = null;
  const watched = onText && {
    ...options,
    onText: (delta: unknown) => {
      if (typeof delta === 'string') onText(delta);
      else textProblem ??= describe('onText must be called with a text', delta);
    },
  };
  let result: unknown;
  try {
    result = await endpoint.call(call, watched ?? options);
  } catch (error) {
    if (signal.aborted) return fail('cancelled', `the provider ${name} threw: ${mask(error)}`, 'reservation');
    redactingConsole.error(`longhand: \`call\` of the provider ${name} threw:`, error);
    // A request may have been sent, and may cost.
    return fail('invalid_provider', `\`call\` of the provider ${name} threw: ${mask(error)}`, 'reservation');
  }
  const problem = textProblem ?? describeProblem(result);
  if (problem === null) return result as ModelCallResult;
  return fail('invalid_provider', `the provider ${name} returned an invalid result: ${problem}`, 'nothing');
}

function mask(error: unknown): string {
  return registeredSecretsMasker.text(toErrorMessage(error)).replace(/\.$/, '');
}

function fail(kind: ModelFailure['kind'], message: string, settle: 'nothing' | 'reservation'): ModelCallResult {
  return { ok: false, failure: { kind, message, settle, status: null, retryAfterMs: null, usage: null } };
}

/** Returns the first problem as a clause, or null. */
function describeProblem(result: unknown): string | null {
  if (typeof result === 'object' && result !== null && (Symbol.asyncIterator in result || Symbol.iterator in result))
    return 'expected { ok, … }; it is a generator, a stream or a list. Use an async function, and `onText` for the pieces';
  if (!isObject(result)) return describe('expected { ok, … }', result);
  switch (result.ok as unknown) {
    case true:
      return checkReply(result.reply, 'reply');
    case false:
      return checkFailure(result.failure, 'failure');
    default:
      return describe('ok must be true or false', result.ok);
  }
}

/** Texts are the model's, and not repeated. */
function describe(problem: string, value: unknown): string {
  if (typeof value === 'string') return `${problem}; it is a text`;
  if (value === null || typeof value !== 'object') return `${problem}; it is ${String(value).slice(0, 40)}`;
  return `${problem}; it is ${Array.isArray(value) ? 'a list' : 'an object'}`;
}

/** Checks all members of an object; an absent one is a problem. Unlike `checkMembers`, others are permitted. */
function checkShape<T>(checks: { readonly [member in keyof T]-?: ValueCheck }): ValueCheck {
  const members = Object.entries<ValueCheck>(checks);
  return (value, at) => {
    if (!isObject(value)) return describe(`${at} must be an object`, value);
    for (const [member, check] of members) {
      const where = `${at}.${member}`;
      const problem = check(value[member], where);
      if (problem !== null) return problem.includes('; it is ') ? problem : describe(problem, value[member]);
    }
    return null;
  };
}

const optional =
  (check: ValueCheck): ValueCheck =>
  (value, at) =>
    value === undefined ? null : check(value, at);

const orNull =
  (check: ValueCheck): ValueCheck =>
  (value, at) =>
    value === null ? null : check(value, at);

const checkNumber: ValueCheck = (value, at) => (typeof value === 'number' ? null : `${at} must be a number`);

const oneOf =
  (names: readonly string[]): ValueCheck =>
  (value, at) => {
    const problem = checkOneOf(names, value, at);
    return problem !== null && typeof value === 'string'
      ? `${problem}; it is ${JSON.stringify(shorten(value, 40))}`
      : problem;
  };

/** Arguments are stored as JSON. */
const checkJson: ValueCheck = (value, at) => {
  try {
    return JSON.stringify(value) === undefined ? `${at} must be JSON` : null;
  } catch (error) {
    return `${at} must be JSON: ${toErrorMessage(error).split('\n')[0]}`;
  }
};

const checkKind: ValueCheck = (value, at) =>
  typeof value === 'string' && Object.hasOwn(providerFailures, value) ? null : `${at} must be a kind of ModelFailure`;

/** Whether its counts are plausible decides what the call is charged (core/model/usage.ts). */
const checkCounts = checkShape<Usage>(
  Object.fromEntries(Object.keys(noUsage).map((name) => [name, checkNumber])) as Record<keyof Usage, ValueCheck>,
);

const blockChecks: { readonly [type in ReplyBlock['type']]: ValueCheck } = {
  text: checkShape<{ text: string }>({ text: checkText }),
  thinking: checkShape<{ thinking: string; signature: string }>({ thinking: checkText, signature: checkText }),
  redacted_thinking: checkShape<{ data: string }>({ data: checkText }),
  tool_use: checkShape<{ id: string; name: string; input: unknown }>({
    ...{ id: checkText, name: checkText },
    input: checkJson,
  }),
};

const checkType = oneOf(Object.keys(blockChecks));

const checkBlock: ValueCheck = (block, at) => {
  if (!isObject(block)) return describe(`${at} must be an object`, block);
  const check = typeof block.type === 'string' ? findOwn<ValueCheck>(blockChecks, block.type) : undefined;
  return check === undefined ? checkType(block.type, `${at}.type`) : check(block, at);
};

const checkContent: ValueCheck = (content, at) => {
  if (!Array.isArray(content)) return `${at} must be a list of blocks`;
  return findFirstProblem(content.map((block, index) => checkBlock(block, `${at}.${index}`)));
};

const stopReasons: { readonly [reason in ReplyStopReason]: true } = {
  ...{ end_turn: true, max_tokens: true, stop_sequence: true, tool_use: true, pause_turn: true },
  ...{ refusal: true, model_context_window_exceeded: true },
};

const checkReply = checkShape<Reply>({
  model: checkText,
  endpoint: optional(checkText),
  stopReason: oneOf(Object.keys(stopReasons)),
  content: checkContent,
  usage: orNull(checkCounts),
  usageProblem: optional(checkText),
});

const checkFailure = checkShape<Omit<ModelFailure, 'route'>>({
  kind: checkKind,
  message: checkText,
  status: orNull(checkNumber),
  retryAfterMs: orNull(checkNumber),
  settle: oneOf(['nothing', 'usage', 'reservation']),
  usage: orNull(checkCounts),
});
