/** Time limits for work that may hang. */

export { blockedMessage, type LoopBlock, markOperation, watchLoop } from './loop-guard.js';
export { maxTimerMs, withTimeout } from './with-timeout.js';
