/** The many ways in which models write the labels of the format. */

import { describe, expect, it } from 'vitest';
import { read, readUnknown } from './read.js';

const paris = { tool: 'get_weather', input: { city: 'Paris' } };
const json = '{"city": "Paris"}';

describe('labels of an action', () => {
  it.each([
    ['plain', `Thought: I need the weather.\nAction: get_weather\nAction Input: ${json}`],
    ['without blanks', `Thought:I need the weather.\nAction:get_weather\nAction Input:${json}`],
    ['upper case', `THOUGHT: I need the weather.\nACTION: get_weather\nACTION INPUT: ${json}`],
    ['lower case', `thought: I need the weather.\naction: get_weather\naction input: ${json}`],
    ['blanks around', `  Thought : I need the weather.\n\tAction : get_weather\n  Action Input : ${json}`],
    ['bold with the colon', `**Thought:** I need the weather.\n**Action:** get_weather\n**Action Input:** ${json}`],
    ['bold without the colon', `**Thought**: I need the weather.\n**Action**: get_weather\n**Action Input**: ${json}`],
    ['bold lines', `**Thought: I need the weather.**\n**Action: get_weather**\n**Action Input: ${json}**`],
    ['underlines', `__Thought__: I need the weather.\n__Action:__ get_weather\n__Action Input__: ${json}`],
    ['italic', `*Thought:* I need the weather.\n*Action:* get_weather\n*Action Input:* ${json}`],
    ['backticks', `\`Thought:\` I need the weather.\n\`Action\`: get_weather\n\`Action Input: ${json}\``],
    ['headings', `### Thought:\nI need the weather.\n\n### Action:\nget_weather\n\n### Action Input:\n${json}`],
    ['headings without colon', `## Thought\nI need the weather.\n## Action\nget_weather\n## Action Input\n${json}`],
    ['bold without colon', `**Thought**\nI need the weather.\n\n**Action**\nget_weather\n\n**Action Input**\n${json}`],
    ['a list', `- Thought: I need the weather.\n- Action: get_weather\n- Action Input: ${json}`],
    ['a bold list', `* **Thought:** I need the weather.\n* **Action:** get_weather\n* **Action Input:** ${json}`],
    ['numbers', `1. Thought: I need the weather.\n2. Action: get_weather\n3) Action Input: ${json}`],
    ['numbered labels', `Thought 1: I need the weather.\nAction 1: get_weather\nAction 1 Input: ${json}`],
    ['a quotation', `> Thought: I need the weather.\n> Action: get_weather\n> Action Input: ${json}`],
    ['pictures', `🤔 Thought: I need the weather.\n🔧 Action: get_weather\n➡️ Action Input: ${json}`],
    ['full-width colons', `Thought：I need the weather.\nAction：get_weather\nAction Input：${json}`],
    ['an underscore', `Thought: I need the weather.\nAction: get_weather\nAction_Input: ${json}`],
    ['one word', `Thought: I need the weather.\nAction: get_weather\nActionInput: ${json}`],
    ['a hyphen', `Thought: I need the weather.\nAction: get_weather\nAction-input: ${json}`],
    ['a fence around all', `\`\`\`\nThought: I need the weather.\nAction: get_weather\nAction Input: ${json}\n\`\`\``],
    ['a named fence', `\`\`\`text\nThought: I need the weather.\nAction: get_weather\nAction Input: ${json}\n\`\`\``],
    [
      'a fence around the action',
      `Thought: I need the weather.\n\`\`\`\nAction: get_weather\nAction Input: ${json}\n\`\`\``,
    ],
    ['Windows line ends', `Thought: I need the weather.\r\nAction: get_weather\r\nAction Input: ${json}\r\n`],
    ['a repeated label', `Thought: Thought: I need the weather.\nAction: Action: get_weather\nAction Input: ${json}`],
    ['words before', `Sure, here you go!\n\nThought: I need the weather.\nAction: get_weather\nAction Input: ${json}`],
    ['words instead of a thought', `I need the weather.\nAction: get_weather\nAction Input: ${json}`],
    ['a rule between', `Thought: I need the weather.\n---\nAction: get_weather\nAction Input: ${json}`],
    ['one line', `Thought: I need the weather. Action: get_weather Action Input: ${json}`],
    ['one bold line', `Thought: I need the weather. **Action:** get_weather **Action Input:** ${json}`],
    ['half a line', `Thought: I need the weather. Action: get_weather\nAction Input: ${json}`],
    ['the other half', `Thought: I need the weather.\nAction: get_weather Action Input: ${json}`],
    ['an end-of-turn mark', `Thought: I need the weather.\nAction: get_weather\nAction Input: ${json}<|im_end|>`],
    [
      'think tags',
      `<think>\nAction: no\n</think>\nThought: I need the weather.\nAction: get_weather\nAction Input: ${json}`,
    ],
    ['half of them', `Hm.\n</think>\nThought: I need the weather.\nAction: get_weather\nAction Input: ${json}`],
  ])('%s', (_, reply) => {
    expect(read(reply)).toMatchObject({ thought: 'I need the weather.', calls: [paris], answer: null, problem: null });
  });

  it('an end-of-turn mark within an input is a part of it', () => {
    const text = 'a <|im_end|> b <|im_end|><|im_start|>user';
    const reply = `Thought: I write the template.\nAction: write\nAction Input: ${JSON.stringify({ text })}<|im_end|>`;
    const [call] = read(reply).calls;
    expect(call?.input).toEqual({ text });
  });

  it('finds the configured tags', () => {
    const options = { thoughtTag: 'Gedanke (+)', actionTag: 'Tool.Call', observationTag: 'Ergebnis' };
    const reply = `Gedanke (+): I need the weather.\nTool.Call: get_weather\nTool.Call Input: ${json}\nErgebnis: 18`;
    expect(read(reply, options)).toMatchObject({ thought: 'I need the weather.', calls: [paris] });
    expect(read('Thought: I need it.', options).problem).toContain('"Tool.Call Input:"');
  });

  it('does not take words within a thought as labels', () => {
    const reply = `Thought: The next Action: of mine is clear. A Final Answer: must wait.\nAction: get_weather\nAction Input: ${json}`;
    expect(read(reply)).toMatchObject({
      thought: 'The next Action: of mine is clear. A Final Answer: must wait.',
      calls: [paris],
    });
  });

  it('also finds the default tags if others are configured', () => {
    const options = { thoughtTag: 'Gedanke', actionTag: 'Werkzeug', observationTag: 'Ergebnis' };
    const reply = `Thought: I need the weather.\nAction: get_weather\nAction Input: ${json}`;
    expect(read(reply, options)).toMatchObject({ thought: 'I need the weather.', calls: [paris] });
  });

  it('does not take a sentence about the answer as an answer before an action', () => {
    const sentence = 'The final answer is: unknown so far.';
    expect(read(`Thought: ${sentence}\nAction: get_weather\nAction Input: ${json}`)).toMatchObject({
      thought: sentence,
      calls: [paris],
      answer: null,
    });
  });

  it.each([
    '## Observations so far\n- it rained',
    'Observation of the sky: it rained',
    'Observation-based: no',
    'Observation 1',
  ])('keeps notes within a thought: %s', (notes) => {
    const reading = read(`Thought: I sum up.\n${notes}\n\nAction: get_weather\nAction Input: ${json}`);
    expect(reading).toMatchObject({ thought: `I sum up.\n${notes}`, calls: [paris] });
  });

  it('keeps a plan within a thought', () => {
    const plan = 'My plan:\n1. Action: look up the weather of Paris\n2. Action: compare';
    expect(read(`Thought: ${plan}\n\nAction: get_weather\nAction Input: ${json}`)).toMatchObject({
      thought: plan,
      calls: [paris],
    });
  });
});

