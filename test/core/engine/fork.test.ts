/** A fork starts with the steps of its origin, is charged for none of them, and rejects an altered origin. */

import { describe, expect, it } from 'vitest';
import { computeHead } from '../../../src/core/engine/advance.js';
import { findOriginTurns, packTurns, unpackTurns } from '../../../src/core/engine/recorded-turn.js';
import { toChainResult } from '../../../src/core/engine/result.js';
import { pack, unpack } from '../../../src/core/lib/pack.js';
import type { Fact } from '../../../src/core/model/fact.js';
import { maxForkDepth, type Origin } from '../../../src/core/model/origin.js';
import { countTotalTokens } from '../../../src/core/model/usage.js';
import { getStrategy } from '../../../src/core/strategies/strategies.js';
import { toolsDefaults } from '../../../src/core/strategies/strategy.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
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
  someInput,
  text,
  thinks,
  tool,
  toolFailure,
  use,
} from '../../support/core-builders.js';
import { lineage } from '../../support/core-delegation.js';
import { inputOf, originOf, startFork } from '../../support/core-fork.js';
import { decides, steers } from '../../support/core-people.js';
import { kinds, type Play, prepared, started } from '../../support/core-play.js';

/** Two steps with reads, and an answer. */
function origin(agent = agentOf()): Play {
  const play = prepared(agent);
  play.replied(asks(look(1), look(2)));
  play.returned('1.1');
  play.returned('1.2');
  play.failed(modelFailure('overloaded', { retryAfterMs: 0 }));
  play.replied(asks(look(3)));
  play.returned('2.1');
  play.replied(answers('All is paid.'));
  return play;
}

const renderMessages = (play: Play) =>
  JSON.stringify(getStrategy(toolsDefaults).render(play.chain, agentOf()).messages);

