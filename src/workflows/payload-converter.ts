/** What the workflow's sandbox reads and writes payloads with. */

import { defaultPayloadConverter } from '@temporalio/common';
import { createLenientPayloadConverter } from '../contract/payloads.js';

export const payloadConverter = createLenientPayloadConverter(defaultPayloadConverter);
