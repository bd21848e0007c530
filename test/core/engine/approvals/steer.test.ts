/** A person's message is in the next request to the model, once, and stays at that position. */

import { describe, expect, it } from 'vitest';
import { findRejection } from '../../../../src/core/engine/approvals/command-rejection.js';
import { countConversationBytes } from '../../../../src/core/engine/state/observation.js';
import type { AgentSnapshot } from '../../../../src/core/model/agent.js';
import { defaults } from '../../../../src/core/model/defaults.js';
import { getStrategy } from '../../../../src/core/strategies/strategies.js';
import { reactDefaults } from '../../../../src/core/strategies/strategy.js';
import {
  agentOf,
  answers,
  asks,
  autonomousAgent,
  look,
  modelFailure,
  pay,
  rawReply,
  readBy,
  use,
} from '../../../support/core-builders.js';
import { createCommand, steers } from '../../../support/core-people.js';
import { type Play, prepared, started } from '../../../support/core-play.js';

const rendered = (play: Play, agent: AgentSnapshot = agentOf()) =>
  getStrategy(agent.strategy)
    .render(play.chain, agent)
    .messages.map(({ role, content }) => `${role}: ${content.map(toBlockText).join(' | ')}`);

const toBlockText = (block: { readonly type: string }) =>
  'text' in block ? String(block.text) : 'content' in block ? `result ${String(block.content)}` : block.type;

const task = 'user: Find out what is due, and pay it.';

