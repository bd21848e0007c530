/** Reads the failure of an attempt, with its stack, which no fact has. */

import type { LoadedDataConverter } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import { toFailure } from '../contract/index.js';
import type { AttemptFailure } from '../core/model/index.js';
import { toLenientConverter } from './payload.js';

type WireFailure = temporal.api.failure.v1.IFailure;

export async function readAttemptFailure(
  failure: WireFailure,
  converter: LoadedDataConverter,
): Promise<AttemptFailure> {
  const error = await decodeOptionalFailureToOptionalError(toLenientConverter(converter), failure);
  const { type, message } = toFailure(error);
  return { type, message, stack: removeHead(error?.stack ?? '') };
}

/** Removes the name and the message above the frames. */
function removeHead(stack: string): string | null {
  const lines = stack.split('\n');
  const start = lines.findIndex((line) => /^\s*(?:at |Caused by )/.test(line));
  return start < 0 ? null : lines.slice(start).join('\n');
}
