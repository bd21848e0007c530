/** Tools of other libraries, programs, activities and workflows of the user. */

export { type ActivityToolDefinition, activityTool } from './activity-tool.js';
export {
  type AdaptOptions,
  adaptTools,
  type ExternalDefinition,
  type ExternalTool,
  type ToolOverrides,
} from './adapt-tools.js';
export { type AiSdkTool, aiSdkTools } from './ai-sdk-tools.js';
export { type CommandToolOptions, commandTool } from './command-tool.js';
export type { ForeignToolDefinition } from './foreign-run.js';
export { type LangchainTool, langchainTools } from './langchain-tools.js';
export { type WorkflowToolDefinition, workflowTool } from './workflow-tool.js';
