/**
 * Counts the tokens of a chain's first request by the provider, for a task whose bytes would reserve far more than it costs.
 * Best effort: without a count, its bytes are the bound.
 */

import { Context } from '@temporalio/activity';
import { decideFirstCall } from '../../core/engine/index.js';
import { toErrorMessage } from '../../core/lib/index.js';
import type { AgentSnapshot, Chain } from '../../core/model/index.js';
import { renderRequest } from '../../core/strategies/index.js';
import { withTimeout } from '../../timing/index.js';
import type { Dependencies } from '../context/dependencies.js';
import { checkModelAccess, toRequestOrigin } from '../context/model-access.js';
import { readRequestFiles } from './task-files.js';

/** Milliseconds. */
const countTimeoutMs = 10_000;

/** Returns the snapshot with the count, if there is one. @param unprepared the chain before its preparation */
export async function addTokenCount(
  { models, modelAccess, blobs }: Pick<Dependencies, 'models' | 'modelAccess' | 'blobs'>,
  snapshot: AgentSnapshot,
  unprepared: Chain,
): Promise<AgentSnapshot> {
  // Models count differently: the count of one is not a bound for another.
  if (snapshot.routing !== undefined) return snapshot;
  const countTokens = models.findProvider(snapshot.model.provider)?.countTokens;
  if (countTokens === undefined) return snapshot;
  if (checkModelAccess(toRequestOrigin(unprepared.state), snapshot.model, models, modelAccess) !== null)
    return snapshot;
  const context = Context.current();
  try {
    const { chain } = decideFirstCall(unprepared, snapshot);
    const request = renderRequest(chain, snapshot, 'step');
    const files = await readRequestFiles(context, blobs, chain, request);
    const call = {
      request,
      ...(files.size === 0 ? {} : { files }),
      model: snapshot.model,
      maxTokens: snapshot.model.maxTokens,
    };
    const signal = AbortSignal.any([context.cancellationSignal, AbortSignal.timeout(countTimeoutMs)]);
    const counted = await withTimeout(countTokens(call, { signal }), countTimeoutMs);
    if (counted === null) throw new Error(`no answer within ${countTimeoutMs / 1_000} s`);
    const tokens = counted.value;
    return tokens !== null && Number.isSafeInteger(tokens) && tokens > 0
      ? { ...snapshot, countedTokens: tokens }
      : snapshot;
  } catch (error) {
    context.log.debug('The provider did not count the tokens of the first request', { problem: toErrorMessage(error) });
    return snapshot;
  }
}
