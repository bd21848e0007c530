/** Reads the prompt of a model call from a recorded chain, and its outline. */

import { LonghandError } from '../../core/lib/index.js';
import type { ModelCallRef, Prompt } from '../../core/model/index.js';
import { type ContextOutline, findPrompt, outlineContext, type RecordedChain } from '../../core/record/index.js';
import { computeSha256 } from '../../history/index.js';

type ReadChain = Pick<RecordedChain, 'chain' | 'turns'>;

/** Returns the complete prompt, for `viewPrompt` to limit to a viewer. @throws {LonghandError} `call_not_found` */
export function readPrompt({ chain, turns }: ReadChain, ref: ModelCallRef): Prompt {
  const prompt = findPrompt(turns, ref, computeSha256);
  if (prompt !== null) return prompt;
  throw createNotFound(chain, ref);
}

/** @throws {LonghandError} `call_not_found` */
export function readContext({ chain, turns }: ReadChain, step: number): ContextOutline {
  const outline = outlineContext(turns, step, computeSha256);
  if (outline !== null) return outline;
  throw createNotFound(chain, step);
}

function createNotFound({ state: { steps, modelCalls } }: ReadChain['chain'], ref: ModelCallRef): LonghandError {
  const message =
    typeof ref === 'number'
      ? `The chain has no step ${ref}: ${steps === 0 ? 'it has none yet' : `it has steps 1 to ${steps}`}.`
      : `The chain has no model call ${ref}: ${modelCalls === 0 ? 'it has none yet' : `it has model-1 to model-${modelCalls}`}.`;
  return new LonghandError('call_not_found', message);
}
