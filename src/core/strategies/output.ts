/** The output schema of an agent in requests: instructions for the model, and the structured output of its provider. */

import { toCanonicalJson, toStrictSchema } from '../lib/index.js';
import type { AgentSnapshot, ModelRequest, ToolSpec } from '../model/index.js';

/**
 * Returns the format of the reply's text for the provider, where the agent's model offers it. Absent for a model that
 * cannot combine it with tools, if the agent has tools.
 */
export function toOutputFormat({ outputSchema, model, tools }: AgentSnapshot): Pick<ModelRequest, 'output'> {
  const { structuredOutput } = model;
  if (outputSchema === undefined || structuredOutput === undefined) return {};
  if (structuredOutput === 'without_tools' && tools.length > 0) return {};
  const schema = toStrictSchema(outputSchema);
  return { output: schema === null ? { schema: outputSchema, strict: false } : { schema, strict: true } };
}

/** Lets the provider enforce the schema of a finish tool, where the agent's model offers it together with tools. */
export function toStrictTool(tool: ToolSpec, { outputSchema, model }: AgentSnapshot): ToolSpec {
  if (outputSchema === undefined || model.structuredOutput !== 'with_tools') return tool;
  const inputSchema = toStrictSchema(tool.inputSchema);
  return inputSchema === null ? tool : { ...tool, inputSchema, strict: true };
}

/** Renders the output schema for an answer in text; empty for an agent without one. */
export function renderOutputRule({ outputSchema }: Pick<AgentSnapshot, 'outputSchema'>, answer: string): string {
  if (outputSchema === undefined) return '';
  return `${answer} must be one JSON object of this schema, without other text or a code fence:\n${toCanonicalJson(outputSchema)}`;
}
