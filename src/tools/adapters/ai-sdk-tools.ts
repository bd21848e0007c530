/** Tools of the Vercel AI SDK as tools of an agent, by their shape: the package `ai` is not imported. */

import { isObject, type Json, type JsonObject, LonghandError, toErrorMessage } from '../../core/lib/index.js';
import {
  type Approval,
  file,
  fromJsonSchema,
  NotDone,
  type Tool,
  type ToolContext,
  ToolError,
  type ToolSchema,
  validateSchema,
} from '../define/index.js';
import { type AdaptOptions, adaptTools, type ExternalDefinition } from './adapt-tools.js';

/** A tool of the AI SDK 6 or 7, as `tool({ … })` and the SDK's MCP client make it. Checked by shape. */
export interface AiSdkTool {
  readonly description?: unknown;
  readonly inputSchema: unknown;
  readonly execute?: unknown;
  readonly needsApproval?: unknown;
  readonly toModelOutput?: unknown;
}

/**
 * Makes tools of those of the Vercel AI SDK. The SDK knows no effects: without `effects` in the options, a tool is `unsafe`, which needs
 * approval. `needsApproval` is an approval policy, preliminary results are interim results, and files of `toModelOutput` are files.
 *
 * @throws {LonghandError} `invalid_options`, also for a tool without `execute`; `invalid_tool`
 * @example
 * defineAgent({ name: 'clerk', tools: aiSdkTools({ search, refund }, { tools: { search: { effects: 'read' } } }), … })
 */
export function aiSdkTools(tools: { readonly [name: string]: AiSdkTool }, options: AdaptOptions = {}): readonly Tool[] {
  const externalTools = Object.entries(tools).map(([name, tool]) => ({ name, define: () => toDefinition(name, tool) }));
  return adaptTools('aiSdkTools', externalTools, options);
}

function toDefinition(name: string, tool: AiSdkTool): ExternalDefinition {
  const { description, inputSchema, execute, needsApproval, toModelOutput } = tool;
  if (typeof execute !== 'function') {
    const message = `aiSdkTools: ${name} has no \`execute\`. Leave out tools that run elsewhere.`;
    throw new LonghandError('invalid_options', message);
  }
  const { schema, parse } = toToolSchema(name, inputSchema);
  return {
    description: typeof description === 'string' ? description : '',
    inputSchema: schema,
    ...(needsApproval === undefined ? {} : { approval: toApproval(needsApproval) }),
    execute: async (value, context) => {
      const input = await parse(value);
      const called = toCallOptions(context);
      const returned = await collectOutput(await execute.call(tool, input, called), context);
      if (typeof toModelOutput !== 'function') return returned;
      return toResult(await toModelOutput.call(tool, { toolCallId: called.toolCallId, input, output: returned }));
    },
  };
}

/** A call of a chain has no messages of the SDK. */
function toCallOptions({ signal, idempotencyKey }: Pick<ToolContext, 'signal' | 'idempotencyKey'>) {
  return { toolCallId: idempotencyKey, messages: [], abortSignal: signal };
}

interface AdaptedSchema {
  readonly schema: ToolSchema;
  /** @throws {NotDone} for arguments that the SDK's own validation rejects */
  readonly parse: (input: unknown) => unknown;
}

/** The SDK's own schemas, such as `jsonSchema({ … })`, have a JSON Schema and a validation. One may be made when it is needed. */
function toToolSchema(name: string, source: unknown): AdaptedSchema {
  const schema = typeof source === 'function' && !('~standard' in source) ? source() : source;
  if (validateSchema(schema, name) === null) return { schema: schema as ToolSchema, parse: (input) => input };
  if (isObject(schema) && isObject(schema.jsonSchema)) {
    const validate: unknown = schema.validate;
    return {
      schema: fromJsonSchema(schema.jsonSchema),
      parse: (input) => (typeof validate === 'function' ? parseBySdk(name, validate(input)) : input),
    };
  }
  const message = `aiSdkTools: \`inputSchema\` of ${name} has no JSON Schema. Use jsonSchema({ … }) or a schema of zod 4.`;
  throw new LonghandError('invalid_options', message);
}

async function parseBySdk(name: string, validation: unknown): Promise<unknown> {
  const validated = await validation;
  if (isObject(validated) && validated.success === true) return validated.value;
  const problem = isObject(validated) ? toErrorMessage(validated.error) : 'the schema returned no result';
  throw new NotDone(`Invalid arguments of ${name}: ${problem}`);
}

/** As in the SDK, any value that counts as true requires approval. */
function toApproval(needsApproval: unknown): Approval<unknown> {
  if (typeof needsApproval !== 'function') return Boolean(needsApproval);
  return async ({ input }) => Boolean(await needsApproval(input, { toolCallId: '', messages: [] }));
}

/** Of a tool that yields, all but the last value are preliminary. */
async function collectOutput(returned: unknown, { emit }: Pick<ToolContext, 'emit'>): Promise<unknown> {
  if (typeof returned !== 'object' || returned === null || !(Symbol.asyncIterator in returned)) return returned;
  let last: unknown;
  for await (const value of returned as AsyncIterable<unknown>) {
    if (last !== undefined) emit(last);
    last = value;
  }
  return last;
}

/** Converts what a tool shows to the model. */
function toResult(output: unknown): unknown {
  if (!isObject(output)) return output;
  const { type, value } = output;
  if (type === 'error-text' || type === 'error-json') throw new ToolError(toText(value));
  if (type === 'execution-denied') throw new ToolError(`The call was denied. ${toText(output.reason)}`.trim());
  return type === 'content' && Array.isArray(value) ? value.map(toPart) : value;
}

function toText(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

function toPart(part: Json, index: number): unknown {
  if (!isObject(part)) return part;
  if (part.type === 'text') return part.text;
  const { data, mediaType } = part;
  if (typeof data !== 'string' || typeof mediaType !== 'string') return toPlainPart(part);
  const name = typeof part.filename === 'string' ? part.filename : `file-${index + 1}.${mediaType.split('/').at(-1)}`;
  return file({ name, data: Buffer.from(data, 'base64'), mediaType });
}

function toPlainPart({ providerOptions: _, ...part }: JsonObject): JsonObject {
  return part;
}
