/**
 * Validates what a provider returns. A provider may be code of a user, a mock, or plain JavaScript: a wrong result is a failure that
 * names the member that is wrong, before other code reads it. A block of a reply is checked in constant time, except the arguments of
 * calls, which must be JSON.
 */

import { checkFailureKind } from '../../core/engine/index.js';
import {
  check,
  isObject,
  type Json,
  type JsonObject,
  omitUndefined,
  shorten,
  toErrorMessage,
} from '../../core/lib/index.js';
import {
  checkReplyBlock,
  checkSettle,
  type ModelFailure,
  type Reply,
  type ReplyStopReason,
  type Usage,
} from '../../core/model/index.js';
import { registeredSecretsMasker } from '../../secrets/index.js';
import type { ModelCall, ModelCallOptions, ModelCallResult, ModelProvider } from './provider.js';
import { redactingConsole } from './redacting-provider.js';

/** Wraps an endpoint so that its `call` keeps the contract of `ModelProvider.call`. Its other members stay, also those of a class. */
export function checkResults(endpoint: ModelProvider): ModelProvider {
  const { name, models, files, structuredOutput } = endpoint;
  return {
    name,
    ...omitUndefined({ models, files, structuredOutput }),
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
    if (signal.aborted)
      return fail('cancelled', `the provider ${name} threw: ${toMaskedMessage(error)}`, 'reservation');
    redactingConsole.error(`longhand: \`call\` of the provider ${name} threw:`, error);
    // A request may have been sent, and may cost.
    return fail('invalid_provider', `\`call\` of the provider ${name} threw: ${toMaskedMessage(error)}`, 'reservation');
  }
  const problem = textProblem ?? describeProblem(result);
  if (problem === null) return result as ModelCallResult;
  return fail('invalid_provider', `the provider ${name} returned an invalid result: ${problem}`, 'nothing');
}

export function toMaskedMessage(error: unknown): string {
  return registeredSecretsMasker.text(toErrorMessage(error)).replace(/\.$/, '');
}

export function fail(kind: ModelFailure['kind'], message: string, settle: 'nothing' | 'reservation'): ModelCallResult {
  return { ok: false, failure: { kind, message, settle, status: null, retryAfterMs: null, usage: null } };
}

/** Returns the first problem as a clause, or null. */
function describeProblem(result: unknown): string | null {
  if (typeof result === 'object' && result !== null && (Symbol.asyncIterator in result || Symbol.iterator in result))
    return 'expected { ok, … }; it is a generator, a stream or a list. Use an async function, and `onText` for the pieces';
  if (!isObject(result)) return describe('expected { ok, … }', result);
  switch (result.ok as unknown) {
    case true:
      return addValue(checkReply(result.reply, 'reply'), result);
    case false:
      return addValue(checkFailure(result.failure, 'failure'), result);
    default:
      return describe('ok must be true or false', result.ok);
  }
}

/** Members with one of several names: a wrong one is repeated. */
const unionMembers = ['stopReason', 'type', 'settle'];

/** Adds the value to a problem, which begins with its path. */
function addValue(problem: string | null, result: JsonObject): string | null {
  if (problem === null) return null;
  const path = problem.slice(0, problem.indexOf(' ')).split('.');
  const value = path.reduce<unknown>((at, name) => Object(at)[name], result);
  return typeof value === 'string' && unionMembers.includes(path.at(-1) ?? '')
    ? `${problem}; it is ${JSON.stringify(shorten(value, 40))}`
    : describe(problem, value);
}

/** Texts are the model's, and not repeated. */
function describe(problem: string, value: unknown): string {
  if (typeof value === 'string') return `${problem}; it is a text`;
  if (value === null || typeof value !== 'object') return `${problem}; it is ${String(value).slice(0, 40)}`;
  return `${problem}; it is ${Array.isArray(value) ? 'a list' : 'an object'}`;
}

/** Arguments are stored as JSON. */
const checkJson = check.from<Json>((value, at) => {
  try {
    return JSON.stringify(value) === undefined ? `${at} must be JSON` : null;
  } catch (error) {
    return `${at} must be JSON: ${toErrorMessage(error).split('\n')[0]}`;
  }
});

/** Whether its counts are plausible decides what the call is charged (core/model/usage.ts). */
const checkNumbers = check.shape<Usage>({
  input: check.number,
  output: check.number,
  cacheRead: check.number,
  cacheWrite: check.number,
  thinking: check.number,
});

const checkReply = check.shape<Reply>({
  model: check.text,
  endpoint: check.optional(check.text),
  stopReason: check.oneOf<ReplyStopReason>([
    ...(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn'] as const),
    ...(['refusal', 'model_context_window_exceeded'] as const),
  ]),
  content: check.list(checkReplyBlock(checkJson), 'a list of blocks') as check.Check<Reply['content']>,
  usage: check.nullable(checkNumbers),
  usageProblem: check.optional(check.text),
});

const checkFailure = check.shape<Omit<ModelFailure, 'route' | 'dataClasses' | 'budget' | 'budgetAlerts'>>({
  kind: checkFailureKind,
  message: check.text,
  status: check.nullable(check.number),
  retryAfterMs: check.nullable(check.number),
  settle: checkSettle,
  usage: check.nullable(checkNumbers),
});
