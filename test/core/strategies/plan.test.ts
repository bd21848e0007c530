/** The strategy `plan` as the model sees it: system prompt, tools and conversation. */

import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/lib/json.js';
import { plan } from '../../../src/core/strategies/plan.js';
import { findConversationFault } from '../../support/conversation-rules.js';
import {
  completes,
  fails,
  finishes,
  makes,
  planAgent,
  replyWithCalls,
  replyWithText,
  starts,
} from '../../support/core-plans.js';
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

describe('the request of a plan agent', () => {
  it('explains the plan, its tasks and its end', () => {
    expect(rendered(prepared(planAgent())).system).toMatchInlineSnapshot(`
      "You are a clerk.

      Work with a plan of tasks.
      - \`make_plan\`: break the goal into small tasks, each with a clear end.
      - \`start_task\`: start a task, one at a time. Then call the tools that it needs.
      - \`complete_task\`: record the result of a task. \`fail_task\`: record why it cannot be completed. You may end one task and start the next in the same reply.
      - \`revise_plan\`: change the plan when what you have learned requires it.
      - \`review_plan\`: record what you learned, when you check the plan.
      - \`finish\`: give the final answer when all tasks have ended.
      Prefer the simplest tool that works. Before each call, state in one sentence what you are about to do. If a call fails, try another way."
    `);
  });

  it('states how many tasks may be in progress, and does not mention planning if it is off', () => {
    const { system, tools } = rendered(prepared(planAgent({ planning: false, parallel: 3 })));
    expect(system).toContain('at most 3 at a time');
    expect(system).not.toContain('make_plan');
    expect(tools.map(({ name }) => name)).not.toContain('make_plan');
  });

  it('has the same system and tools in every step and starts with the previous request', () => {
    const play = prepared(planAgent({ reflectEvery: 1 }));
    let before = rendered(play);
    const reply = [
      () => replyWithCalls(play, makes('a', 'b after a')),
      () => replyWithText(play, 'A is 1.'),
      () => replyWithCalls(play, fails('b')),
      () => replyWithText(play, 'It was shut.'),
      () => {
        replyWithCalls(play, starts('b'), ['look', { at: 1 }]);
        play.returned('5.2');
      },
    ];
    for (const next of reply) {
      next();
      const now = rendered(play);
      expect({ ...now, messages: [] }).toEqual({ ...before, messages: [] });
      expect(now.messages.slice(0, before.messages.length)).toEqual(before.messages);
      if (play.state.flight.kind === 'taskRetry') play.fired('retry');
      before = now;
    }
  });

  it('is one conversation, from the plan to the end', () => {
    const play = prepared(planAgent({ reflectEvery: 2 }));
    replyWithCalls(play, makes('find', 'pay after find'));
    replyWithCalls(play, starts('find'), ['look', { at: 1 }]);
    play.returned('2.2', 'Two are due.');
    replyWithCalls(play, completes('find', 'Two are due.'), fails('pay', 'No key'));
    play.fired('retry');
    replyWithText(play, 'The key may be back.');
    replyWithCalls(play, finishes('Nothing is paid.'));
    expect(linesOf(play)).toMatchInlineSnapshot(`
      [
        "user: Find out what is due, and pay it.",
        "user: First make a plan: call \`make_plan\` with the tasks that lead to the goal. A small goal needs only one task.",
        "assistant: make_plan {"tasks":[{"id":"find","description":"Do find.","depends_on":[]},{"id":"pay","description":"Do pay.","depends_on":["find"]}]}",
        "user < Plan created.",
        "user: Next task: find: Do find.",
        "assistant: start_task {"id":"find"}",
        "assistant: look {"at":1}",
        "user < find is in progress: Do find.",
        "user < Two are due.",
        "assistant: complete_task {"id":"find","result":"Two are due."}",
        "assistant: fail_task {"id":"pay","error":"No key"}",
        "user < find is completed.",
        "user < pay has failed.",
        "user: pay failed: No key. Retry it. Avoid the same error.
      Next task: pay: Do pay.
      Check the plan (1 of 2 tasks completed): call \`review_plan\` with what you have learned and your assessment. If the plan is no longer right, also call \`revise_plan\`.",
        "assistant: The key may be back.",
        "user: Next task: pay: Do pay.",
        "assistant: finish {"result":"Nothing is paid."}",
        "user < ! Error: Not finished: pay is still open. Complete or fail each open task, or call \`finish\` again with a \`reason\`.",
      ]
    `);
    expect(findConversationFault(rendered(play).messages as unknown as Json)).toBeNull();
  });
});
