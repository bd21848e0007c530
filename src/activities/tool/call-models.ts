/**
 * The models of one attempt at a tool call. L6: each part of its reservation is asked at most once, and however the attempt
 * ends, its result or its failure reports how each was used.
 */

import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import type { RunToolInput } from '../../contract/activities.js';
import { failureTypes } from '../../contract/names.js';
import { isObject, type Json } from '../../core/lib/json.js';
import { toPlainText } from '../../core/lib/plain-text.js';
import type { ModelUse } from '../../core/model/call-cost.js';
import type { Observation } from '../../core/model/fact.js';
import { noRequester } from '../../core/state/requester.js';
import type { CallModels, ModelAnswer, ModelQuestion } from '../../tools/define/call-models.js';
import { askModel } from '../context/ask-model.js';
import type { Dependencies } from '../context/dependencies.js';
import { createFailure } from '../context/failures.js';
import { getProvider } from '../context/get-provider.js';

export interface AskedModels extends CallModels {
  readonly listUses: () => readonly ModelUse[];
}

/**
 * Returns null for a call that is free.
 *
 * @throws a failure that puts the call back into the task queue: another worker may have the provider
 */
export function createAskedModels(
  dependencies: Pick<Dependencies, 'models' | 'modelAccess'>,
  { models: parts, dataClasses = [], requester = noRequester }: RunToolInput,
): AskedModels | null {
  if (parts === undefined) return null;
  for (const { model } of parts) getProvider(dependencies.models, model.provider);
  const uses = new Map<number, ModelUse>();
  const ask = async (part: number, question: ModelQuestion): Promise<ModelAnswer> => {
    const chosen = parts[part];
    if (chosen === undefined || uses.has(part)) return notReserved;
    // Until its result is known: an attempt that ends before it is charged for it.
    uses.set(part, { ...pendingUse, part });
    const { use, answer } = await askModel(dependencies, { dataClasses, requester }, chosen, question);
    uses.set(part, { ...use, part });
    return answer;
  };
  return { parts, ask, listUses: () => [...uses.values()].sort((a, b) => a.part - b.part) };
}

const notReserved: ModelAnswer = { ok: false, kind: 'not_called', message: 'nothing is reserved for this request' };

const pendingUse = {
  model: null,
  provider: null,
  settle: 'reservation',
  usage: null,
  durationMs: 0,
  failure: 'lost',
} as const;

/** Adds the uses to the result or the failure of an attempt. A call that is free has none. */
export async function reportUses(
  models: AskedModels | null,
  run: (models: AskedModels | null) => Promise<Observation>,
): Promise<Observation> {
  if (models === null) return run(null);
  try {
    return { ...(await run(models)), uses: models.listUses() };
  } catch (error) {
    throw addUses(error, models.listUses());
  }
}

/** Failures whose details mean something else; nothing was asked before them. */
const ownDetails: ReadonlySet<string> = new Set([
  failureTypes.unknownAgent,
  failureTypes.unknownTool,
  failureTypes.approvalRequired,
]);

/** A cancel is reported as a failure, because Temporal's own has no details that both sides read. */
function addUses(error: unknown, uses: readonly ModelUse[]): unknown {
  const reported = uses as unknown as Json;
  if (error instanceof CancelledFailure)
    return createFailure('cancelled', error.message, { details: { uses: reported } });
  if (!(error instanceof ApplicationFailure) || ownDetails.has(error.type ?? '')) return error;
  const details = error.details?.[0];
  const added = { ...(isObject(details) ? details : {}), uses: reported, retry: error.nonRetryable !== true };
  const failure = createFailure(error.type ?? 'Error', toPlainText(error.message), { details: added });
  failure.stack = error.stack ?? '';
  return failure;
}
