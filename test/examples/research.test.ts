/** The research desk example: three parts are researched at once, one fails, and a sub-chain checks each claim. */

import { expect, test } from 'vitest';
import { researchDesk } from '../../examples/research.js';
import { createViewer } from '../../src/entries/view.js';
import { withWorker } from '../support/chain-test.js';
import type { RecordedRequest } from '../support/messages-server.js';
import type { ScriptedReply } from '../support/scripted-reply.js';

const part = (text: string) => ({ name: 'look_into', input: { part: text, why: 'it was asked' } });
const claims = ['A history has 51,200 events at most.', 'It is made of stone.'];

/** The instructions identify the agent. */
function reply({ body }: RecordedRequest): ScriptedReply {
  const system = JSON.stringify(body.system);
  const [task = '', last = ''] = [body.messages[0], body.messages.at(-1)].map((message) => JSON.stringify(message));
  const step = Math.ceil(body.messages.length / 2);
  if (system.includes('You check one claim')) {
    return { text: task.includes('stone') ? 'Not supported.' : 'Supported, in history-limits.md.' };
  }
  if (system.includes('answer from the notes alone')) {
    if (task.includes('moon')) {
      return { status: 400, error: { type: 'invalid_request_error', message: 'not on this planet' } };
    }
    const why = /Reason for the question: ([a-z ]+)/.exec(task)?.[1] ?? 'for no reason';
    return step === 1
      ? { text: 'I search.', calls: [{ name: 'search_notes', input: { words: ['history', 'limits'] } }] }
      : { text: `Found for ${last.includes('history-limits.md') ? 'history-limits.md' : 'nothing'}, because ${why}.` };
  }
  if (step === 1) {
    return { text: 'I divide it.', calls: [part('What is the limit?'), part('What helps?'), part('And on the moon?')] };
  }
  return step === 2
    ? { text: 'I have it checked.', calls: [{ name: 'check_claims', input: { tasks: claims } }] }
    : { text: claims[0] ?? '' };
}

test('the agents divide the task, research in parallel, check claims and answer with the supported ones', async () => {
  await withWorker({ agents: [researchDesk], replies: reply }, async ({ longhand }) => {
    const chain = await longhand.start(researchDesk, "What limits a workflow's history?");
    // The part that fails is tried twice.
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: claims[0], subtree: { chains: 4 + 2 } });
    const { steps } = await chain.read();
    // The plan is in the thoughts and in the calls: each part, and why it is looked into, which its reader sees as well.
    expect(steps.map(({ thought }) => thought)).toEqual(['I divide it.', 'I have it checked.', null]);
    expect(steps[0]?.calls.map(({ tool, input }) => [tool, input])).toEqual(
      ['What is the limit?', 'What helps?', 'And on the moon?'].map((text) => ['look_into', part(text).input]),
    );
    expect(steps[1]?.calls.map(({ tool, input }) => [tool, input])).toEqual([['check_claims', { tasks: claims }]]);
    // The last reply combines the answers of two sub-chains, and so does the one before.
    const seen = await chain.view(createViewer('end_user'));
    expect(seen.steps.flatMap((step) => (step.level === 'hidden' ? [] : (step.combines?.ids ?? [])))).toEqual([
      ...['1.1r', '1.2r'],
      '2.1r',
    ]);
    const [parts, checks] = steps.map(({ calls }) => calls);
    expect(parts?.map(({ status }) => status)).toEqual(['ok', 'ok', 'error']);
    expect(parts?.[0]?.observation).toMatch(
      /^Found for history-limits\.md, because it was asked\.\n\n\(note_reader: 2 steps, /,
    );
    expect(parts?.[2]?.observation).toContain('not on this planet');
    expect(checks?.[0]?.observation).toEqual({
      summary: '2 of 2 done.',
      results: [
        { task: claims[0], answer: 'Supported, in history-limits.md.' },
        { task: claims[1], answer: 'Not supported.' },
      ],
    });
  });
});
