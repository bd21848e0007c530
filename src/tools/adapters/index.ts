/** Tools of other libraries, and programs as tools. */

export {
  type AdaptOptions,
  adaptTools,
  type ExternalDefinition,
  type ExternalTool,
  type ToolOverrides,
} from './adapt-tools.js';
export { type AiSdkTool, aiSdkTools } from './ai-sdk-tools.js';
export { type CommandToolOptions, commandTool } from './command-tool.js';
export { type LangchainTool, langchainTools } from './langchain-tools.js';
