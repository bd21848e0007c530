/** A thought that only repeats the last one is a notice for readers, with every strategy. */

import { describe, expect, it } from 'vitest';
import { getStrategy } from '../../../../src/core/strategies/strategies.js';
import {
  autonomousDefaults,
  planDefaults,
  reactDefaults,
  toolsDefaults,
} from '../../../../src/core/strategies/strategy.js';
import {
  agentOf,
  asks,
  look,
  rawReply,
  readBy,
  replyOf,
  text,
  unreadable,
  usage,
  use,
} from '../../../support/core-builders.js';
import { type Play, prepared } from '../../../support/core-play.js';

/** Takes a step with this thought, and returns its notices. */
function think(play: Play, thought: string): readonly string[] {
  const reply = asks(look(play.state.steps + 1));
  play.replied({ ...reply, reading: { ...reply.reading, thought } });
  play.returned(`${play.state.steps}.1`);
  return play.chain.notices.filter(({ step }) => step === play.state.steps).map(({ code }) => code);
}

describe('a thought that only repeats the last one', () => {
  it('is a notice of its step, with a code', () => {
    const play = prepared();
    expect(think(play, 'I look at the bill.')).toEqual([]);
    expect(think(play, 'I look at the bill.')).toEqual(['thought_repeated']);
    expect(play.chain.notices).toEqual([
      {
        code: 'thought_repeated',
        text: 'This thought only repeats the one before it, word for word.',
        step: 2,
        at: play.at,
      },
    ]);
  });

  it('is recognized in other letters, marks and spaces, but not with another word', () => {
    const play = prepared();
    think(play, 'I look at the bill.');
    expect(think(play, '**I look**\n  at the BILL!')).toEqual(['thought_repeated']);
    expect(think(play, 'I look at the second bill.')).toEqual([]);
    expect(think(play, 'I look at the bill.')).toEqual([]);
  });

  it('is recognized though a step without a thought is between', () => {
    const play = prepared();
    think(play, 'I look at the bill.');
    think(play, '…');
    play.replied(replyOf({ ...asks(look('x')).reading, thought: null }));
    play.returned('3.1');
    expect(think(play, 'I look at the bill.')).toEqual(['thought_repeated']);
  });

  it('is no notice in a reply that the model had to write again', () => {
    const play = prepared();
    const reply = unreadable();
    play.replied({ ...reply, reading: { ...reply.reading, thought: 'I look at the bill.' } });
    expect(think(play, 'I look at the bill.')).toEqual([]);
  });

  it.each([reactDefaults, toolsDefaults, autonomousDefaults, planDefaults])(
    'is a notice with the strategy $name, and changes no request to the model',
    (strategy) => {
      const agent = agentOf({ strategy });
      const play = prepared(agent);
      const words = 'I need to look at the bill.';
      const content = (at: number) =>
        strategy.name === 'react'
          ? [text(`Thought: ${words}\nAction: look\nAction Input: {"at": ${at}}`)]
          : [text(words), use(`use_${at}`, 'look', { at })];
      for (const at of [1, 2]) {
        play.replied(readBy(agent, rawReply(content(at), 'end_turn', usage(10, 5))));
        play.returned(`${at}.1`);
      }
      expect(play.chain.notices.map(({ code }) => code)).toContain('thought_repeated');
      const request = getStrategy(strategy).render(play.chain, agent);
      expect(JSON.stringify(request)).not.toContain('repeats the one before');
    },
  );
});
