/** Agents whose chains wait for people: what the commands' tests decide. */

import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.js';
import { askUser } from '../../src/tools/builtin/ask-user.js';
import { defineTool } from '../../src/tools/define/define-tool.js';

const push = defineTool({
  name: 'git_push',
  description: 'Pushes commits',
  input: z.object({ branch: z.string(), token: z.string().optional().meta({ sensitive: true }) }),
  effects: 'unsafe',
  approval: { reason: 'Others get what is pushed.' },
  run: ({ branch }) => `pushed ${branch}`,
});

const note = defineTool({
  name: 'note',
  description: 'Notes a text',
  input: z.object({ text: z.string() }),
  effects: 'read',
  run: ({ text }) => `noted: ${text}`,
});

const drop = defineTool({
  name: 'drop_table',
  description: 'Drops a table',
  input: z.object({ table: z.string() }),
  effects: 'unsafe',
  approval: { reason: 'It is gone then.', roles: ['dba'] },
  run: ({ table }) => `dropped ${table}`,
});

const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  input: z.object({ cents: z.number() }),
  effects: 'unsafe',
  approval: { reason: 'Money leaves.', roles: ['treasury'], approvers: 2 },
  run: ({ cents }) => `paid ${cents}`,
});

const lamp = defineTool({
  name: 'switch_lamp',
  description: 'Switches a lamp',
  input: z.object({}),
  effects: 'unsafe',
  approval: { reason: 'Somebody sits there.', expires: '2s' },
  run: () => 'on',
});

/** Gone in flight: nobody knows whether it sent anything. */
const send = defineTool({
  name: 'send_mail',
  description: 'Sends a mail',
  input: z.object({ to: z.string() }),
  effects: 'unsafe',
  approval: false,
  run: () => {
    throw new Error('socket hang up');
  },
});

export const deployer = defineAgent({
  name: 'deployer',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [push, note, drop, send, pay, lamp, askUser()],
});
