/** Each strategy on a real server, from the first thought to the answer. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildTrace, createViewer } from '../../../src/entries/view.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import type { Script } from '../../support/messages-server.js';
import { acts, answers } from '../../support/react-reply.js';

const weather = defineTool({
  name: 'get_weather',
  description: 'Current weather of a city',
  inputSchema: z.object({ city: z.string().describe('City name') }),
  effects: 'read',
  execute: ({ city }) => ({ city, celsius: city === 'Paris' ? 12 : 18 }),
});

const base = { model: 'claude-sonnet-5-5', tools: [weather] } as const;

describe('react', () => {
  const agent = defineAgent({ ...base, name: 'reacting', strategy: 'react' });

  it('thinks, acts, observes and answers', async () => {
    const replies = [
      acts('I need the weather in Paris.', 'get_weather', { city: 'Paris' }),
      answers('I know it now.', 'It is 12 °C in Paris.'),
    ];
    await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
      const chain = await longhand.start(agent, 'How warm is Paris?');
      const { trace, ...result } = await chain.result({ trace: true });
      expect(result).toMatchObject({ outcome: 'success', answer: 'It is 12 °C in Paris.', steps: 2 });
      expect(trace).toEqual(buildTrace(await chain.read()));
      expect(trace.steps[0]).toMatchObject({
        iteration: 1,
        thought: 'I need the weather in Paris.',
        actions: [{ tool: 'get_weather', input: { city: 'Paris' } }],
        observations: [{ content: { city: 'Paris', celsius: 12 }, isError: false }],
      });
      expect(JSON.stringify(models.requests[1]?.body)).toContain('Observation: {\\"city\\":\\"Paris\\"');
    });
  });

  it('ignores invented observations and an answer after an action', async () => {
    const made = acts('I need the weather in Paris.', 'get_weather', { city: 'Paris' }).text;
    const replies = [
      { text: `${made}\nObservation: {"celsius": 40}\nThought: hot!\nFinal Answer: 40 °C` },
      answers('Now I have seen it.', '12 °C'),
    ];
    await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
      expect((await (await longhand.start(agent, 'How warm is Paris?')).result()).answer).toBe('12 °C');
      expect(JSON.stringify(models.requests[1]?.body)).not.toContain('40');
    });
  });

  it('records the scratchpad of the model', async () => {
    const replies = [
      {
        text: 'Thought: I need the weather in Paris.\nScratchpad: Paris first, then Rome.\nAction: get_weather\nAction Input: {"city": "Paris"}',
      },
      answers('Enough for now.', 'Paris only.'),
    ];
    await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
      const chain = await longhand.start(agent, 'Weather?');
      await chain.result();
      expect((await chain.describe()).currentScratchpad).toBe('Paris first, then Rome.');
      expect(JSON.stringify(models.requests[1]?.body)).toContain('Paris first, then Rome.');
    });
  });

  it('reports an unreadable reply to the model and continues', async () => {
    const replies = [{ text: 'I will look at the weather.' }, answers('In the right form now.', 'Nice.')];
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Weather?');
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Nice.', steps: 2 });
      expect((await chain.read()).steps[0]?.problem).toContain('Final Answer');
    });
  });
});

describe('tools', () => {
  const agent = defineAgent({ ...base, name: 'calling', strategy: 'tools' });

  it('runs parallel calls, sends thinking back unchanged and ends without a call', async () => {
    const replies = [
      {
        thinking: 'Two cities, two calls.',
        text: 'I look at both.',
        calls: [
          { name: 'get_weather', input: { city: 'Paris' } },
          { name: 'get_weather', input: { city: 'Rome' } },
        ],
      },
      { text: 'Rome is warmer.' },
    ];
    await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
      const result = await (await longhand.start(agent, 'Which is warmer?')).result();
      expect(result).toMatchObject({ outcome: 'success', answer: 'Rome is warmer.', steps: 2 });
      expect(models.rejected).toEqual([]);
    });
  });
});

describe('reflection and parts of prompts', () => {
  const fare = defineTool({
    name: 'get_fare',
    description: 'The fare to a city',
    inputSchema: z.object({ city: z.string() }),
    effects: 'read',
    reuse: '5m',
    execute: ({ city }) => ({ city, euros: 39 }),
  });
  const agent = defineAgent({
    ...base,
    name: 'traveller',
    models: { observer: 'claude-haiku-5-5' },
    strategy: { name: 'tools', canFail: true },
    tools: [fare],
    promptParts: ['steps', 'progress', 'example'],
    reflection: { observer: 'model', every: 2 },
  });

  /** Knows only its request: without what the observer learned, it does not know when to end. */
  const reply: Script = ({ body: { system, messages } }) => {
    const sent = JSON.stringify(messages);
    if (JSON.stringify(system).includes('You observe an agent')) {
      const known = sent.includes('euros') && sent.includes('Oslo') && sent.includes('Rome');
      const learned = known ? ['Both fares are 39 euros.'] : [];
      return {
        text: JSON.stringify({ learned, progress: 'Both fares are known.', next: 'Give up: both cost the same.' }),
      };
    }
    const status = JSON.stringify(messages.at(-1));
    if (status.includes('Next: Give up') && status.includes('Learned: Both fares are 39 euros.'))
      return { calls: [{ name: 'cannot_complete', input: { reason: 'Neither is cheaper: both cost 39 euros.' } }] };
    const city = status.includes('Step 1 of at most') ? 'Oslo' : 'Rome';
    return { text: `I need the fare to ${city}.`, calls: [{ name: 'get_fare', input: { city } }] };
  };

  it('has the reflection of a smaller model in its next request, pays for it, and may end as a failure', async () => {
    // The observer's call is pending when the chain continues as new.
    const worker = { continueAfter: { steps: 1 } };
    await withWorker({ agents: [agent], replies: reply, worker }, async ({ longhand, models }) => {
      const chain = await longhand.start(agent, 'Which is cheaper, Oslo or Rome?');
      expect(await chain.result()).toMatchObject({
        outcome: 'failure',
        steps: 3,
        reason: 'The model could not complete the task: Neither is cheaper: both cost 39 euros.',
      });
      expect(models.requests.map(({ body }) => body.model)).toEqual([
        'claude-sonnet-5-5',
        'claude-sonnet-5-5',
        'claude-haiku-5-5',
        'claude-sonnet-5-5',
      ]);
      const auditor = createViewer('auditor');
      const { notices, state } = await chain.read();
      expect(notices.filter(({ code }) => code === 'reflected')).toMatchObject([
        { step: 2, asked: { call: 'aside-1', model: 'claude-haiku-5-5', costUsd: expect.any(Number) } },
      ]);
      expect(state.modelTotals.map(({ model, calls }) => [model, calls])).toEqual([
        ['claude-sonnet-5-5', 3],
        ['claude-haiku-5-5', 1],
      ]);
      expect(await chain.readPrompt('aside-1', auditor)).toMatchObject({
        kind: 'sent',
        purpose: 'observer',
        proof: 'proven',
      });
      expect(await chain.readPrompt(3, auditor)).toMatchObject({ kind: 'sent', purpose: 'step', proof: 'proven' });
    });
  });
});

