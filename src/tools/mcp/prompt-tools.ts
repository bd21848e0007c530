/** Tools with which the model lists and gets the prompts of an MCP server. */

import { z } from 'zod';
import { isObject, type Json } from '../../core/lib/index.js';
import { defineTool, type Tool, ToolError } from '../define/index.js';
import type { FindClient } from './call.js';
import type { McpSettings } from './options.js';
import { createOwnTools, pickTexts, strangerNote } from './own-tools.js';
import { toPart } from './result.js';

const maxMessages = 50;
const maxArguments = 50;

export function createPromptTools(settings: McpSettings, findClient: FindClient): readonly Tool[] {
  const { options, prefix } = settings;
  const { name: source } = options;
  const { common, toOwn, request, list } = createOwnTools(settings, findClient);
  const listName = `${prefix}list_prompts`;
  const getName = `${prefix}get_prompt`;
  const listPrompts = defineTool({
    ...common,
    name: listName,
    description: `Lists the prompts of the MCP server ${source}, with their arguments. ${strangerNote}`,
    inputSchema: z.object({ cursor: z.string().optional().describe('`next` of the page before') }),
    execute: async ({ cursor }, context) => {
      const { items, ...page } = await list(listName, 'prompts', cursor, context);
      return { prompts: items.map(toListed), ...page };
    },
  });
  const getPrompt = defineTool({
    ...common,
    name: getName,
    description: `Gets a prompt of the MCP server ${source}, filled in. ${strangerNote}`,
    inputSchema: z.object({
      name: z.string().describe(`A name, as ${listName} states it`),
      arguments: z.record(z.string(), z.string()).optional().describe('The arguments of the prompt'),
    }),
    execute: async ({ name, arguments: values = {} }, context) => {
      const { messages } = await request(getName, 'prompts/get', { name, arguments: values }, context);
      if (!Array.isArray(messages)) throw new ToolError(`The MCP server ${source} sent a malformed prompt.`);
      return { messages: messages.slice(0, maxMessages).map(toMessage) };
    },
  });
  return [toOwn(listPrompts), toOwn(getPrompt)];
}

function toListed(prompt: Json) {
  const list = isObject(prompt) && Array.isArray(prompt.arguments) ? prompt.arguments : [];
  return {
    ...pickTexts(prompt, ['name', 'title', 'description']),
    arguments: list.slice(0, maxArguments).map((argument) => ({
      ...pickTexts(argument, ['name', 'description']),
      required: isObject(argument) && argument.required === true,
    })),
  };
}

function toMessage(message: Json, index: number) {
  const { role, content } = isObject(message) ? message : {};
  return { role: role === 'assistant' ? 'assistant' : 'user', content: toPart(content ?? null, index) };
}
