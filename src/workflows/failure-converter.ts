/**
 * What the workflow says of a failure, in a payload that the worker's codec seals where it seals (see worker/bundle.ts, which
 * says so before all else that runs here), and in plain where it does not.
 */

import { DefaultFailureConverter } from '@temporalio/common';
import { createLenientFailureConverter } from '../contract/payloads.js';

export const failureConverter = createLenientFailureConverter(
  new DefaultFailureConverter({
    encodeCommonAttributes: Reflect.get(globalThis, 'longhandSealsFailures') === true,
  }),
);
