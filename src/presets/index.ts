/** Ready-made agents and plan templates, and tools for code. */

export { builtInPlans, debugBug, implementFeature, refactorCode, writeTests } from './built-in-plans.js';
export { type CodeToolsOptions, codeTools } from './code/code-tools.js';
export { type CoderOptions, coder } from './coder.js';
