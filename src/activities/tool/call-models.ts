/**
 * The models of one attempt at a tool call. L6: each part of its reservation is asked at most once, and however the attempt
 * ends, its result or its failure reports how each was used. Requests end before the attempt would time out: a lost attempt
 * has no answers, and is charged in full.
 */

import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { failureTypes, type RunToolInput } from '../../contract/index.js';
import { noRequester } from '../../core/engine/index.js';
import { isObject, type Json, toPlainText } from '../../core/lib/index.js';
import type { CostPart, ModelUse, Observation } from '../../core/model/index.js';
import type { CallModels, ModelAnswer, ModelQuestion } from '../../tools/define/index.js';
import { createAttemptId } from '../context/activity-context.js';
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
  dependencies: Pick<Dependencies, 'models' | 'modelAccess' | 'instruments'>,
  { agent, models: parts, dataClasses = [], requester = noRequester }: RunToolInput,
): AskedModels | null {
  if (parts === undefined) return null;
  for (const { model } of parts) getProvider(dependencies.models, model.provider);
  const startedAt = Date.now();
  const { startToCloseTimeoutMs } = Context.current().info;
  const uses = new Map<number, ModelUse>();
  const ask = async (part: number, question: ModelQuestion): Promise<ModelAnswer> => {
    const chosen = parts[part];
    if (chosen === undefined || uses.has(part)) return notReserved;
    // Until its result is known: an attempt that ends before it is charged for it.
    uses.set(part, { ...pendingUse, part });
    const endsAt = startedAt + computeAskingMs(parts, chosen.role, startToCloseTimeoutMs);
    const asking = { agent, id: createAttemptId(part), dataClasses, requester, endsAt };
    const { use, answer } = await askModel(dependencies, asking, chosen, question);
    uses.set(part, { ...use, part });
    return answer;
  };
  return { parts, ask, listUses: () => [...uses.values()].sort((a, b) => a.part - b.part) };
}

/** Milliseconds of an attempt after its last answer, to store and report it; at most a fifth of the attempt. */
const reportMs = 5_000;

/** The part of the time that is left for a judge, who reads the answers of the others. */
const judgeShare = 1 / 4;

/** Returns the milliseconds from the start of an attempt until a request of this role must have ended. */
export function computeAskingMs(
  parts: readonly Pick<CostPart, 'role'>[],
  role: CostPart['role'],
  timeoutMs: number,
): number {
  const all = timeoutMs - Math.min(reportMs, timeoutMs / 5);
  const isJudged = role === 'answer' && parts.some((part) => part.role === 'judge');
  return Math.floor(isJudged ? all * (1 - judgeShare) : all);
}

const notReserved: ModelAnswer = { ok: false, kind: 'not_called', message: 'nothing is reserved for this request' };

export const pendingUse = {
  model: null,
  provider: null,
  settle: 'reservation',
  usage: null,
  durationMs: 0,
  failure: 'lost',
} as const;

/** Adds the uses to the result or the failure of an attempt. A call that is free has none. */
export async function reportUses(
  paid: Pick<AskedModels, 'listUses'> | null,
  run: () => Promise<Observation>,
): Promise<Observation> {
  if (paid === null) return run();
  try {
    return { ...(await run()), uses: paid.listUses() };
  } catch (error) {
    throw addUses(error, paid.listUses());
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
