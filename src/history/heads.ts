/**
 * What the workflow itself wrote into its history of what it held: the digest of all facts with each call of the model,
 * and, as it closed, what it came to. Whoever folds the facts is held to both.
 */

import { ApplicationFailure, type LoadedDataConverter } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { CallModelInput } from '../contract/activities.js';
import { activityNames, failureTypes } from '../contract/names.js';
import type { ChainResult } from '../core/engine/result.js';
import type { Head } from '../core/record/chain-file.js';
import { type HistoryEvent, idOf } from './event.js';
import { firstValue, lenient } from './payload.js';

export async function headsIn(events: readonly HistoryEvent[], converter: LoadedDataConverter): Promise<Head[]> {
  const heads: Head[] = [];
  for (const event of events) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityType?.name !== activityNames.callModel) continue;
    const input = await firstValue<CallModelInput>(converter, scheduled.input?.payloads);
    heads.push({ call: scheduled.activityId ?? '', eventId: idOf(event), facts: input.facts, head: input.head });
  }
  return heads;
}

/** Null where the close carries none: it was cancelled or terminated, or still runs. */
export async function resultIn(
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
): Promise<ChainResult | null> {
  const last = events.at(-1);
  const completed = last?.workflowExecutionCompletedEventAttributes;
  if (completed) return firstValue<ChainResult>(converter, completed.result?.payloads);
  const failed = last?.workflowExecutionFailedEventAttributes;
  if (!failed) return null;
  const failure = await decodeOptionalFailureToOptionalError(lenient(converter), failed.failure);
  if (!(failure instanceof ApplicationFailure) || failure.type !== failureTypes.chainFailed) return null;
  return (failure.details?.[0] as ChainResult | undefined) ?? null;
}
