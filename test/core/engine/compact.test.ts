/** The context window is watched before each model call: the oldest steps are summarized before it is full. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTurnPrefix, foldRecordedTurns, toOrigin } from '../../../src/core/engine/fold-turns.js';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import type { ModelRequest } from '../../../src/core/model/model.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import { planDefaults, reactDefaults, toolsDefaults } from '../../../src/core/strategies/strategy.js';
import type { Json } from '../../../src/index.js';
import { budget } from '../../support/budget.js';
import { agentOf, answers, asks, look, modelFailure, replyOf, someInput, usage } from '../../support/core-builders.js';
import { requestTokens } from '../../support/core-environment.js';
import { pauses, steers } from '../../support/core-people.js';
import { type Play, prepared, started } from '../../support/core-play.js';

const model = { maxTokens: 1_000, contextTokens: 20_000 };
const limits = { steps: 100, stallThreshold: 50, tokens: 10_000_000, costUsd: 1_000 };
const clerk = agentOf({ model, limits });

const render = (play: Play, agent: AgentSnapshot): ModelRequest =>
  renderRequest(play.chain, agent, play.modelCall.purpose);

/** The request's texts of one message, or of all. */
function textOf({ messages }: ModelRequest, at?: number): string {
  return JSON.stringify(at === undefined ? messages : messages[at]);
}

const observation = (step: number) => `Page ${step}. ${`Row of page ${step}. `.repeat(100)}End of page ${step}.`;

/** Takes a step that reads a page of 2 KB; a provider counts three bytes as a token. */
function takeStep(play: Play, agent: AgentSnapshot, content: Json = observation(play.state.steps + 1)): ModelRequest {
  const request = render(play, agent);
  const step = play.state.steps + 1;
  play.replied({ ...asks(look({ page: step })), usage: usage(Math.ceil(requestTokens(request) / 3), 50) });
  play.returned(`${step}.1`, content);
  return request;
}

function takeSteps(play: Play, agent: AgentSnapshot, count: number): readonly ModelRequest[] {
  return Array.from({ length: count }, () => takeStep(play, agent));
}

const listNotices = (play: Play) =>
  play.chain.notices.flatMap(({ code, text, step }) => (code === 'compacted' ? [{ step, text }] : []));

