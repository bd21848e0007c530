/** Programs that tools run: their process group, environment and output. */

export { type CapturedCommand, type CommandResult, captureCommand, isBeforeStart } from './capture-command.js';
export { type CommandVariables, createCommandEnvironment, createSecretDetector, pickVariables } from './environment.js';
export { createLineLog } from './line-log.js';
export { type CommandEnd, createHeadTailBuffer, type HeadTailBuffer, NotStarted, runCommand } from './run-command.js';
