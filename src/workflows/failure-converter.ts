/**
 * Converts failures of the workflow: sealed by the worker's codec if it seals (worker/bundle.ts sets this before all
 * other code here), otherwise plain.
 */

import { DefaultFailureConverter } from '@temporalio/common';
import { createLenientFailureConverter } from '../contract/index.js';

export const failureConverter = createLenientFailureConverter(
  new DefaultFailureConverter({
    encodeCommonAttributes: Reflect.get(globalThis, 'longhandSealsFailures') === true,
  }),
);
