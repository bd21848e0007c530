/** An agent whose chains wait for people, for tests of the commands that decide requests. */

import { askUser } from '@longhand/tools';
import { defineAgent, defineTool } from 'longhand';
import { z } from 'zod';
import { note } from './tools.js';

const push = defineTool({
  name: 'git_push',
  description: 'Pushes commits',
  inputSchema: z.object({ branch: z.string(), token: z.string().optional().meta({ sensitive: true }) }),
  effects: 'unsafe',
  approval: { reason: 'Others get what is pushed.' },
  execute: ({ branch }) => `pushed ${branch}`,
});

const drop = defineTool({
  name: 'drop_table',
  description: 'Drops a table',
  inputSchema: z.object({ table: z.string() }),
  effects: 'unsafe',
  approval: { reason: 'It is gone then.', roles: ['dba'] },
  execute: ({ table }) => `dropped ${table}`,
});

const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({ cents: z.number() }),
  effects: 'unsafe',
  approval: { reason: 'Money leaves.', roles: ['treasury'], approvers: 2 },
  execute: ({ cents }) => `paid ${cents}`,
});

const lamp = defineTool({
  name: 'switch_lamp',
  description: 'Switches a lamp',
  inputSchema: z.object({}),
  effects: 'unsafe',
  approval: { reason: 'Somebody sits there.', expires: '2s' },
  execute: () => 'on',
});

/** Fails with an unknown outcome. */
const send = defineTool({
  name: 'send_mail',
  description: 'Sends a mail',
  inputSchema: z.object({ to: z.string() }),
  effects: 'unsafe',
  approval: false,
  execute: () => {
    throw new Error('socket hang up');
  },
});

export const deployer = defineAgent({
  name: 'deployer',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [push, note, drop, send, pay, lamp, askUser()],
});
