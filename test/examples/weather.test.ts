/** The weather example: a comparison of two observations, and an observation about an unknown city. */

import { expect, test } from 'vitest';
import { meteorologist } from '../../examples/weather.js';
import { withWorker } from '../support/chain-test.js';
import { acts, answers } from '../support/react-reply.js';
import { reacts } from '../support/reacting-model.js';

test('the meteorologist compares two cities with the results of the tool', async () => {
  const needs = ['Action Input:', 'get_weather', 'Returns the current weather of one city'];
  const replies = reacts(
    {
      needs,
      until: '18',
      reply: acts('I need the weather in San Francisco first.', 'get_weather', { city: 'San Francisco' }),
    },
    { needs, until: '12', reply: acts('Now the weather in Paris, to compare.', 'get_weather', { city: 'paris' }) },
    {
      needs: ['Final Answer:', 'state which place is warmer, and by how much'],
      reply: answers('I know both.', 'San Francisco is 6 °C warmer than Paris.'),
    },
  );
  await withWorker({ agents: [meteorologist], replies }, async ({ longhand, models }) => {
    const chain = await longhand.start(meteorologist, 'Compare the weather in San Francisco and Paris');

    expect(await chain.result()).toMatchObject({
      outcome: 'success',
      success: true,
      answer: 'San Francisco is 6 °C warmer than Paris.',
      steps: 3,
    });
    const { steps } = await chain.read();
    expect(steps.map(({ thought }) => thought)).toEqual([
      'I need the weather in San Francisco first.',
      'Now the weather in Paris, to compare.',
      'I know both.',
    ]);
    expect(steps.flatMap(({ calls }) => calls.map(({ observation }) => observation))).toEqual([
      { city: 'San Francisco', celsius: 18, conditions: 'partly cloudy' },
      { city: 'Paris', celsius: 12, conditions: 'rainy' },
    ]);
    expect(JSON.stringify(models.requests[2]?.body.messages.at(-1))).toContain('12');
  });
});

test('an unknown city is an observation that lists the known ones', async () => {
  const replies = [
    acts('Let me look up the weather in Atlantis.', 'get_weather', { city: 'Atlantis' }),
    answers('There is no station there.', 'Atlantis has no weather station.'),
  ];
  await withWorker({ agents: [meteorologist], replies }, async ({ longhand }) => {
    const chain = await longhand.start(meteorologist, 'How is the weather in Atlantis?');

    expect((await chain.result()).success).toBe(true);
    const [call] = (await chain.read()).steps[0]?.calls ?? [];
    expect(call).toMatchObject({ status: 'error', tool: 'get_weather' });
    expect(call?.observation).toMatch(/no weather station in Atlantis.*Paris/);
  });
});
