/** Tools with which the model lists and reads the resources of an MCP server. */

import { z } from 'zod';
import { defineTool, type Tool, ToolError } from '../define/index.js';
import type { FindClient } from './call.js';
import type { McpSettings } from './options.js';
import { createOwnTools, pickTexts, strangerNote } from './own-tools.js';
import { toResource } from './result.js';

const maxParts = 50;

export function createResourceTools(settings: McpSettings, findClient: FindClient): readonly Tool[] {
  const { options, prefix } = settings;
  const { name: source } = options;
  const { common, toOwn, request, list } = createOwnTools(settings, findClient);
  const listName = `${prefix}list_resources`;
  const readName = `${prefix}read_resource`;
  const listResources = defineTool({
    ...common,
    name: listName,
    description: `Lists the resources of the MCP server ${source}, with their URIs. ${strangerNote}`,
    inputSchema: z.object({ cursor: z.string().optional().describe('`next` of the page before') }),
    execute: async ({ cursor }, context) => {
      const { items, ...page } = await list(listName, 'resources', cursor, context);
      return { resources: items.map((item) => pickTexts(item, ['uri', 'name', 'description', 'mimeType'])), ...page };
    },
  });
  const readResource = defineTool({
    ...common,
    name: readName,
    description: `Reads a resource of the MCP server ${source}. ${strangerNote}`,
    inputSchema: z.object({
      uri: z.string().describe(`A URI, as ${listName} or another tool of the server states it`),
    }),
    execute: async ({ uri }, context) => {
      const { contents } = await request(readName, 'resources/read', { uri }, context);
      if (!Array.isArray(contents)) throw new ToolError(`The MCP server ${source} sent a malformed resource.`);
      const parts = contents.slice(0, maxParts).map(toResource);
      return parts.length === 1 ? parts[0] : parts;
    },
  });
  return [toOwn(listResources), toOwn(readResource)];
}
