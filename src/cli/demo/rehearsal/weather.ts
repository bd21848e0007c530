/** Rehearsed: the task of examples/weather.ts. */

import { isObject } from '../../../core/lib/json.js';
import { dataOf, type Move, type Play, type Seen } from './play.js';

export const weather: Play = {
  task: 'Compare the weather in San Francisco and Paris',
  next: (seen) => {
    if (seen.length === 0)
      return look('I need the current weather of both cities. San Francisco first.', 'San Francisco');
    if (seen.length === 1) return look('Now the same for Paris, to compare.', 'Paris');
    return compare(seen.map(reportIn));
  },
};

interface Report {
  readonly city: string;
  readonly celsius: number;
  readonly conditions: string;
}

function look(thought: string, city: string): Move {
  return { thought, call: { tool: 'get_weather', input: { city } } };
}

function reportIn(seen: Seen): Report {
  const data = dataOf(seen);
  const { city, celsius, conditions } = isObject(data) ? data : {};
  return { city: String(city), celsius: Number(celsius), conditions: String(conditions) };
}

function compare(reports: readonly Report[]): Move {
  const [warmest, next] = reports.toSorted((one, other) => other.celsius - one.celsius);
  const each = reports.map(({ city, celsius, conditions }) => `${city}: ${celsius} °C, ${conditions}`).join('; ');
  const difference = (warmest?.celsius ?? 0) - (next?.celsius ?? 0);
  const verdict =
    difference === 0 ? 'Both are equally warm.' : `${warmest?.city} is ${difference} °C warmer than ${next?.city}.`;
  return { thought: 'I know the weather of both cities and can compare it.', answer: `${each}. ${verdict}` };
}