describe('labels of an answer', () => {
  it.each([
    ['plain', 'Thought: I know it.\nFinal Answer: Paris is warm.'],
    ['lower case', 'Thought: I know it.\nfinal answer: Paris is warm.'],
    ['an underscore', 'Thought: I know it.\nFinal_Answer: Paris is warm.'],
    ['one word', 'Thought: I know it.\nFinalAnswer: Paris is warm.'],
    ['bold', 'Thought: I know it.\n**Final Answer:** Paris is warm.'],
    ['a bold line', 'Thought: I know it.\n**Final Answer: Paris is warm.**'],
    ['a heading', 'Thought: I know it.\n\n## Final Answer\n\nParis is warm.'],
    ['a line of its own', 'Thought: I know it.\nFinal Answer\nParis is warm.'],
    ['a fence around all', '```\nThought: I know it.\nFinal Answer: Paris is warm.\n```'],
    ['one line', 'Thought: I know it. Final Answer: Paris is warm.'],
    ['one line, no stop', 'Thought: I know it.\nThought: This is the final answer Final Answer: Paris is warm.'],
    ['no action', 'Thought: I know it.\nAction: None\nFinal Answer: Paris is warm.'],
    ['no action and no input', 'Thought: I know it.\nAction: None\nAction Input: None\nFinal Answer: Paris is warm.'],
    ['no action needed', 'Thought: I know it.\nAction: No further action is needed.\nFinal Answer: Paris is warm.'],
    ['the answer as an action', 'Thought: I know it.\nAction: Final Answer\nAction Input: Paris is warm.'],
    ['the answer as JSON', 'Thought: I know it.\nAction: {"action": "Final Answer", "action_input": "Paris is warm."}'],
    ['no thought', 'Final Answer: Paris is warm.'],
    ['a dash', 'Thought: I know it.\nfinal answer - Paris is warm.'],
    ['a sentence', 'The final answer is: Paris is warm.'],
    ['a sentence in a thought', 'Thought: I know it. So, the final answer is: Paris is warm.'],
    ['a mark of the template', 'Thought: I know it.\nFinal Answer: Paris is warm.</s>'],
  ])('%s', (_, reply) => {
    expect(readUnknown(reply)).toMatchObject({ calls: [], answer: 'Paris is warm.', problem: null });
  });
});
