/**
 * The tools that an MCP server lists now. The list is read for each new connection, after the server reports a change, and for
 * new chains when it is old, because not every server reports changes.
 *
 * T1 A call is sent only over a connection whose list has the definition that the tool was made of.
 */

import { findOwn, type Json, type JsonObject, LonghandError, toErrorMessage } from '../../core/lib/index.js';
import type { CallableModel, CallCost } from '../../core/model/index.js';
import { defineTool, fromJsonSchema, NotDone, type OpenToolSource, type Tool, type ToolLog } from '../define/index.js';
import { callServer, type FindClient, type FoundClient, type ServerCall } from './call.js';
import type { McpClient } from './client.js';
import type { McpConnection } from './connection.js';
import { describeDefinitionError, formatLeftOut, type ListedTool, readDefinition } from './definition.js';
import { McpFailure } from './failure.js';
import { type McpSampling, type McpSettings, mcpDefaults, samplingDefaults } from './options.js';
import { createPromptTools } from './prompt-tools.js';
import { createResourceTools } from './resource-tools.js';
import { createServerRequests } from './server-requests.js';

/** Milliseconds after which a list is read again for a new chain. */
const maxAgeMs = 60_000;
const maxTools = 500;
const maxPages = 50;
const maxWarnings = 1_000;

interface ToolList {
  readonly client: McpClient;
  readonly revision: number;
  readonly readAt: number;
  readonly tools: readonly Tool[];
  /** Digests of the definitions, by the names of the tools. */
  readonly digests: ReadonlyMap<string, string>;
}

export function createToolList(settings: McpSettings, connection: McpConnection, log: ToolLog): OpenToolSource['list'] {
  let latest: ToolList | null = null;
  let reading: Promise<ToolList> | null = null;
  /** Each list has the same warnings. */
  const warned = new Set<string>();
  const warn = (text: string) => {
    if (warned.has(text) || warned.size > maxWarnings) return;
    warned.add(text);
    log.warn(`MCP server ${settings.options.name}: ${text}`);
  };

  const read = async (client: McpClient): Promise<ToolList> => {
    const revision = client.getRevision();
    const definitions = await readPages(client, settings);
    const create = (listed: ListedTool) => createTool(listed, settings, findClient);
    const { resources = false, prompts = false } = settings.options;
    const own = [
      ...(resources && client.has('resources') ? createResourceTools(settings, findClient) : []),
      ...(prompts && client.has('prompts') ? createPromptTools(settings, findClient) : []),
    ];
    const tools = [...collectTools(definitions, settings, { warn, create, own }), ...own];
    const digests = new Map(tools.map(({ name, snapshot }) => [name, snapshot.source?.digest ?? '']));
    const isSame =
      latest !== null &&
      latest.digests.size === digests.size &&
      [...digests].every(([name, digest]) => latest?.digests.get(name) === digest);
    // The same array, so that agents are not built again.
    const currentTools = isSame && latest !== null ? latest.tools : tools;
    latest = { client, revision, readAt: Date.now(), tools: currentTools, digests };
    return latest;
  };

  /** A server that was restarted does not know the session: it did not read the request. */
  const refresh = async (maxAge: number): Promise<ToolList> => {
    const client = await connection.getClient();
    try {
      return await refreshBy(client, maxAge);
    } catch (error) {
      if (!(error instanceof McpFailure) || error.kind === 'answered') throw error;
      // Of no use any more: also one that does not answer.
      connection.drop(client);
      if (error.kind !== 'session_lost') throw error;
      return await refreshBy(await connection.getClient(), maxAge);
    }
  };

  const refreshBy = async (client: McpClient, maxAge: number): Promise<ToolList> => {
    const isCurrent = (list: ToolList | null): list is ToolList =>
      list?.client === client && list.revision === client.getRevision() && Date.now() - list.readAt <= maxAge;
    if (isCurrent(latest)) return latest;
    // A list that another caller is reading may be of a revision before.
    const other = await reading?.catch(() => null);
    if (isCurrent(other ?? null) && other) return other;
    const own = read(client);
    reading = own;
    return await own.finally(() => {
      if (reading === own) reading = null;
    });
  };

  const findClient: FindClient = async (name, digest, maxAge = maxAgeMs) => {
    const { client, digests } = await refresh(maxAge).catch((error: unknown) => {
      throw new McpFailure('not_sent', `It cannot be reached; nothing was sent. ${toErrorMessage(error)}`);
    });
    const current = digests.get(name);
    if (current === digest) return { client, drop: () => connection.drop(client) };
    const { name: server } = settings.options;
    throw new NotDone(
      current === undefined
        ? `The MCP server ${server} no longer lists ${name}; the call was not sent.`
        : `The MCP server ${server} changed the definition of ${name}; the call was blocked and not sent.`,
    );
  };

  return async ({ isFresh }) => {
    // The code of known tools is enough for a running chain: a call connects itself, and compares the definition (T1).
    if (!isFresh && latest !== null && !connection.isOpen()) return latest.tools;
    try {
      return (await refresh(isFresh ? maxAgeMs : Number.POSITIVE_INFINITY)).tools;
    } catch (error) {
      if (!isFresh && latest !== null) return latest.tools;
      throw error;
    }
  };
}

