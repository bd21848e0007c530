/** Arguments of calls whose tool the worker of the model call lacks. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { validateCall } from '../../../src/activities/model/check-reply.js';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import { askUser, wait } from '../../../src/entries/tools.js';
import { defineAgent, defineTool, delegate, type Tool } from '../../../src/index.js';
import { agentOf } from '../../support/core-builders.js';

const createAgent = (name: string, tools: readonly Tool[] = []) =>
  defineAgent({ name, model: 'some-model', strategy: 'tools', tools });
/** The worker has the agent without a tool; the chain started with it. */
const validate = (tool: Tool, input: Parameters<typeof validateCall>[3]) => {
  const snapshot: AgentSnapshot = agentOf({ tools: [tool.snapshot] });
  return validateCall(createAgent('clerk'), snapshot, tool.name, input);
};

it.each<[string, Tool, object]>([
  ['a question', askUser(), { question: 'Which one?' }],
  ['a wait', wait(), { seconds: 5 }],
  ['a delegating call', delegate(createAgent('researcher')), { task: 'Look it up.' }],
])('the arguments of %s are validated with the schema of the snapshot, because no worker runs it', (_, tool, valid) => {
  expect(validate(tool, valid as never)).toBeNull();
  const rejected = validate(tool, { question: 7, seconds: 'soon', task: 7 });
  expect(rejected).toMatch(new RegExp(`^The arguments of ${tool.name} are invalid. The call was not run.\n`));
});

it('the arguments of any other call are left to the worker that runs it, whose schema may be a newer one', () => {
  const pay = defineTool({
    ...{ name: 'pay', description: 'Pays', effects: 'unsafe' },
    inputSchema: z.object({ cents: z.number() }),
    execute: () => 1,
  });
  expect(validate(pay, { cents: 'all' })).toBeNull();
});

it('a call of a tool that the chain does not offer is rejected', () => {
  const rejected = validateCall(createAgent('clerk'), agentOf({ tools: [] }), 'ghost', {});
  expect(rejected).toContain('There is no tool named ghost.');
});
