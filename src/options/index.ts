/** Options as users write them, checked and converted to the values that chains store. */

export type { ChainOptions } from './chain-options.js';
export { checkDuration, type Duration, parseDuration, toMilliseconds } from './duration.js';
export { parseFrontMatter } from './front-matter.js';
export {
  checkLimitOptions,
  findLimitOption,
  fromStoredLimits,
  type LimitOptions,
  limitOptionNames,
  parseLimitOptions,
  toStoredLimits,
} from './limits.js';
export { checkRate, parseRate, type RateOptions } from './rate.js';
export {
  checkId,
  checkInputSize,
  checkStartOptions,
  parseDataClasses,
  parseMetadata,
  toEarlierMessages,
} from './start.js';
export type { TaskContext } from './task-context.js';
export {
  parseTask,
  type TaskInput,
  type TaskMessage,
  type TaskMessages,
  type TaskPart,
} from './task-messages.js';
export { parseVisibility } from './visibility-rules.js';
