/** An agent whose tool fails, and leaks a password and a key. */

import { defineAgent, defineTool, ToolError } from 'longhand';
import { z } from 'zod';
import { slipped } from './slipped.js';

export const openDatabase = defineTool({
  name: 'open_database',
  description: 'Opens a database',
  inputSchema: z.object({ name: z.string() }),
  effects: 'read',
  execute: ({ name }, { log }) => {
    log.info('Opening', { name, password: slipped.password });
    throw new ToolError(`Refused: the key ${slipped.key} is not known`);
  },
});

export const clerk = defineAgent({
  name: 'clerk',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [openDatabase],
});
