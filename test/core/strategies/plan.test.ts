/** The strategy `plan`, as a model meets it: what it is told of its work, which tools it is given, and how a chain reads. */

import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/lib/json.js';
import { plan } from '../../../src/core/strategies/plan.js';
import { conversationFault } from '../../support/conversation-rules.js';
import { completes, fails, finishes, makes, planAgent, says, speaks, starts } from '../../support/core-plans.js';
import { type Play, prepared } from '../../support/core-play.js';

const rendered = (play: Play) => {
  const { agent } = play.state;
  if (agent === null) throw new Error('The agent is not known.');
  return plan.render(play.chain, agent);
};

/** A conversation, a line for each block. */
const linesOf = (play: Play) =>
  rendered(play).messages.flatMap(({ role, content }) =>
    content.map((block) => {
      if (block.type === 'text') return `${role}: ${block.text}`;
      if (block.type === 'tool_use') return `${role}: ${block.name} ${JSON.stringify(block.input)}`;
      return block.type === 'tool_result' ? `${role} < ${block.is_error ? '! ' : ''}${block.content}` : `${role}: …`;
    }),
  );

describe('what the model is told', () => {
  it('of the plan, its tasks and its end, in words that never change in a chain', () => {
    expect(rendered(prepared(planAgent())).system).toMatchInlineSnapshot(`
      "You are a clerk.

      You work by a plan of tasks.
      - \`make_plan\` breaks the goal down into tasks, each small, with an end that can be seen.
      - \`start_task\` says which task you work on, one at a time; then call the tools that it takes.
      - \`complete_task\` says what a task came to, \`fail_task\` what stands in its way. You may end one task and start the next in the same reply.
      - \`revise_plan\` plans anew, when what you have learned asks for it.
      - \`finish\` gives the final answer, once all tasks have ended.
      Use the simplest tool that can do it, and say in a sentence what you are about to do before you call. If a call fails, try another way."
    `);
  });

  it('of how many tasks may be at work, and nothing of planning where that is off', () => {
    const { system, tools } = rendered(prepared(planAgent({ planning: false, parallel: 3 })));
    expect(system).toContain('at most 3 at a time');
    expect(system).not.toContain('make_plan');
    expect(tools.map(({ name }) => name)).not.toContain('make_plan');
  });

  it('is the same system and tools in every request of a chain, and each request begins with the last one', () => {
    const play = prepared(planAgent({ reflectEvery: 1 }));
    let before = rendered(play);
    const reply = [
      () => says(play, makes('a', 'b after a')),
      () => speaks(play, 'A is 1.'),
      () => says(play, fails('b')),
      () => speaks(play, 'It was shut.'),
      () => {
        says(play, starts('b'), ['look', { at: 1 }]);
        play.returned('5.2');
      },
    ];
    for (const next of reply) {
      next();
      const now = rendered(play);
      expect({ ...now, messages: [] }).toEqual({ ...before, messages: [] });
      expect(now.messages.slice(0, before.messages.length)).toEqual(before.messages);
      if (play.state.flight.kind === 'retry') play.fired('retry');
      before = now;
    }
  });

  it('reads as one conversation, from the plan to the end', () => {
    const play = prepared(planAgent({ reflectEvery: 2 }));
    says(play, makes('find', 'pay after find'));
    says(play, starts('find'), ['look', { at: 1 }]);
    play.returned('2.2', 'Two are due.');
    says(play, completes('find', 'Two are due.'), fails('pay', 'No key'));
    play.fired('retry');
    speaks(play, 'The key may be back.');
    says(play, finishes('Nothing is paid.'));
    expect(linesOf(play)).toMatchInlineSnapshot(`
      [
        "user: Find out what is due, and pay it.",
        "user: First make a plan for this: call \`make_plan\` with the tasks that it takes. If it takes but one, make a plan of one.",
        "assistant: make_plan {"tasks":[{"id":"find","description":"Do find.","depends_on":[]},{"id":"pay","description":"Do pay.","depends_on":["find"]}]}",
        "user < The plan is made.",
        "user: Next is find: Do find.",
        "assistant: start_task {"id":"find"}",
        "assistant: look {"at":1}",
        "user < find is at work: Do find.",
        "user < Two are due.",
        "assistant: complete_task {"id":"find","result":"Two are due."}",
        "assistant: fail_task {"id":"pay","error":"No key"}",
        "user < find is completed.",
        "user < pay has failed.",
        "user: pay has failed: No key. Try it again, minding what went wrong.
      Next is pay: Do pay.
      Before you go on (1 of 2 tasks are completed): what have you learned, and does the plan still hold? Revise it if not; else say so in a sentence, or simply go on.",
        "assistant: The key may be back.",
        "user: Next is pay: Do pay.",
        "assistant: finish {"result":"Nothing is paid."}",
        "user < ! Error: Not finished: pay is left. Complete or fail what is left, or call \`finish\` once more with \`unfinished\`: why it is not done.",
      ]
    `);
    expect(conversationFault(rendered(play).messages as unknown as Json)).toBeNull();
  });
});