describe('a chain whose conversation fills the context window', () => {
  it.each([
    ['tools', clerk],
    ['react', agentOf({ model, limits, strategy: reactDefaults })],
  ])('has its oldest steps summarized in requests, before the provider rejects (%s)', (_name, agent) => {
    const play = prepared(agent);
    const requests = takeSteps(play, agent, 40);
    const [first] = listNotices(play);
    expect(first?.text).toMatch(/^Steps 1 to \d+ are summarized in requests from here on\.$/);
    const at = first?.step ?? 0;
    const before = requests[at - 1] as ModelRequest;
    const after = requests[at] as ModelRequest;
    expect(textOf(before)).toContain('End of page 1.');
    // The oldest step is a line, the newest is unchanged.
    expect(textOf(after, 0)).toContain('1. I shall see. look({\\"page\\":1}) -> \\"Page 1. Row of page 1.');
    expect(textOf(after)).not.toContain('End of page 1.');
    expect(textOf(after)).toContain(`End of page ${at}.`);
    expect(requestTokens(after)).toBeLessThan(requestTokens(before));
    for (const request of requests) expect(requestTokens(request) / 3).toBeLessThan(0.8 * model.contextTokens);
    expect(play.state.stop).toBeNull();
  });

  it('has requests that only grow at their end, so that the prompt cache is invalidated once for each summary', () => {
    const play = prepared(clerk);
    const requests = takeSteps(play, clerk, 60);
    const changed = requests.flatMap(({ messages }, at) => {
      const earlier = requests[at - 1]?.messages ?? [];
      const isPrefix = JSON.stringify(messages.slice(0, earlier.length)) === JSON.stringify(earlier);
      return isPrefix ? [] : [at];
    });
    expect(changed.length).toBeGreaterThan(1);
    expect(changed).toEqual(listNotices(play).map(({ step }) => step));
    expect(changed.length).toBeLessThan(8);
  });

  it('keeps messages of people unchanged, and shows the plan as it was after the summarized steps', () => {
    const agent = agentOf({ model, limits, strategy: { ...planDefaults, reflection: false } });
    const play = prepared(agent);
    const tasks = [{ id: 'a', description: 'Read all pages', dependsOn: [], tools: [] }];
    play.replied(asks({ tool: 'make_plan', input: { tasks } }));
    const text = `Never pay more than 5 euros. ${'Mind that. '.repeat(20)}The end.`;
    play.take(steers(text));
    expect(play.chain.messages.map(({ afterStep }) => afterStep)).toEqual([2]);
    takeSteps(play, agent, 40);
    const request = render(play, agent);
    expect(listNotices(play)).not.toEqual([]);
    expect(textOf(request, 0)).toContain('The plan after these steps:');
    expect(textOf(request, 0)).toContain('Read all pages');
    expect(textOf(request, 0)).toContain(text);
  });

  it('shows the newest learnings of the summarized steps', () => {
    const agent = agentOf({ model, limits, strategy: { ...planDefaults, reflection: false } });
    const play = prepared(agent);
    play.replied(asks({ tool: 'make_plan', input: { tasks: ['Read all pages'] } }));
    const learned = ['Odd pages are blank.', 'x'.repeat(300)];
    play.replied(asks({ tool: 'review_plan', input: { learned, assessment: 'Half.' } }));
    takeSteps(play, agent, 40);
    const text = textOf(render(play, agent), 0);
    expect(text).toContain('Learned so far:\\n- Odd pages are blank.\\n- xxx');
    expect(text).not.toContain('x'.repeat(201));
  });

  it('has a summary of bounded size, which leaves out the oldest steps first', () => {
    const agent = agentOf({ model: { ...model, contextTokens: 8_000 }, limits: { ...limits, steps: 300 } });
    const play = prepared(agent);
    takeSteps(play, agent, 200);
    const [{ content = [] } = {}] = render(play, agent).messages;
    const summary = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).at(-1) ?? '';
    expect(summary).toMatch(/^Summary of steps 1 to 19\d\./);
    expect(summary).toMatch(/\nSteps 1 to 1\d\d are left out\.\n/);
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(8_000 / 4);
  });

  it('does not change requests where the window is unknown', () => {
    const agent = agentOf({ model: { ...model, contextTokens: null }, limits });
    const play = prepared(agent);
    const requests = takeSteps(play, agent, 40);
    expect(listNotices(play)).toEqual([]);
    expect(requests.at(-1)?.messages).toHaveLength(1 + 2 * 39);
    expect(play.state.conversation.summary).toBeNull();
  });

  it('summarizes later where `compactAt` is higher', () => {
    const steps = [0.3, 0.8].map((compactAt) => {
      const agent = agentOf({ model: { ...model, compactAt }, limits });
      const play = prepared(agent);
      takeSteps(play, agent, 40);
      return listNotices(play)[0]?.step ?? 0;
    });
    expect(steps[0]).toBeLessThan(steps[1] as number);
  });
});

