/** Reads the prompt of a model call from a recorded chain. */

import { LonghandError } from '../../core/lib/index.js';
import type { ModelCallRef, Prompt } from '../../core/model/index.js';
import type { RecordedChain } from '../../core/record/index.js';
import { findPrompt } from '../../core/record/index.js';
import { computeSha256 } from '../../history/index.js';

/** Returns the complete prompt, for `viewPrompt` to limit to a viewer. @throws {LonghandError} `call_not_found` */
export function readPrompt({ chain, turns }: Pick<RecordedChain, 'chain' | 'turns'>, ref: ModelCallRef): Prompt {
  const prompt = findPrompt(turns, ref, computeSha256);
  if (prompt !== null) return prompt;
  const { steps, modelCalls } = chain.state;
  const message =
    typeof ref === 'number'
      ? `The chain has no step ${ref}: ${steps === 0 ? 'it has none yet' : `it has steps 1 to ${steps}`}.`
      : `The chain has no model call ${ref}: ${modelCalls === 0 ? 'it has none yet' : `it has model-1 to model-${modelCalls}`}.`;
  throw new LonghandError('call_not_found', message);
}