describe('judged ends', () => {
  const agent = defineAgent({
    ...base,
    name: 'judged',
    strategy: 'tools',
    models: { judge: 'claude-haiku-5-5' },
    judge: { criteria: 'The answer is in degrees Celsius.' },
  });

  /** Neither model knows more than its request. */
  const reply: Script = ({ body: { system, messages } }) => {
    const sent = JSON.stringify(messages);
    if (!JSON.stringify(system).includes('You judge the end'))
      return { text: sent.includes('not in degrees Celsius') ? '12 °C' : '54 °F' };
    const isMet = JSON.stringify(system).includes('degrees Celsius') && sent.includes('12 °C');
    return {
      text: JSON.stringify({
        verdict: isMet ? 'allow' : 'deny',
        reasons: isMet ? [] : ['It is not in degrees Celsius.'],
      }),
    };
  };

  it('an answer goes back to the model with the reasons of the judge until it meets the criteria', async () => {
    await withWorker({ agents: [agent], replies: reply }, async ({ longhand, models }) => {
      const chain = await longhand.start(agent, 'How warm is Paris?');
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: '12 °C', steps: 2 });
      const names = ['sonnet', 'haiku', 'sonnet', 'haiku'].map((name) => `claude-${name}-5-5`);
      expect(models.requests.map(({ body }) => body.model)).toEqual(names);
      const { notices } = await chain.read();
      expect(notices.map(({ code, verdict }) => [code, verdict])).toEqual([
        ['judged', 'deny'],
        ['judged', 'allow'],
      ]);
      expect(await chain.readPrompt('aside-2', createViewer('auditor'))).toMatchObject({
        purpose: 'judge',
        proof: 'proven',
      });
    });
  });
});

describe('autonomous', () => {
  const agent = defineAgent({ ...base, name: 'finishing', strategy: 'autonomous' });

  it('ends when the finish tool is called and does not execute other calls of the reply', async () => {
    const replies = [
      { text: 'First a look.', calls: [{ name: 'get_weather', input: { city: 'Paris' } }] },
      {
        text: 'That will do.',
        calls: [
          { name: 'finish', input: { result: '12 °C' } },
          { name: 'get_weather', input: { city: 'Rome' } },
        ],
      },
    ];
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'How warm is Paris?');
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: '12 °C', steps: 2 });
      const last = (await chain.read()).steps.at(-1);
      expect(last?.calls.map(({ tool, status }) => [tool, status])).toEqual([
        ['finish', 'ok'],
        ['get_weather', 'not_run'],
      ]);
    });
  });

  it('rejects invalid arguments of finish and executes the other calls', async () => {
    const replies = [
      {
        calls: [
          { name: 'finish', input: { answer: 12 } },
          { name: 'get_weather', input: { city: 'Paris' } },
        ],
      },
      { calls: [{ name: 'finish', input: { result: '12 °C' } }] },
    ];
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'How warm is Paris?');
      expect((await chain.result()).answer).toBe('12 °C');
      const [first] = (await chain.read()).steps;
      expect(first?.calls.map(({ tool, status }) => [tool, status])).toEqual([
        ['finish', 'error'],
        ['get_weather', 'ok'],
      ]);
    });
  });

  it('reports at its step limit that finish was not called', async () => {
    const replies = [
      { text: 'A look.', calls: [{ name: 'get_weather', input: { city: 'Paris' } }] },
      { text: 'Another.', calls: [{ name: 'get_weather', input: { city: 'Rome' } }] },
      { text: 'Paris 12, Rome 18.' },
    ];
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const result = await (await longhand.start(agent, 'Weather?', { limits: { steps: 2 } })).result();
      expect(result).toMatchObject({
        outcome: 'max_iterations',
        answer: null,
        partial: 'Paris 12, Rome 18.',
        reason: expect.stringContaining('"finish"'),
        reasonCode: 'max_steps',
      });
    });
  });
});
