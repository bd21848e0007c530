/**
 * Functions before and after the calls of models: of an agent's own calls, its asides, and the models that its tools ask.
 *
 * H1 A hook only admits or refuses a call. It has copies of request and result: readers render the request again, and compare digests.
 * H2 A call is not made where `before` throws, takes too long, or returns anything else than its type allows.
 * H3 A reply that is paid for does not wait for `after`, and does not fail with it.
 */

import { check, isObject, shorten } from '../core/lib/index.js';
import { toSafeErrorMessage } from '../core/redact/index.js';
import { maxTimerMs } from '../timing/index.js';
import { checkResults, fail, toMaskedMessage } from './wire/checked-provider.js';
import type { ModelCall, ModelCaller, ModelCallOptions, ModelCallResult, ModelProvider } from './wire/provider.js';
import { redactingConsole } from './wire/redacting-provider.js';

/** A call of a model, as a hook sees it: a copy. */
export interface HookedModelCall extends Omit<ModelCall, 'files'> {
  /** Name of the provider. */
  readonly provider: string;
  /** Null for a call that no chain makes, such as `longhand models check`. */
  readonly caller: ModelCaller | null;
  /** Aborts when the call is cancelled or its time is over. */
  readonly signal: AbortSignal;
}

export interface ModelHooks {
  /**
   * Runs before each attempt, within its time. Returns nothing, or `{ refuse: 'reason' }`. A refused call is not sent and free; the
   * agent's next model gets it, else the chain is held. So it is where the hook throws.
   */
  readonly before?: (call: HookedModelCall) => unknown;
  /** Observes the result of each attempt that was sent. The chain does not wait for it; its errors are logged. */
  readonly after?: (call: HookedModelCall, result: ModelCallResult) => unknown;
}

const checkHooks = check.members<ModelHooks>({ before: check.callable, after: check.callable });

/** Characters of a reason. */
const maxReasonLength = 300;

/**
 * Returns the providers with functions before and after each call of a model.
 *
 * A provider with `before` does not count tokens: that would send a request before its call is admitted.
 *
 * @throws {LonghandError} `invalid_options`
 * @example
 * providers: wrapModels([anthropicProvider()], {
 *   before: ({ caller, request }) => (isAllowed(caller, request) ? undefined : { refuse: 'The request has an account number.' }),
 *   after: ({ model }, result) => meter.add(model.id, result),
 * })
 */
export function wrapModels(providers: readonly ModelProvider[], hooks: ModelHooks): readonly ModelProvider[] {
  check.assertNoProblem(checkHooks(hooks, ''), 'wrapModels');
  return providers.map((provider) => wrapModel(provider, hooks));
}

function wrapModel(provider: ModelProvider, hooks: ModelHooks): ModelProvider {
  const { countTokens, ...checked } = checkResults(provider);
  return {
    ...checked,
    ...(countTokens === undefined || hooks.before !== undefined ? {} : { countTokens }),
    // Outside of the endpoints' circuits: a refusal is no failure of an endpoint.
    mapEndpoints: (replace) => wrapModel(provider.mapEndpoints?.(replace) ?? replace(provider), hooks),
    call: (call, options) => callWithHooks(checked, hooks, call, options),
  };
}

async function callWithHooks(
  provider: ModelProvider,
  { before, after }: ModelHooks,
  call: ModelCall,
  options: ModelCallOptions,
): Promise<ModelCallResult> {
  const { files: _, ...copied } = call;
  const { model } = call;
  const endsAt = performance.now() + model.timeoutMs;
  const timeout = AbortSignal.timeout(Math.min(Math.max(1, Math.floor(model.timeoutMs)), maxTimerMs));
  const signal = AbortSignal.any([options.signal, timeout]);
  const { name } = provider;
  const createHooked = () => ({ ...structuredClone(copied), provider: name, caller: options.caller ?? null, signal });
  const reason = before === undefined ? null : await findRefusal(before, createHooked());
  if (options.signal.aborted) return fail('cancelled', 'The call was cancelled before it was sent', 'nothing');
  if (reason !== null) return fail('not_allowed', `${model.name} is rejected by a hook: ${reason}`, 'nothing');
  const timeoutMs = Math.max(1, Math.floor(endsAt - performance.now()));
  const result = await provider.call({ ...call, model: { ...model, timeoutMs } }, options);
  const observe = async () => after?.(createHooked(), structuredClone(result));
  void observe().catch((error: unknown) => {
    redactingConsole.error(`longhand: \`after\` of a call of ${model.name} threw:`, error);
  });
  return result;
}

/** H2: returns the reason, or null for an admitted call. */
async function findRefusal(before: NonNullable<ModelHooks['before']>, call: HookedModelCall): Promise<string | null> {
  const { signal } = call;
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('`before` did not end within the time of the call')));
  });
  try {
    signal.throwIfAborted();
    const admitted = await Promise.race([late, (async () => before(call))()]);
    if (admitted === undefined) return null;
    if (isObject(admitted) && typeof admitted.refuse === 'string') return toReason(admitted.refuse);
    return "`before` returned an invalid value. Return nothing, or { refuse: 'reason' }";
  } catch (error) {
    return toReason(toSafeErrorMessage(error));
  }
}

function toReason(text: string): string {
  return shorten(toMaskedMessage(text), maxReasonLength);
}
