/** A chain to a request for the model, and a reply to a reading. */

export { callParser, type StrategyParser, type StrategyReading } from './call-parser.js';
export { compactReading } from './compact-reading.js';
export { renderExamples, renderSolvedTasks } from './react/examples.js';
export { findThoughtProblem } from './react/thought.js';
export { reparse } from './reparse.js';
export { closingPrompt, getStrategy, renderRequest } from './strategies.js';
export { type ParsedAgent, planDefaults, reactDefaults, reflectionDefaults, strategyDefaults } from './strategy.js';
