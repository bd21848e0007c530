/** Options as users write them, checked and converted to the values that chains store. */

export type { ChainOptions } from './chain-options.js';
export { checkDuration, type Duration, parseDuration, toMilliseconds } from './duration.js';
export {
  checkLimitOptions,
  findLimitOption,
  fromStoredLimits,
  type LimitOptions,
  limitOptionNames,
  parseLimitOptions,
  toStoredLimits,
} from './limits.js';
export {
  checkId,
  checkInputSize,
  checkStartOptions,
  checkTaskText,
  parseDataClasses,
  toEarlierMessages,
} from './start.js';
export { addContext, type TaskContext } from './task-context.js';
export { parseVisibility } from './visibility-rules.js';