describe('a chain whose next request cannot fit the context window', () => {
  it('ends as context_full before the request, with a last call that fits', () => {
    const play = prepared(clerk);
    takeStep(play, clerk);
    takeStep(play, clerk, 'x'.repeat(100_000));
    expect(play.state.stop).toMatchObject({ outcome: 'token_budget', reason: { code: 'context_full' } });
    expect(play.modelCall.purpose).toBe('closing');
    const request = render(play, clerk);
    expect(requestTokens(request)).toBeLessThanOrEqual(play.modelCall.reservation.inputTokens);
    expect(requestTokens(request)).toBeLessThan(model.contextTokens / 2);
    expect(textOf(request)).toContain('2. I shall see. look(');
    play.replied(answers('There are many x.'));
    expect(play.result).toMatchObject({ outcome: 'token_budget', partial: 'There are many x.' });
  });

  it('ends without a model call where the task alone is too long', () => {
    const play = prepared(clerk, { ...someInput, task: 'x'.repeat(100_000) });
    expect(play.modelCalls).toEqual([]);
    expect(play.result).toMatchObject({ outcome: 'token_budget', reasonCode: 'context_full' });
  });

  it('makes the call where only the bound, but not the estimate, exceeds the window', () => {
    const play = prepared(clerk, { ...someInput, task: 'x'.repeat(40_000) });
    expect(play.modelCalls).toHaveLength(1);
  });
});

describe('a request that the provider rejects as too long', () => {
  const unknown = agentOf({ model: { ...model, contextTokens: null }, limits });

  it.each([
    ['unknown', unknown],
    ['smaller than the price map has it', agentOf({ model: { ...model, contextTokens: 200_000 }, limits })],
  ])('is made again with a summary of the oldest steps, where the window is %s', (_name, agent) => {
    const play = prepared(agent);
    takeSteps(play, agent, 10);
    const rejected = render(play, agent);
    play.failed(modelFailure('context_overflow'));
    const [notice] = listNotices(play);
    expect(notice).toMatchObject({
      step: 10,
      text: expect.stringMatching(/^The provider rejected .* too long\. Steps 1 to \d are/),
    });
    expect(play.modelCall).toMatchObject({ call: 'model-12', purpose: 'step', attempt: 1 });
    const shorter = render(play, agent);
    expect(requestTokens(shorter)).toBeLessThan((requestTokens(rejected) * 2) / 3);
    expect(requestTokens(shorter)).toBeLessThanOrEqual(play.modelCall.reservation.inputTokens);
    expect(textOf(shorter)).toContain('End of page 10.');
    takeStep(play, agent);
    expect(play.state.stop).toBeNull();
  });

  it('has as many attempts and as much time as any other call, after attempts that failed otherwise', () => {
    const play = prepared(unknown);
    takeSteps(play, unknown, 10);
    play.failed(modelFailure('overloaded'));
    play.after(1_000).fired('retry');
    expect(play.state).toMatchObject({ attempt: 2, failing: { failure: 'overloaded' } });
    play.failed(modelFailure('context_overflow'));
    expect(play.state).toMatchObject({ attempt: 1, failing: null });
  });

  it('ends the chain with the fix, if the shorter request is rejected too', () => {
    const play = prepared(unknown);
    takeSteps(play, unknown, 10);
    play.failed(modelFailure('context_overflow'));
    play.failed(modelFailure('context_overflow'));
    expect(play.modelCalls).toHaveLength(12);
    expect(play.result).toMatchObject({ outcome: 'token_budget', reasonCode: 'context_rejected' });
    expect(play.result?.reason).toContain('Lower maxObservationTokens');
    expect(play.result?.partial).toContain('I shall see.');
  });

  it('ends the chain if no step can be summarized', () => {
    const play = prepared(unknown);
    takeSteps(play, unknown, 1);
    play.failed(modelFailure('context_overflow'));
    expect(play.modelCalls).toHaveLength(2);
    expect(play.result).toMatchObject({ outcome: 'token_budget', reasonCode: 'context_rejected' });
  });

  it('is compacted again in a later step', () => {
    const play = prepared(unknown);
    takeSteps(play, unknown, 10);
    play.failed(modelFailure('context_overflow'));
    takeSteps(play, unknown, 10);
    play.failed(modelFailure('context_overflow'));
    expect(listNotices(play).map(({ step }) => step)).toEqual([10, 20]);
    expect(play.state.stop).toBeNull();
  });

  it('is compacted once, however many facts follow before the next call', () => {
    const play = prepared(unknown);
    takeSteps(play, unknown, 10);
    play.take(pauses());
    play.failed(modelFailure('context_overflow'));
    play.take(steers('Hurry.'));
    expect(listNotices(play)).toHaveLength(1);
    expect(play.state.stop).toBeNull();
  });
});

