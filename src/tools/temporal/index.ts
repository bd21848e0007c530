/** Activities and workflows of the user as tools. */

export { type ActivityToolDefinition, activityTool } from './activity-tool.js';
export type { TemporalToolDefinition } from './temporal-tool.js';
export { type WorkflowToolDefinition, workflowTool } from './workflow-tool.js';
