/**
 * Agents that delegate: sub-agents are child workflows with a chain of their own, and what they come to is an observation
 * of their parent's, whatever it is (L4).
 */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.js';
import { defineTool } from '../../src/tools/define-tool.js';
import { withWorker } from '../support/chain-test.js';
import type { RecordedRequest } from '../support/messages-server.js';
import type { ScriptedReply } from '../support/scripted-reply.js';

const model = 'claude-sonnet-5-5';

/** What the last message of a request says, and what its system prompt is. */
function askedBy({ body }: RecordedRequest): { readonly system: string; readonly last: string } {
  return { system: JSON.stringify(body.system ?? ''), last: JSON.stringify(body.messages.at(-1)) };
}

const researcher = defineAgent({
  name: 'researcher',
  description: 'Finds out facts.',
  instructions: 'RESEARCHER',
  model,
  strategy: 'tools',
  tools: [
    defineTool({
      name: 'look_up',
      description: 'Looks a thing up',
      input: z.object({ what: z.string() }),
      effects: 'read',
      run: ({ what }) => `All about ${what}.`,
    }),
  ],
});

function lead(...tools: Parameters<typeof defineAgent>[0]['tools'] & {}): ReturnType<typeof defineAgent> {
  return defineAgent({ name: 'lead', instructions: 'LEAD', model, strategy: 'tools', tools });
}

describe('an agent that has an agent among its tools', () => {
  it('gives it a task, and sees its answer', async () => {
    const script = (request: RecordedRequest): ScriptedReply => {
      const { system, last } = askedBy(request);
      if (system.includes('RESEARCHER')) {
        return last.includes('All about')
          ? { text: 'Tea comes from China.' }
          : { text: 'I look it up.', calls: [{ name: 'look_up', input: { what: 'tea' } }] };
      }
      return last.includes('tool_result')
        ? { text: 'It comes from China, says the researcher.' }
        : { text: 'I ask.', calls: [{ name: 'researcher', input: { task: 'Where does tea come from?' } }] };
    };
    await withWorker({ agents: [lead(researcher)], replies: script }, async ({ longhand }) => {
      const chain = await longhand.start('lead', 'Where does tea come from?', { chainId: `tea-${Date.now()}` });
      const result = await chain.result();
      expect(result).toMatchObject({
        outcome: 'success',
        answer: 'It comes from China, says the researcher.',
        steps: 2,
      });
      const { chain: read } = await chain.describe();
      const [call] = read.steps[0]?.calls ?? [];
      expect(call).toMatchObject({ status: 'ok', observation: 'Tea comes from China.' });
      const child = longhand.chain(`${chain.chainId}/1.1`);
      expect(await child.result()).toMatchObject({ outcome: 'success', steps: 2 });
      expect(result.subtree).toMatchObject({ chains: 1 });
    });
  });
});
