/** Prompts of agents: files of instructions with variables and examples. */

export { findPromptFile, formatExample, loadPrompts, type Prompts, readPrompts } from './load-prompts.js';
export { type PromptFile, type PromptValue, type PromptVariable, renderPrompt } from './prompt-file.js';
