/** What the workflow's sandbox reads and writes payloads with. */

import { defaultPayloadConverter } from '@temporalio/common';
import { lenientPayloads } from '../contract/payloads.js';

export const payloadConverter = lenientPayloads(defaultPayloadConverter);