it('a fork of a summarized chain renders the request of its origin, and so does every replay', () => {
  const play = prepared(clerk);
  takeSteps(play, clerk, 40);
  const folded = foldRecordedTurns(play.turns);
  expect(renderRequest(folded.chain, clerk, 'step')).toEqual(render(play, clerk));
  const cut = findTurnPrefix(folded.turns, 40);
  if (cut === null) throw new Error('Step 40 is missing.');
  const fork = started({ ...someInput, origin: toOrigin({ chainId: 'chain-0', runId: 'run-0' }, cut, 40, null) });
  fork.take({ type: 'prepared', agent: clerk });
  expect(render(fork, clerk)).toEqual(render(play, clerk));
  expect(listNotices(fork)).toEqual(listNotices(play));
  expect(requestTokens(render(fork, clerk)) / 3).toBeLessThanOrEqual(fork.modelCall.reservation.inputTokens);
});

const someSteps = fc.array(
  fc.record({
    thought: fc.integer({ min: 1, max: 600 }),
    observation: fc.oneof(fc.integer({ min: 0, max: 1_500 }), fc.integer({ min: 0, max: 12_000 })),
    message: fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 1, max: 800 })),
    notes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3_000 })),
  }),
  { minLength: 30, maxLength: 90 },
);

it('L6: a request with a summary is within its reservation, even if every byte were a token', () => {
  let summarized = 0;
  const agents = fc
    .record({
      strategy: fc.constantFrom(toolsDefaults, reactDefaults),
      contextTokens: fc.constantFrom(12_000, 30_000, 60_000),
    })
    .map(({ strategy, contextTokens }) => agentOf({ model: { ...model, contextTokens }, limits, strategy }));
  fc.assert(
    fc.property(agents, someSteps, (given, steps) => {
      const agent = { ...given, promptBytes: requestTokens(render(prepared(given), given)) };
      const play = prepared(agent);
      for (const [at, { thought, observation: bytes, message, notes }] of steps.entries()) {
        if (play.state.stop !== null) break;
        const request = render(play, agent);
        const used = requestTokens(request);
        expect(used).toBeLessThanOrEqual(play.modelCall.reservation.inputTokens);
        if (play.state.conversation.summary !== null) summarized += 1;
        const text = { type: 'text', text: 'I see. '.repeat(thought).slice(0, thought) } as const;
        const { reading, ...reply } = asks(look({ at }));
        const content = [text, ...reading.content];
        const scratchpad = notes === 0 ? null : 'n'.repeat(notes);
        const written = requestTokens({
          ...request,
          system: '',
          tools: [],
          messages: [{ role: 'assistant', content }],
        });
        play.replied({
          ...reply,
          reading: { ...reading, thought: text.text, content, scratchpad },
          usage: usage(used, written),
        });
        if (message > 0) play.take(steers('m'.repeat(message)));
        play.returned(`${at + 1}.1`, 'o'.repeat(bytes));
      }
    }),
    { numRuns: budget(8, 120) },
  );
  expect(summarized).toBeGreaterThan(100);
});

it('the sizes in the state are bounded, however many steps a chain takes', () => {
  const agent = agentOf({ model, limits: { ...limits, steps: 300 } });
  const play = prepared(agent);
  for (let step = 1; step <= 200; step++) {
    play.replied(replyOf({ calls: asks(look({ step })).reading.calls }));
    play.returned(`${step}.1`, `${step}`);
  }
  expect(play.state.conversation.stepBytes).toHaveLength(64);
});
