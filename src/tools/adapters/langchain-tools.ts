/** Tools of LangChain as tools of an agent, by their shape: LangChain is not imported. */

import { isObject, LonghandError } from '../../core/lib/index.js';
import { fromJsonSchema, type Tool, type ToolSchema, validateSchema } from '../define/index.js';
import { type AdaptOptions, adaptTools, type ExternalTool } from './adapt-tools.js';

/** A structured tool of LangChain 1, as `tool(…)`, toolkits and `@langchain/mcp-adapters` make it. Checked by shape. */
export interface LangchainTool {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
  invoke(input: never, config?: object): Promise<unknown>;
}

/**
 * Makes tools of those of LangChain. LangChain knows no effects: without `effects` in the options, a tool is `unsafe`, which needs
 * approval. Callbacks and tracing of LangChain see each call.
 *
 * @throws {LonghandError} `invalid_options`; `invalid_tool`, also for a name with other characters than letters, digits, `_` and `-`
 * @example
 * defineAgent({ name: 'analyst', tools: langchainTools([new WikipediaQueryRun()], { all: { effects: 'read' } }), … })
 */
export function langchainTools(tools: readonly LangchainTool[], options: AdaptOptions = {}): readonly Tool[] {
  return adaptTools('langchainTools', tools.map(toExternalTool), options);
}

function toExternalTool(tool: LangchainTool): ExternalTool {
  const { name } = tool;
  return {
    name,
    define: () => ({
      description: tool.description,
      inputSchema: toToolSchema(name, tool.schema),
      execute: async (input, { signal, idempotencyKey }) =>
        toContent(await tool.invoke(input as never, { signal, metadata: { idempotencyKey } })),
    }),
  };
}

/** A JSON Schema has neither a parser nor an interface of its own. */
function toToolSchema(name: string, schema: unknown): ToolSchema {
  if (validateSchema(schema, name) === null) return keepInput(schema as ToolSchema);
  if (isObject(schema) && schema.type === 'object' && !('parse' in schema)) return fromJsonSchema(schema);
  const message = `langchainTools: the schema of ${name} has no JSON Schema. Use zod 4, or a JSON Schema of an object.`;
  throw new LonghandError('invalid_options', message);
}

/** LangChain validates and converts the arguments again: it needs them as the model wrote them. */
function keepInput(schema: ToolSchema): ToolSchema {
  const { '~standard': standard } = schema;
  const validate = (value: unknown) => {
    const result = standard.validate(value);
    return result instanceof Promise || result.issues !== undefined ? result : { value };
  };
  return { '~standard': { ...standard, validate } };
}

/** A tool that returns a message has its content there. */
function toContent(returned: unknown): unknown {
  return isObject(returned) && 'lc_kwargs' in returned && 'content' in returned ? returned.content : returned;
}
