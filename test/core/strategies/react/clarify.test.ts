/** `Request Clarification`, in any spelling, is a call of the question tool, if the agent has one. */

import { describe, expect, it } from 'vitest';
import { toToolShape } from '../../../../src/core/strategies/react/arguments.js';
import { parseReact } from '../../../../src/core/strategies/react/parse.js';
import { reactDefaults } from '../../../../src/core/strategies/strategy.js';
import { askUser } from '../../../../src/tools/builtin/ask-user.js';

const asking = toToolShape(askUser().snapshot.inputSchema);
const search = toToolShape({ type: 'object', properties: { query: { type: 'string' } }, required: ['query'] });
const thought = 'Thought: The task does not name which of the cities is meant.\n';

function read(reply: string, asks: string | null = 'ask_user', more: readonly string[] = []) {
  const names = ['search', ...(asks === null ? [] : [asks]), ...more];
  const tools = new Map(names.map((name) => [name, name === 'search' ? search : asking]));
  return parseReact(reply, { options: reactDefaults, tools, questionTool: asks, cut: false, thinking: null });
}

const question = 'Which city do you mean?';
const call = { tool: 'ask_user', input: { question } };

describe('a request for clarification is a call of the question tool', () => {
  it.each([
    `Action: Request Clarification\nAction Input: ${question}`,
    `Action: Request Clarification\nAction Input: {"question": "${question}"}`,
    `Action: Request Clarification\nAction Input: "${question}"`,
    `Action: request_clarification\nAction Input: ${question}`,
    `Action: RequestClarification\nAction Input: ${question}`,
    `Action: REQUEST CLARIFICATION\nAction Input: ${question}`,
    `Action: request-clarification\nAction Input: ${question}`,
    `Action: **Request Clarification**\nAction Input: ${question}`,
    `Action: \`Request Clarification\`\nAction Input: ${question}`,
    `Action: [Request Clarification]\nAction Input: ${question}`,
    `Action: clarify\nAction Input: ${question}`,
    `Action: Clarification\nAction Input: ${question}`,
    `Action: Ask for Clarification\nAction Input: ${question}`,
    `Action: Ask User\nAction Input: ${question}`,
    `Action: Ask the user for clarification\nAction Input: ${question}`,
    `Action: Request Clarification: ${question}`,
    `Action: Request Clarification[${question}]`,
    `Action: Request Clarification("${question}")`,
    `Action: Request Clarification(question="${question}")`,
    `Action: {"action": "Request Clarification", "action_input": "${question}"}`,
    `Action: ask_user\nAction Input: ${question}`,
  ])('%s', (written) => {
    expect(read(`${thought}${written}`)).toMatchObject({ calls: [call], problem: null });
  });

  it('in a reply that is one JSON object', () => {
    const reply = {
      thought: 'The task does not name the city.',
      action: 'Request Clarification',
      action_input: question,
    };
    expect(read(JSON.stringify(reply))).toMatchObject({ calls: [call], problem: null });
  });

  it('under any name of that tool', () => {
    const { calls } = read(`${thought}Action: Request Clarification\nAction Input: ${question}`, 'talk');
    expect(calls).toEqual([{ tool: 'talk', input: { question } }]);
  });

  it('also an empty request, whose missing question is then an observation', () => {
    expect(read(`${thought}Action: Request Clarification`)).toMatchObject({
      calls: [{ tool: 'ask_user', input: {} }],
      problem: null,
    });
  });
});

describe('a request for clarification is not a call of the question tool', () => {
  it('if another tool has this name', () => {
    const written = `${thought}Action: clarify\nAction Input: ${question}`;
    expect(read(written, 'ask_user', ['clarify']).calls).toMatchObject([{ tool: 'clarify' }]);
  });

  it('if the agent has no question tool', () => {
    const { calls } = read(`${thought}Action: Request Clarification\nAction Input: ${question}`, null);
    expect(calls).toMatchObject([{ tool: 'Request Clarification' }]);
  });

  it.each(['clarify_text', 'clarification_store', 'ask_users', 'request_clarifications'])(
    'another name: %s',
    (name) => {
      expect(read(`${thought}Action: ${name}\nAction Input: {"query": "x"}`).calls).toMatchObject([{ tool: name }]);
    },
  );
});
