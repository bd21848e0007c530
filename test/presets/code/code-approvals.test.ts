/** L5: each built-in tool that writes, runs, commits or pushes needs approval by default, without a rule of the agent. */

import { expect, it } from 'vitest';
import { evaluateReplyApprovals } from '../../../src/activities/model/check-reply.js';
import type { Reading } from '../../../src/core/model/reading.js';
import { emptyState } from '../../../src/core/model/state.js';
import { codeTools } from '../../../src/entries/tools.js';
import type { ChainState } from '../../../src/entries/view.js';
import { defineAgent } from '../../../src/index.js';
import { agentOf, someInput, usage } from '../../support/core-builders.js';

const tools = codeTools({ root: '.', tests: 'npm test' });

/** Returns the tools whose calls wait for a person, if a reply calls each tool once. */
async function listWaiting(): Promise<readonly string[]> {
  const agent = defineAgent({ name: 'clerk', model: 'some-model', tools });
  const calls = tools.map(({ name }) => ({ useId: null, tool: name, input: {}, rejected: null }));
  const reading: Reading = { thought: null, answer: null, problem: null, scratchpad: null, content: [], calls };
  const state: ChainState = {
    ...emptyState,
    input: someInput,
    agent: agentOf({ tools: tools.map(({ snapshot }) => snapshot) }),
  };
  const askers = { agent, approvals: {}, warn: (message: string) => expect.fail(message) };
  const { approvals } = await evaluateReplyApprovals(
    askers,
    { state, steps: [] },
    { usage: usage(1_000, 100) },
    reading,
  );
  return tools.flatMap(({ name }, at) => ((approvals?.[at] ?? null) === null ? [] : [name]));
}

it('writes, edits, commands, tests, commits and pushes wait for a person, reads of the repository do not', async () => {
  expect(await listWaiting()).toEqual(['file_write', 'file_edit', 'run_tests', 'shell_exec', 'git_commit', 'git_push']);
});
