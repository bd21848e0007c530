/** What a person says to a chain is heard at the next call of the model, once, and stays where it was heard. */

import { describe, expect, it } from 'vitest';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import { defaults } from '../../../src/core/model/defaults.js';
import { countConversationBytes } from '../../../src/core/state/observation.js';
import { getStrategy } from '../../../src/core/strategies/index.js';
import { reactDefaults } from '../../../src/core/strategies/strategy.js';
import {
  agentOf,
  answers,
  asks,
  autonomousAgent,
  look,
  modelFailure,
  pay,
  replyOf,
  use,
} from '../../support/core-builders.js';
import { says, steers } from '../../support/core-people.js';
import { type Play, prepared, started } from '../../support/core-play.js';

const asked = (play: Play, agent: AgentSnapshot = agentOf()) =>
  getStrategy(agent.strategy)
    .render(play.chain, agent)
    .messages.map(({ role, content }) => `${role}: ${content.map(shown).join(' | ')}`);

const shown = (block: { readonly type: string }) =>
  'text' in block ? String(block.text) : 'content' in block ? `result ${String(block.content)}` : block.type;

const task = 'user: Find out what is due, and pay it.';

describe('what a person says', () => {
  it('while the model is called: it is heard behind the step that is in the air, and its observations', () => {
    const play = prepared();
    play.after(10).take(steers('Mind the date.', { by: 'ana' }));
    play.after(10).replied(asks(look()));
    play.returned('1.1', 'all due');
    expect(asked(play)).toEqual([
      task,
      'assistant: tool_use',
      'user: result all due | Message from ana: Mind the date.',
    ]);
  });

  it('while the answer is in the air: the model is asked once more, and what it then answers counts', () => {
    const play = prepared();
    play.after(10).take(steers('In euros, please.', { by: 'ana' }));
    play.after(10).replied(answers('Ten dollars.'));
    expect(asked(play)).toEqual([task, 'assistant: Ten dollars.', 'user: Message from ana: In euros, please.']);
    play.replied(answers('Nine euros.'));
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Nine euros.', steps: 2 });
  });

  it('while an answer is in the air with calls beside it: those are not run, of which nobody was asked', () => {
    const play = prepared(autonomousAgent());
    play.after(10).take(steers('In euros, please.', { by: 'ana' }));
    const { calls, content } = asks(pay(1)).reading;
    play.after(10).replied(replyOf({ answer: 'Ten dollars.', calls, content: [...content, use('end', 'finish')] }));
    expect([play.ran, play.statuses]).toEqual([[], ['not_run']]);
    expect(asked(play, autonomousAgent()).at(-1)).toBe(
      'user: result Error: Not run: an answer was given with it. | result Received. | Message from ana: In euros, please.',
    );
    expect(countConversationBytes(play.chain)).toBeLessThanOrEqual(play.modelCall.reservation.inputTokens);
  });

  it('while the answer is in the air, and no step is left: the answer stands', () => {
    const play = prepared(agentOf({ limits: { steps: 1 } }));
    play.after(10).take(steers('In euros, please.', { by: 'ana' }));
    play.after(10).replied(answers('Ten dollars.'));
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Ten dollars.', steps: 1 });
  });

  it('in react: the same, each in a block of its own', () => {
    const agent = agentOf({ strategy: reactDefaults });
    const play = prepared(agent);
    play.after(10).take(steers('Mind the date.', { by: null }));
    play.after(10).replied(asks(look()));
    play.returned('1.1', 'all due');
    expect(asked(play, agent).at(-1)).toBe('user: Observation: all due | Message from the user: Mind the date.');
  });

  it('while calls run, before the first step, and before the agent is known: each at its place', () => {
    const play = started();
    play.after(5).take(steers('First.'));
    play.after(5).take({ type: 'prepared', agent: agentOf() });
    expect(asked(play)).toEqual([`${task} | Message from ana: First.`]);
    play.replied(asks(look()));
    play.take(steers('Second.'));
    play.returned('1.1', 'all due');
    expect(asked(play).at(-1)).toBe('user: result all due | Message from ana: Second.');
  });

  it('during an attempt that fails: the next attempt hears it, and it stays where it was heard', () => {
    const play = prepared();
    play.replied(asks(look()));
    play.returned('1.1', 'all due');
    play.after(10).take(steers('Mind the date.'));
    play.after(10).failed(modelFailure('overloaded', { retryAfterMs: 0 }));
    const heard = asked(play);
    expect(heard.at(-1)).toBe('user: result all due | Message from ana: Mind the date.');
    play.after(10).replied(asks(look(2)));
    play.returned('2.1', 'still due');
    expect(asked(play).slice(0, heard.length)).toEqual(heard);
    expect(
      asked(play)
        .join()
        .match(/Mind the date/g),
    ).toHaveLength(1);
  });

  it('L6: is counted, whenever it is said', () => {
    const text = 'x'.repeat(5_000);
    const inTheAir = prepared();
    inTheAir.take(steers(text));
    inTheAir.replied(asks(look()));
    inTheAir.returned('1.1', '');
    const silent = prepared();
    silent.replied(asks(look()));
    silent.returned('1.1', '');
    const more = inTheAir.modelCall.reservation.inputTokens - silent.modelCall.reservation.inputTokens;
    expect(more).toBeGreaterThanOrEqual(text.length);
    const early = started();
    early.take(steers(text));
    early.take({ type: 'prepared', agent: agentOf() });
    expect(early.modelCall.reservation.inputTokens).toBeGreaterThan(text.length);
  });

  it.each([
    ['nothing', ' \n', 'There is nothing in the message: say what the agent should know.'],
    ['too much', 'x'.repeat(defaults.messageCharacters + 1), 'Put what is long where a tool can read it.'],
  ])('that is %s is not taken', (_what, text, why) => {
    const play = prepared();
    const { messages } = play.chain;
    play.take(steers(text));
    expect(play.chain.messages).toEqual(messages);
    expect(play.chain.notices.at(-1)).toMatchObject({ kind: 'ignored', text: expect.stringContaining(why) });
  });

  it('under an id that was heard is taken once; the ids that are remembered are bounded', () => {
    const play = prepared(agentOf({ tools: [] }));
    play.take(steers('Once.', { id: 'a' }), steers('Once.', { id: 'a' }));
    expect(play.chain.messages).toHaveLength(1);
    for (let at = 0; at < 300; at++) play.take(steers('More.', { id: `id-${at}` }));
    expect(play.state.seenCommandIds).toHaveLength(128);
    expect(play.state.seenCommandIds.at(-1)).toBe('id-299');
  });

  it('and cannot be read is told to readers with what is missing', () => {
    const play = prepared();
    play.take(says({ kind: 'unreadable', problem: 'It does not say the message: {"text":"…"}.' }, { by: null }));
    expect(play.chain.notices.at(-1)?.text).toBe(
      'Something said was not taken: It does not say the message: {"text":"…"}.',
    );
  });

  it('to a chain that is coming to its end is refused, saying so', () => {
    const play = prepared();
    play.replied(asks(look(), pay()));
    play.cancelledBy('bob');
    play.take(steers('Wait!'));
    expect(play.chain.notices.at(-1)?.text).toContain('The chain is coming to its end as cancelled: Cancelled by bob.');
  });
});