async function readPages(client: McpClient, { connectMs }: McpSettings): Promise<readonly Json[]> {
  const definitions: Json[] = [];
  const deadline = Date.now() + connectMs;
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page++) {
    const params: JsonObject = cursor === null ? {} : { cursor };
    const timeoutMs = Math.max(1, deadline - Date.now());
    const { tools, nextCursor } = await client.request('tools/list', params, { timeoutMs });
    if (!Array.isArray(tools))
      throw new LonghandError('source_unreachable', 'It answered with a malformed list of tools.');
    if (definitions.length + tools.length > maxTools)
      throw new LonghandError('source_unreachable', `It lists more than ${maxTools} tools. Split the server.`);
    definitions.push(...tools);
    if (typeof nextCursor !== 'string') return definitions;
    cursor = nextCursor;
  }
  throw new LonghandError('source_unreachable', `Its list of tools has more than ${maxPages} pages.`);
}

interface CollectOptions {
  readonly warn: (text: string) => void;
  /** @throws where the definition cannot be used */
  readonly create: (listed: ListedTool) => Tool;
  /** Tools whose names are taken. */
  readonly own: readonly Tool[];
}

/** Makes tools of the definitions that are wanted. One that cannot be used is omitted, with a warning. */
function collectTools(
  definitions: readonly Json[],
  { options, prefix }: McpSettings,
  { warn, create, own }: CollectOptions,
): readonly Tool[] {
  const { name: source, only, tools: overrides = {} } = options;
  const toolByName = new Map<string, Tool>();
  const serverNames = new Set<string>();
  for (const definition of definitions) {
    const listed = readDefinition(definition, prefix, source);
    if (typeof listed === 'string') {
      warn(formatLeftOut(definition, listed));
      continue;
    }
    const { name, serverName } = listed;
    serverNames.add(serverName);
    if (only !== undefined && !only.includes(serverName)) continue;
    try {
      if (toolByName.has(name) || own.some((tool) => tool.name === name))
        throw new Error(`another tool has the name ${name}`);
      toolByName.set(name, create(listed));
    } catch (error) {
      warn(formatLeftOut(definition, describeDefinitionError(error)));
    }
  }
  for (const name of new Set([...(only ?? []), ...Object.keys(overrides)])) {
    if (!serverNames.has(name)) warn(`it has no tool ${JSON.stringify(name)}, which the options name.`);
  }
  return [...toolByName.values()];
}

function createTool(listed: ListedTool, { options }: McpSettings, findClient: FindClient): Tool {
  const { name: source, trust = mcpDefaults.trust, all = {}, tools = {} } = options;
  const { name, serverName, description, inputSchema, returns, claimedEffects, digest } = listed;
  const overrides = { ...all, ...findOwn(tools, serverName) };
  // Not every server reports changes: an unsafe call is sent only after the list was read again.
  const find = (): FoundClient =>
    tool.snapshot.effects === 'unsafe' ? findClient(name, digest, 0) : findClient(name, digest);
  const tool: Tool = defineTool({
    ...{ description, inputSchema: fromJsonSchema(inputSchema), returns, version: digest },
    effects: trust === 'annotations' ? claimedEffects : 'unsafe',
    kind: 'mcp',
    ...overrides,
    name,
    execute: (input, context): Promise<unknown> => callServer(toCall(), input, context),
  });
  const { elicitation, sampling } = options;
  const toCall = (): ServerCall => {
    const call = { listed, source, snapshot: tool.snapshot, find };
    if (elicitation === undefined && sampling === undefined) return call;
    const isUnsafe = tool.snapshot.effects === 'unsafe';
    const requesting = { listed, source, isUnsafe, elicitation, sampling };
    return { ...call, createRequests: (context, models) => createServerRequests(requesting, context, models) };
  };
  const made: Tool = { ...tool, snapshot: { ...tool.snapshot, source: { name: source, digest } } };
  if (sampling === undefined) return made;
  return {
    ...made,
    bindModels: (find) => ({ ...made.snapshot, cost: toSamplingCost(sampling, find(sampling.model)) }),
    parse: (value) => {
      tool.parse(value);
      return (context, models) => callServer(toCall(), value, context, models);
    },
  };
}

function toSamplingCost(
  { maxTokens, maxBytes, requests }: McpSampling,
  model: CallableModel,
): Extract<CallCost, { readonly kind: 'sampling' }> {
  return {
    kind: 'sampling',
    models: [model],
    maxTokens: maxTokens ?? samplingDefaults.maxTokens,
    instructionBytes: maxBytes ?? samplingDefaults.maxBytes,
    requests: requests ?? samplingDefaults.requests,
  };
}
