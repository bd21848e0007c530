/** The researcher example: native tool use on real files, and an answer that matches the output schema. */

import { expect, test } from 'vitest';
import { researcher } from '../../examples/researcher.js';
import { withWorker } from '../support/chain-test.js';

const task = "What happens when a workflow's history grows too long, and what can be done about it?";

test('the researcher ends when it calls the finish tool, with its result as the answer', async () => {
  const result = { answer: 'It is terminated; continue as new before that.', sources: ['history-limits.md'] };
  const replies = [
    { text: 'I look for notes.', calls: [{ name: 'search_notes', input: { words: ['history', 'terminates'] } }] },
    {
      text: 'I read the two that fit.',
      calls: [
        { name: 'read_note', input: { name: 'history-limits.md' } },
        { name: 'read_note', input: { name: '../../../package.json' } },
      ],
    },
    { text: 'That is all.', calls: [{ name: 'finish', input: { result: { ...result, sources: [] } } }] },
    { text: 'With its source, then.', calls: [{ name: 'finish', input: { result } }] },
  ];
  await withWorker({ agents: [researcher], replies }, async ({ longhand }) => {
    const chain = await longhand.start(researcher, task);

    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: result, steps: 4 });
    const { steps } = await chain.read();
    expect(steps[0]?.calls[0]?.observation).toMatchObject([{ name: 'history-limits.md', matches: 2 }, {}, {}]);
    expect(steps[1]?.calls).toMatchObject([
      { status: 'ok', observation: expect.stringContaining('51,200 events') },
      { status: 'error', observation: expect.stringMatching(/no note \.\.\/.*continue-as-new\.md/) },
    ]);
    expect(steps[2]).toMatchObject({ calls: [], problem: expect.stringContaining('sources') });
  });
});
