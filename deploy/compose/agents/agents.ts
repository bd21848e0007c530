/**
 * The agents of the workers in docker-compose.yml: replace this folder by yours with LONGHAND_AGENTS=./my-agents.
 *
 * npx longhand start meteorologist "Compare the weather in San Francisco and Paris" --address localhost:7233
 */

import { defineAgent, defineTool, ToolError } from 'longhand';
import { z } from 'zod';

const reports: Readonly<Record<string, string>> = {
  'San Francisco': '18 °C, partly cloudy',
  Paris: '12 °C, rainy',
  Nairobi: '24 °C, sunny',
};

const getWeather = defineTool({
  name: 'get_weather',
  description: 'Returns the current weather of one city.',
  inputSchema: z.object({ city: z.string().describe('Name of the city, without its country') }),
  effects: 'read',
  execute: ({ city }) => {
    if (Object.hasOwn(reports, city)) return reports[city];
    throw new ToolError(`There is no weather station in ${city}. There is one in: ${Object.keys(reports).join(', ')}.`);
  },
});

export const meteorologist = defineAgent({
  name: 'meteorologist',
  instructions: 'You compare weather. Give temperatures in °C, and state which place is warmer, and by how much.',
  model: process.env.LONGHAND_MODEL ?? 'claude-sonnet-5-5',
  strategy: 'react',
  tools: [getWeather],
  limits: { steps: 8 },
});
