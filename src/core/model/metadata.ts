/** Free data of a chain or of a plan's task, for people and programs that read it. No model sees it, and no rule reads it. */

import { check, countJsonBytes, isObject, isTooDeep, type JsonObject } from '../lib/index.js';
import { defaults } from './defaults.js';

/** Nesting levels. */
const maxLevels = 16;

function createMetadataCheck(maxBytes: number): check.Check<JsonObject> {
  return check.define<JsonObject>(
    (value) => isObject(value) && !isTooDeep(value, maxLevels) && countJsonBytes(value, maxBytes) <= maxBytes,
    `must be an object of at most ${maxBytes} bytes as JSON, nested at most ${maxLevels} levels`,
  );
}

/** The start of each run holds it. */
export const checkMetadata = createMetadataCheck(defaults.metadataBytes);

/** The state holds that of all tasks. */
export const checkTaskMetadata = createMetadataCheck(defaults.taskMetadataBytes);
