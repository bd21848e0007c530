/** Breakpoints of the prompt cache, counted as the provider counts them, over the requests of growing conversations. */

import { describe, expect, it } from 'vitest';
import type { ModelMessage, ModelRequest } from '../../../src/core/model/model.js';
import type { JsonObject } from '../../../src/index.js';
import { toRequestBody } from '../../../src/models/anthropic/request.js';
import { countBreakpoints, createPromptCache, removeBreakpoints } from '../../support/prompt-cache.js';
import { request as emptyRequest, snapshot } from '../call.js';

const long = 'This is a part of the conversation that costs something. '.repeat(40);

/** The conversation before a step, from 1: each step has so many calls. */
function converse(step: number, calls: number, note = ''): ModelRequest {
  const messages: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: `Task. ${long}` }] }];
  for (let nth = 1; nth < step; nth += 1) {
    const ids = Array.from({ length: calls }, (_, call) => `call_${nth}_${call}`);
    messages.push(
      { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: { id } })) },
      { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `${id} ${long}` })) },
    );
  }
  const last = messages.at(-1);
  if (note !== '' && last?.role === 'user')
    messages[messages.length - 1] = { ...last, content: [...last.content, { type: 'text', text: note }] };
  return { ...emptyRequest, messages, tools: [{ name: 'look', description: long, inputSchema: { type: 'object' } }] };
}

function toBody(request: ModelRequest): JsonObject {
  return toRequestBody({ request, model: snapshot, maxTokens: 2_000 }) as unknown as JsonObject;
}

/** Counts the tokens of the last of some requests. */
function countLast(bodies: readonly JsonObject[]) {
  const cache = createPromptCache({ minTokens: 512 });
  return bodies.map((body) => cache.count(body)).at(-1)!;
}

const countAll = (body: JsonObject) => countLast([body]).cacheWrite;

describe('the breakpoints of a request', () => {
  it.each([1, 2, 3, 9])('number %i are at most four, and all of it is written to the cache or read from it', (step) => {
    const body = toBody(converse(step, 2));
    expect(countBreakpoints(body)).toBe(Math.min(4, step + 1));
    expect(countLast([body])).toMatchObject({ input: 0, cacheRead: 0 });
  });

  it('let a request read the whole request before, however many blocks the newest step has', () => {
    const bodies = [1, 2, 3, 4].map((step) => toBody(converse(step, 15)));
    const before = countAll(bodies[2]!);
    expect(countLast(bodies)).toMatchObject({ input: 0, cacheRead: before });
    // Without those in the messages, the newest step is longer than a breakpoint looks back.
    const few = bodies.map((body) => ({ ...body, messages: removeBreakpoints(body.messages ?? []) }));
    expect(countLast(few).cacheRead).toBeLessThan(before / 10);
  });

  it('let a request read what the one before it had in front of a last block that was dropped', () => {
    const bodies = [1, 2, 3, 4].map((step) => toBody(converse(step, 1, `My notes: ${step}`)));
    // The end of the request before the last one, without its notes.
    const kept = countAll(toBody(converse(2, 1)));
    expect(countLast(bodies).cacheRead).toBeGreaterThanOrEqual(kept);
  });

  it('let a request read the task when a summary has replaced the steps', () => {
    const [task, ...steps] = converse(9, 2).messages;
    if (task?.role !== 'user') throw new Error('The task is missing.');
    const summary = { type: 'text', text: `Summary of steps 1 to 7. ${long}` } as const;
    const summarized = {
      ...converse(9, 2),
      messages: [{ ...task, content: [...task.content, summary] }, ...steps.slice(-2)],
    };
    const bodies = [...[1, 2, 3].map((step) => converse(step, 2)), summarized].map(toBody);
    expect(countLast(bodies).cacheRead).toBe(countAll(toBody(converse(1, 2))));
  });

  it('are at the tools where there is no system prompt, and chains of an agent share them', () => {
    const withoutSystem = (task: string): ModelRequest => ({
      ...converse(1, 1),
      system: '',
      messages: [{ role: 'user', content: [{ type: 'text', text: task }] }],
    });
    const [one, other] = [toBody(withoutSystem(`One. ${long}`)), toBody(withoutSystem(`Other. ${long}`))];
    expect(countLast([one, other]).cacheRead).toBeGreaterThan(512);
    const { tools } = toBody(converse(1, 1));
    expect(countBreakpoints(tools ?? [])).toBe(0);
  });
});

describe('the scripted cache', () => {
  it('finds no beginning with another block, model or tool choice in front, and none below the minimum', () => {
    const [first, second] = [toBody(converse(1, 1)), toBody(converse(2, 1))];
    expect(countLast([first, second]).cacheRead).toBe(countAll(first));
    expect(countLast([first, { ...second, model: 'claude-haiku-5-5' }]).cacheRead).toBe(0);
    expect(countLast([{ ...first, system: [{ type: 'text', text: 'Another' }] }, second]).cacheRead).toBe(0);
    const chosen = countLast([first, { ...second, tool_choice: { type: 'none' } }]).cacheRead;
    expect(chosen).toBeGreaterThan(0);
    expect(chosen).toBeLessThan(countAll(first));
    expect(createPromptCache({ minTokens: 1_000_000 }).count(first)).toMatchObject({ cacheWrite: 0 });
  });

  it('rejects more than four breakpoints', () => {
    const { messages } = toBody(converse(4, 1));
    const marked = (messages as JsonObject[]).map((message) => ({
      ...message,
      content: (message.content as JsonObject[]).map((block) => ({ ...block, cache_control: { type: 'ephemeral' } })),
    }));
    expect(() => countAll({ ...toBody(converse(4, 1)), messages: marked })).toThrow(/maximum of 4 blocks/);
  });
});
