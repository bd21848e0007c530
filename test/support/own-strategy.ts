/** An author's own strategy: calls and answers as tags. */

import { defineStrategy, type StrategyReading } from '../../src/index.js';

function parse(text: string): StrategyReading {
  const thought = /<think>(.*?)<\/think>/s.exec(text)?.[1] ?? null;
  const calls: { tool: string; input: string }[] = [];
  for (const [, tool = '', input = ''] of text.matchAll(/<call tool="([^"]+)">(.*?)<\/call>/gs)) {
    try {
      calls.push({ tool, input: JSON.parse(input) });
    } catch {
      return { thought, problem: `The arguments of ${tool} are not JSON. Write <call tool="${tool}">{…}</call>.` };
    }
  }
  return { thought, calls, answer: /<answer>(.*?)<\/answer>/s.exec(text)?.[1] ?? null };
}

export const tags = defineStrategy({
  name: 'tags',
  prompt: `You have these tools:

{tools}

Write your reasoning as <think>…</think>. Then call tools as <call tool="name">{…}</call>, or answer as <answer>…</answer>.`,
  parse,
  version: '1.0.0',
  stopSequences: ['\nObservation:'],
});