describe('a fork', () => {
  it('has the steps of its origin, and continues their numbers', () => {
    const before = origin();
    const play = startFork(originOf(before, 2));
    const same = ({ number, thought, calls }: (typeof play.chain.steps)[number]) => ({ number, thought, calls });
    expect(play.chain.steps.map(same)).toEqual(before.chain.steps.slice(0, 2).map(same));
    expect(kinds(play.actions)).toEqual(['timer deadline', 'callModel']);
    expect(play.modelCall.call).toBe('model-4');
    play.replied(asks(look(9)));
    expect(play.step).toMatchObject({ number: 3, calls: [{ id: '3.1' }] });
  });

  it('sends the same request as its origin at that step', () => {
    const before = origin();
    const asked = renderMessages(before).slice(0, -1);
    expect(asked.startsWith(renderMessages(startFork(originOf(before, 2))).slice(0, -1))).toBe(true);
  });

  it('is not charged for the steps of its origin', () => {
    const play = startFork(originOf(origin(), 2));
    expect(play.state.charged).toEqual({ tokens: 0, usd: 0 });
    expect(play.chain.steps.map((step) => countTotalTokens(step.usage) + (step.costUsd ?? 1))).toEqual([0, 0]);
    play.replied(answers('Nothing is due.'));
    expect(play.result).toMatchObject({ costUsd: 0.003, steps: 3 });
  });

  it('has its full limits', () => {
    const agent = agentOf({ limits: { steps: 2 } });
    const before = prepared(agent);
    for (const step of [1, 2]) {
      before.replied(asks(look(step)));
      before.returned(`${step}.1`);
    }
    before.replied(answers('So far.'));
    expect(before.result.outcome).toBe('max_iterations');
    const play = startFork(originOf(before, 2), agent);
    expect(play.state.stop).toBeNull();
    expect(play.chain.notices).toEqual([]);
    for (const step of [3, 4]) {
      play.replied(asks(look(step)));
      play.returned(`${step}.1`);
    }
    expect(toChainResult(play.state)).toMatchObject({ outcome: 'max_iterations', reasonCode: 'max_steps' });
  });

  it('repeats a read: the result may have changed', () => {
    const play = startFork(originOf(origin(), 2));
    play.replied(asks(look(1)));
    expect(play.ran).toEqual(['3.1']);
  });

  it('keeps an unknown outcome, with its observation', () => {
    const before = prepared();
    before.replied(asks(pay({ to: 'Ada' })));
    before.broke('1.1', toolFailure('Error', 'the line broke'));
    before.take(decides('1.1', { kind: 'give_up' }));
    const play = startFork(originOf(before, 1));
    expect(play.chain.notices.map(({ code }) => code)).toEqual(['outcome_unknown']);
    expect(renderMessages(play)).toContain('is unknown: the line broke. It may have happened');
  });

  it('adds the message of its sender after the last step', () => {
    const from = originOf(origin(), 3, 'And what is due next month?');
    const play = started({ ...inputOf(from), user: 'Ada' });
    play.take({ type: 'prepared', agent: agentOf() });
    const { messages } = getStrategy(toolsDefaults).render(play.chain, agentOf());
    expect(messages.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'Message from Ada: And what is due next month?' }],
    });
    expect(play.state.stop).toBeNull();
  });

  it('knows the kinds and view options of tools before its agent is prepared, and of removed tools', () => {
    const secret = tool('vault', { view: { sensitive: ['code'] } });
    const before = origin(agentOf({ tools: [tool('look'), secret] }));
    const unprepared = started(inputOf(originOf(before, 2)));
    expect(buildReasoning(unprepared.chain).tools).toEqual({
      look: { kind: 'external' },
      vault: { kind: 'external', sensitive: ['code'] },
    });
    unprepared.take({ type: 'prepared', agent: agentOf({ tools: [tool('look')] }) });
    expect(buildReasoning(unprepared.chain).tools).toEqual({
      look: { kind: 'external' },
      vault: { kind: 'external', sensitive: ['code'] },
    });
  });

  it('continues after the call that ended its origin', () => {
    const agent = autonomousAgent();
    const before = prepared(agent);
    before.replied(readBy(agent, rawReply([text('So.'), use('use_1', 'finish', { result: 'Paid.' })], 'tool_use')));
    const play = startFork(originOf(before, 1, 'Pay the next one, too.'), agent);
    const { messages } = getStrategy(agent.strategy).render(play.chain, agent);
    expect(messages.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'use_1', content: 'Received.' },
      { type: 'text', text: 'Message from the user: Pay the next one, too.' },
    ]);
  });

  it('removes signed thinking for another model', () => {
    const before = prepared();
    const asked = asks(look(1));
    before.replied({ ...asked, reading: { ...asked.reading, content: [thinks('Hm.'), use('use_0', 'look', 1)] } });
    before.returned('1.1');
    const from = originOf(before, 1);
    const other = agentOf({ model: { id: 'another-model' } });
    const rendered = (agent: typeof other) =>
      JSON.stringify(getStrategy(agent.strategy).render(startFork(from, agent).chain, agent).messages);
    expect(rendered(agentOf())).toContain('Hm.');
    expect(rendered(other)).not.toContain('Hm.');
    expect(rendered(other)).toContain('result of 1.1');
    // An alias may have another provider by now.
    expect(rendered(agentOf({ model: { provider: 'another-provider' } }))).not.toContain('Hm.');
  });

  it('reserves by bytes for another model, which counts tokens differently', () => {
    const from = originOf(origin(), 2);
    const same = startFork(from).modelCall.reservation.inputTokens;
    const other = startFork(from, agentOf({ model: { id: 'another-model' } }));
    const bytes = renderMessages(other).length;
    expect(other.modelCall.reservation.inputTokens).toBeGreaterThan(bytes);
    expect(same).toBeGreaterThanOrEqual(1_100);
  });

  it('ends if the agent now has another strategy', () => {
    const play = startFork(originOf(origin(), 2), autonomousAgent());
    expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: 'other_strategy' });
    expect(play.state.stop?.reason).toMatchObject({ now: 'autonomous' });
  });

  it('is rejected above the limit of nested forks', () => {
    let play = origin();
    for (let depth = 1; depth <= maxForkDepth; depth++) {
      play = startFork(originOf(play, depth + 1));
      expect(play.state.origin?.depth).toBe(depth);
      play.replied(asks(look(depth)));
      play.returned(`${depth + 2}.1`);
    }
    expect(started(inputOf(originOf(play, maxForkDepth + 2))).result.outcome).toBe('failure');
  });

  it('can be forked itself, at its own steps', () => {
    const play = startFork(originOf(origin(), 2, 'Look again.'));
    play.replied(asks(look(3)));
    play.returned('3.1');
    const again = startFork(originOf(play, 3, 'And once more.'));
    expect(again.chain.steps.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(again.chain.messages.map(({ text, afterStep }) => [text, afterStep])).toEqual([
      ['Look again.', 2],
      ['And once more.', 3],
    ]);
    expect(again.state.charged).toEqual({ tokens: 0, usd: 0 });
  });
});