describe('a message', () => {
  it('during a model call follows the step under way and its observations', () => {
    const play = prepared();
    play.after(10).take(steers('Mind the date.', { by: 'ana' }));
    play.after(10).replied(asks(look()));
    play.returned('1.1', 'all due');
    expect(rendered(play)).toEqual([
      task,
      'assistant: tool_use',
      'user: result all due | Message from ana: Mind the date.',
    ]);
  });

  it('during an attempt that fails is in the next one, after the step that the failed one sent without it', () => {
    const play = prepared();
    play.replied(asks(look()));
    play.returned('1.1', 'all due');
    const sent = [task, 'assistant: tool_use', 'user: result all due'];
    expect(rendered(play)).toEqual(sent);
    play.take(steers('Mind the date.', { by: 'ana' }));
    play.failed(modelFailure('overloaded'));
    expect(rendered(play)).toEqual([...sent.slice(0, 2), `${sent[2]} | Message from ana: Mind the date.`]);
  });

  it('during the call that answers causes another call, whose answer counts', () => {
    const play = prepared();
    play.after(10).take(steers('In euros, please.', { by: 'ana' }));
    play.after(10).replied(answers('Ten dollars.'));
    expect(rendered(play)).toEqual([task, 'assistant: Ten dollars.', 'user: Message from ana: In euros, please.']);
    play.replied(answers('Nine euros.'));
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Nine euros.', steps: 2 });
  });

  it('during a call that returns an answer with tool calls: these are not run, since no approval was checked', () => {
    const play = prepared(autonomousAgent());
    play.after(10).take(steers('In euros, please.', { by: 'ana' }));
    const content = [use('use_0', 'pay', { usd: 1 }), use('end', 'finish', { result: 'Ten dollars.' })];
    play.after(10).replied(readBy(autonomousAgent(), rawReply(content, 'tool_use')));
    expect([play.ran, play.statuses]).toEqual([[], ['not_run', 'ok']]);
    expect(rendered(play, autonomousAgent()).at(-1)).toBe(
      'user: result Error: Not run: the reply also contained an answer. | result Received. | Message from ana: In euros, please.',
    );
    expect(countConversationBytes(play.chain)).toBeLessThanOrEqual(play.modelCall.reservation.inputTokens);
  });

  it('during the call that answers does not change the answer when no step is left', () => {
    const play = prepared(agentOf({ limits: { steps: 1 } }));
    play.after(10).take(steers('In euros, please.', { by: 'ana' }));
    play.after(10).replied(answers('Ten dollars.'));
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Ten dollars.', steps: 1 });
  });

  it('is a separate block in the strategy react', () => {
    const agent = agentOf({ strategy: reactDefaults });
    const play = prepared(agent);
    play.after(10).take(steers('Mind the date.', { by: null }));
    play.after(10).replied(asks(look()));
    play.returned('1.1', 'all due');
    expect(rendered(play, agent).at(-1)).toBe('user: Observation: all due | Message from the user: Mind the date.');
  });

  it('keeps its position: before the agent is known, before the first step, or while calls run', () => {
    const play = started();
    play.after(5).take(steers('First.'));
    play.after(5).take({ type: 'prepared', agent: agentOf() });
    expect(rendered(play)).toEqual([`${task} | Message from ana: First.`]);
    play.replied(asks(look()));
    play.take(steers('Second.'));
    play.returned('1.1', 'all due');
    expect(rendered(play).at(-1)).toBe('user: result all due | Message from ana: Second.');
  });

  it('during an attempt that fails is in the request of the next attempt, and stays there', () => {
    const play = prepared();
    play.replied(asks(look()));
    play.returned('1.1', 'all due');
    play.after(10).take(steers('Mind the date.'));
    play.after(10).failed(modelFailure('overloaded', { retryAfterMs: 0 }));
    const before = rendered(play);
    expect(before.at(-1)).toBe('user: result all due | Message from ana: Mind the date.');
    play.after(10).replied(asks(look(2)));
    play.returned('2.1', 'still due');
    expect(rendered(play).slice(0, before.length)).toEqual(before);
    expect(
      rendered(play)
        .join()
        .match(/Mind the date/g),
    ).toHaveLength(1);
  });

  it('L6: is counted at any time', () => {
    const text = 'x'.repeat(5_000);
    const during = prepared();
    during.take(steers(text));
    during.replied(asks(look()));
    during.returned('1.1', '');
    const silent = prepared();
    silent.replied(asks(look()));
    silent.returned('1.1', '');
    const more = during.modelCall.reservation.inputTokens - silent.modelCall.reservation.inputTokens;
    expect(more).toBeGreaterThanOrEqual(text.length);
    const early = started();
    early.take(steers(text));
    early.take({ type: 'prepared', agent: agentOf() });
    expect(early.modelCall.reservation.inputTokens).toBeGreaterThan(text.length);
  });

  it.each([
    ['empty', ' \n'],
    ['too_long', 'x'.repeat(defaults.messageCharacters + 1)],
  ])('that is %s is rejected', (code, text) => {
    const play = prepared();
    const { messages } = play.chain;
    const rejected = findRejection(play.state, steers(text), play.at);
    expect(rejected).toMatchObject({ code });
    play.take(steers(text));
    expect(play.chain.messages).toEqual(messages);
    expect(play.chain.notices.at(-1)).toMatchObject({
      code: 'command_rejected',
      text: expect.stringContaining(rejected?.message ?? ''),
    });
  });

  it('with a known id is rejected; the number of remembered ids is bounded', () => {
    const play = prepared(agentOf({ tools: [] }));
    play.take(steers('Once.', { id: 'a' }), steers('Once.', { id: 'a' }));
    expect(play.chain.messages).toHaveLength(1);
    for (let at = 0; at < 300; at++) play.take(steers('More.', { id: `id-${at}` }));
    expect(play.state.seenCommandIds).toHaveLength(128);
    expect(play.state.seenCommandIds.at(-1)).toBe('id-299');
  });

  it('that cannot be read is reported to readers with the problem', () => {
    const play = prepared();
    play.take(createCommand({ kind: 'unreadable', problem: 'The message is missing: {"text":"…"}.' }, { by: null }));
    expect(play.chain.notices.at(-1)).toMatchObject({
      code: 'command_rejected',
      text: 'An unreadable command was rejected: The message is missing: {"text":"…"}.',
    });
  });

  it('to a chain that is ending is rejected with the reason', () => {
    const play = prepared();
    play.replied(asks(look(), pay()));
    play.cancelledBy('bob');
    expect(findRejection(play.state, steers('Wait!'), play.at)).toMatchObject({ code: 'ending' });
    play.take(steers('Wait!'));
    expect(play.chain.notices.at(-1)).toMatchObject({ code: 'command_rejected', text: expect.stringContaining('bob') });
  });
});
