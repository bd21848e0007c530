/** The agent of eve. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { defineAgent } from 'eve';
import { model } from '../../../rig/task.ts';

export default defineAgent({
  model: createAnthropic({ baseURL: `${process.env.LONGHAND_BENCH_MODEL_URL}/v1`, apiKey: 'none' })(model),
  // So large that no conversation is compacted.
  modelContextWindowTokens: 1_000_000_000,
});
