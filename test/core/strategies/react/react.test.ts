/** The strategy `react`: a chain as a conversation, and a reply as a reading. */

import { describe, expect, it } from 'vitest';
import type { Reply, ReplyBlock, ReplyStopReason } from '../../../../src/core/model/model.js';
import { noUsage } from '../../../../src/core/model/usage.js';
import { react } from '../../../../src/core/strategies/react/react.js';
import { askUser } from '../../../../src/tools/builtin/ask-user.js';
import { cpuOnce } from '../../../support/cpu-cost.js';
import { sampleAgent, sampleCall, sampleChain, sampleStep, sampleTool } from '../sample-chain.js';
import { schemas, thought } from './read.js';

const agent = sampleAgent([sampleTool('search', schemas.search ?? {})]);

function text(words: string): { type: 'text'; text: string } {
  return { type: 'text', text: words };
}

function reply(content: readonly ReplyBlock[], stopReason: ReplyStopReason = 'end_turn'): Reply {
  return { model: 'claude', stopReason, content, usage: noUsage };
}

it('reads a refusal as a thought, not as an unreadable reply', () => {
  const refused = react.parse(reply([text('I would rather not.')], 'refusal'), agent, () => null);
  expect(refused).toMatchObject({ thought: 'I would rather not.', calls: [], answer: null, problem: null });
});

describe('render', () => {
  it('starts with the task and stops the model before it makes up an observation', () => {
    const request = react.render(sampleChain([]), agent);
    expect(request).toMatchObject({
      messages: [{ role: 'user', content: [text('Compare the weather.')] }],
      tools: [],
      toolChoice: 'auto',
      stopSequences: ['\nObservation:', 'END'],
    });
  });

  it('continues with replies, observations and corrections', () => {
    const { messages } = react.render(
      sampleChain([
        sampleStep(1),
        sampleStep(2, { calls: [], problem: 'Write "Thought:".', content: [] }),
        sampleStep(3, { calls: [sampleCall('3.1'), sampleCall('3.2', { status: 'error', observation: 'down' })] }),
        sampleStep(4, { calls: [sampleCall('4.1', { status: 'reused', reusedFrom: '1.1', observation: null })] }),
      ]),
      agent,
    );
    expect(
      messages.map(({ role, content }) => [role, ...content.map((block) => ('text' in block ? block.text : ''))]),
    ).toEqual([
      ['user', 'Compare the weather.'],
      ['assistant', 'Thought: step 1'],
      ['user', 'Observation: result of 1.1'],
      ['assistant', '(no text)'],
      ['user', 'Correction: Write "Thought:".'],
      ['assistant', 'Thought: step 3'],
      ['user', 'Observation (search): result of 3.1', 'Observation (search): Error: down'],
      ['assistant', 'Thought: step 4'],
      ['user', 'Observation: (same as in step 1) result of 1.1'],
    ]);
  });

  it('shows the notes last, so that the text before them does not change', () => {
    const steps = [sampleStep(1), sampleStep(2)];
    const bare = react.render(sampleChain(steps), agent);
    const noted = react.render(sampleChain(steps, '- Paris'), agent);
    expect(noted.system).toBe(bare.system);
    expect(noted.messages.slice(0, -1)).toEqual(bare.messages.slice(0, -1));
    expect(noted.messages.at(-1)?.content).toEqual([
      ...(bare.messages.at(-1)?.content ?? []),
      text('Scratchpad (your notes so far): - Paris'),
    ]);
    expect(react.render(sampleChain([], '- Paris'), agent).messages[0]?.content).toHaveLength(2);
    const off = sampleAgent([], { scratchpad: false });
    expect(JSON.stringify(react.render(sampleChain(steps, '- Paris'), off))).not.toContain('- Paris');
  });

  it('takes linear time', () => {
    const steps = Array.from({ length: 20_000 }, (_, at) =>
      sampleStep(at + 1, {
        calls: [sampleCall(`${at + 1}.1`, { status: 'reused', reusedFrom: `${Math.max(1, at)}.1`, observation: null })],
      }),
    );
    const chain = sampleChain(steps);
    const cost = cpuOnce(() => expect(react.render(chain, agent).messages).toHaveLength(40_001));
    expect(cost).toBeLessThan(2_000);
  });
});

describe('parse', () => {
  const wish = `${thought}Action: Request Clarification\nAction Input: Which order?`;
  const unsafe = sampleTool('delete_all', schemas.search ?? {}, { effects: 'unsafe' });

  it('does not resolve a request for clarification to another tool', () => {
    const reading = react.parse(reply([text(wish)]), sampleAgent([unsafe]), () => null);
    expect(reading.calls.map(({ tool }) => tool)).not.toContain('delete_all');
  });

  it('resolves a request for clarification to the question tool', () => {
    const { snapshot } = askUser();
    const asking = sampleTool('ask_user', snapshot.inputSchema, { question: snapshot.question });
    const reading = react.parse(reply([text(wish)]), sampleAgent([unsafe, asking]), () => null);
    expect(reading.calls).toMatchObject([{ tool: 'ask_user', input: { question: 'Which order?' } }]);
  });

  const action = `${thought}Action: search\nAction Input: {"query": "cats"}`;

  it('validates each call', () => {
    const reading = react.parse(
      reply([text(`${action}\n\nI wait.`)]),
      agent,
      (tool, input) => `${tool} ${JSON.stringify(input)}`,
    );
    expect(reading).toEqual({
      thought: 'I need the weather in Paris.',
      calls: [{ useId: null, tool: 'search', input: { query: 'cats' }, rejected: 'search {"query":"cats"}' }],
      answer: null,
      problem: null,
      scratchpad: null,
      content: [text(action)],
    });
  });

  it('joins text blocks without thinking', () => {
    const thinking: ReplyBlock = { type: 'thinking', thinking: 'Cats, then.', signature: 's' };
    const blocks = [thinking, text('Action: sea'), text('rch'), thinking, text('Action Input: cats')];
    expect(react.parse(reply(blocks), agent, () => null)).toMatchObject({
      thought: 'Cats, then.\nCats, then.',
      calls: [{ tool: 'search', input: { query: 'cats' }, rejected: null }],
      content: [text('Action: search\nAction Input: cats')],
    });
  });

  it('never returns empty content', () => {
    expect(react.parse(reply([]), agent, () => null)).toMatchObject({ content: [], problem: expect.any(String) });
  });

  it.each(['max_tokens', 'model_context_window_exceeded'] as const)('rejects an answer cut off by %s', (reason) => {
    const reading = react.parse(reply([text('Final Answer: It is')], reason), agent, () => null);
    expect(reading).toMatchObject({ answer: null, problem: expect.stringContaining('cut off at the output limit') });
  });
});
