/** Reads the arguments of a run's start: the input, and the contents of its files, which no fact contains. */

import type { LoadedDataConverter } from '@temporalio/common';
import { decodeBytes, decodeFirstValue } from './payload.js';
import { type HistoryService, type RunReference, readForward } from './read-history.js';

export interface StartArguments {
  readonly input: unknown;
  /** In the order of the input's files; null for an argument that is no bytes. */
  readonly contents: readonly (Uint8Array | null)[];
}

/** @throws what the server answers, and errors of the converter */
export async function readStartArguments(
  history: HistoryService,
  run: RunReference,
  converter: LoadedDataConverter,
): Promise<StartArguments> {
  for await (const [event] of readForward(history, run, 1)) {
    const [first, ...others] = event?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    if (first === undefined) break;
    const input = await decodeFirstValue<unknown>(converter, [first], run.workflowId);
    return { input, contents: await Promise.all(others.map((payload) => decodeBytes(converter, payload))) };
  }
  return { input: null, contents: [] };
}
