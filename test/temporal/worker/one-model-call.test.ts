/** One call of a model, without tools: an agent without tools, started by a program or by a workflow of a user. */

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';

const summarizer = defineAgent({
  name: 'summarizer',
  instructions: 'Sum up the text in one sentence.',
  model: 'claude-haiku-5-5',
});
const worker = { workflowsPath: fileURLToPath(new URL('../../support/own-workflows.ts', import.meta.url)) };

it('an agent without tools is one request, one step and one answer, for a program and for a workflow', async () => {
  const replies = [{ text: 'It rains.' }, { text: 'It snows.' }];
  await withWorker({ agents: [summarizer], replies, worker }, async ({ longhand, models, taskQueue }) => {
    const chain = await longhand.start(summarizer, 'It rains and rains.');
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'It rains.', steps: 1 });
    const args = ['summarizer', 'It snows and snows.'];
    const workflowId = `own-${randomUUID()}`;
    const result = await longhand.client.workflow.execute('runOne', { taskQueue, workflowId, args });
    expect(result).toMatchObject({ outcome: 'success', answer: 'It snows.', steps: 1 });
    expect(models.requests).toHaveLength(2);
    for (const { body } of models.requests) {
      expect(JSON.stringify(body.system)).toContain('Sum up the text in one sentence.');
      expect(body.tools ?? []).toEqual([]);
      expect(body.messages).toHaveLength(1);
    }
    const history = await longhand.client.workflow.getHandle(chain.chainId).fetchHistory();
    expect(history.events?.length).toBeLessThan(20);
  });
});
