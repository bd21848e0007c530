/** An endpoint whose calls are admitted before they are made, to budgets and rates, and settled after it. */

import type { ModelFailure } from '../../core/model/index.js';
import { callAndCheckUsage } from '../wire/check-usage.js';
import type { ModelCall, ModelCallOptions, ModelCallResult, ModelProvider, SpentCall } from '../wire/provider.js';

export interface AdmittedCall extends SpentCall {
  readonly endpoint: string;
  readonly call: ModelCall;
  readonly options: ModelCallOptions;
}

export interface CallGate {
  /** Resolves when the call may start. Never rejects. */
  readonly admit: (call: AdmittedCall) => Promise<ModelFailure | null>;
  /** Never rejects. */
  readonly settle: (call: AdmittedCall, result: ModelCallResult) => Promise<void>;
}

/** Calls of no chain, such as those of `longhand models check`, have no budget. */
export function admitCalls(provider: ModelProvider, gate: CallGate): ModelProvider {
  return {
    ...provider,
    call: async (call, options) => {
      const { spent } = options;
      if (spent === undefined) return provider.call(call, options);
      const { name: endpoint } = provider;
      const startedAt = performance.now();
      const admitted = { ...spent, id: `${spent.id}/${endpoint}`, endpoint, call, options };
      const failure = await gate.admit(admitted);
      if (failure !== null) return { ok: false, failure };
      const timeoutMs = Math.max(1, Math.floor(call.model.timeoutMs - (performance.now() - startedAt)));
      const timed = { ...call, model: { ...call.model, timeoutMs } };
      const result = await callAndCheckUsage(provider, timed, spent.reserved, options);
      await gate.settle(admitted, result);
      return result;
    },
  };
}