describe('the origin in a start', () => {
  it('is found in a branch that received a message before it was prepared', () => {
    const from = originOf(origin(), 2);
    const play = started({ ...someInput, lineage: lineage({ branch: { steps: 2, hypothesis: 'It is the clock.' } }) });
    play.take(steers('Hurry.'));
    play.take(steers('Do.'));
    play.take({ type: 'prepared', agent: agentOf(), origin: from });
    expect(play.chain.steps.length).toBe(2);
    expect(findOriginTurns(play.turns)).toEqual(unpackTurns(from.turns));
  });

  it('is small, and is unpacked unchanged', () => {
    const { turns } = origin();
    const packed = packTurns(turns);
    expect(unpack(packed)).toEqual(turns);
    expect(packTurns(turns)).toBe(packed);
    expect(packed.length).toBeLessThan(JSON.stringify(turns).length / 2);
  });

  it('is not part of the state', () => {
    expect(JSON.stringify(startFork(originOf(origin(), 2)).state)).not.toContain('"turns"');
  });

  const whole = originOf(origin(), 2);
  const altered: readonly (readonly [string, unknown])[] = [
    ['a changed fact', { ...whole, turns: pack(changed()) }],
    ['another digest', { ...whole, digest: originOf(origin(), 1).digest }],
    ['another step', { ...whole, steps: 1 }],
    ['a text that is not packed', { ...whole, turns: 'nothing' }],
    ['JSON that is not turns', { ...whole, turns: pack({ turns: 1 }) }],
    [
      'a turn with invalid facts',
      {
        ...whole,
        turns: pack([{ eventId: 1, history: { events: 1, bytes: 1, continueSuggested: false }, facts: [1] }]),
      },
    ],
    ['a file that was cut off', { ...whole, turns: whole.turns.slice(0, 400) }],
    ['invalid facts', malformed()],
    ['more bytes than it states', { ...whole, turns: overfull() }],
    ['a value that is not an origin', 7],
  ];

  /** Altered, with recomputed digests. */
  function malformed(): Origin {
    const facts = [
      { type: 'started', at: 1, chainId: 'c', input: someInput },
      { type: 'prepared', at: 2, agent: {} },
    ];
    const digest = facts.reduce((head, fact) => computeHead(head, fact as Fact), '');
    return {
      ...whole,
      digest,
      turns: packTurns([
        { eventId: 1, history: { events: 1, bytes: 1, continueSuggested: false }, facts: facts as Fact[] },
      ]),
    };
  }

  /** A gzip file that states a size of a thousand bytes. */
  function overfull(): string {
    const data = Buffer.from(pack('x'.repeat(5_000_000)), 'base64');
    data.writeUInt32LE(1_000, data.length - 4);
    return data.toString('base64');
  }

  function changed() {
    const text = JSON.stringify(origin().turns);
    return JSON.parse(text.replace('result of 1.1', 'result of 1.9'));
  }

  it.each(altered)('ends the chain before it begins: %s', (_, from) => {
    const play = started({ ...someInput, origin: from as Origin });
    expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: 'unreadable_origin' });
    expect(play.chain.steps).toEqual([]);
  });
});
