/** `longhand/prompts`: prompts of agents as files, with variables, examples and versions. */

export { loadPrompts, type PromptFile, type Prompts, type PromptValue, type PromptVariable } from '../prompts/index.js';
