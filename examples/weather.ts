/**
 * The smallest useful agent: one tool, and a question that needs it twice. The table replaces a weather service. A city that
 * is not in it is an error that the model sees.
 *
 * npx longhand run meteorologist "Compare the weather in San Francisco and Paris" --module examples/weather.ts
 */

import { defineAgent, defineTool, ToolError } from 'longhand';
import { z } from 'zod';

interface Weather {
  readonly city: string;
  readonly celsius: number;
  readonly conditions: string;
}

const reports: readonly Weather[] = [
  { city: 'San Francisco', celsius: 18, conditions: 'partly cloudy' },
  { city: 'Paris', celsius: 12, conditions: 'rainy' },
  { city: 'Berlin', celsius: 9, conditions: 'overcast' },
  { city: 'Nairobi', celsius: 24, conditions: 'sunny' },
  { city: 'Tokyo', celsius: 16, conditions: 'clear' },
];

export const getWeather = defineTool({
  name: 'get_weather',
  description: 'Returns the current weather of one city.',
  inputSchema: z.object({ city: z.string().describe('Name of the city, without its country') }),
  returns: 'the city, the temperature in degrees Celsius, and the conditions',
  // It changes nothing, but the weather changes: an equal call runs again. A result of a `pure` tool would be reused.
  effects: 'read',
  execute: ({ city }) => {
    const report = reports.find((each) => each.city.toLowerCase() === city.trim().toLowerCase());
    if (report !== undefined) return report;
    const known = reports.map((each) => each.city).join(', ');
    throw new ToolError(`There is no weather station in ${city}. There is one in: ${known}.`);
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
