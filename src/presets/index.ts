/** Ready-made agents, and tools for code. */

export { type CodeToolsOptions, codeTools } from './code/code-tools.js';
export { type CoderOptions, coder } from './coder.js';
