/** The payload converter of the workflow's sandbox. */

import { defaultPayloadConverter } from '@temporalio/common';
import { createLenientPayloadConverter } from '../contract/payloads.js';

export const payloadConverter = createLenientPayloadConverter(defaultPayloadConverter);
