/** A logger for Temporal's runtime. */

export { createLogger, type LoggerOptions, type LogLevelName, logFormats, logLevels } from './create-logger.js';
export { failureMessages } from './log-entry.js';
