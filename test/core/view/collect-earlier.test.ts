/** L8: a follow-up contains tasks and answers of the chains before, and its viewers see of them what they see there. */

import { describe, expect, it } from 'vitest';
import { toChainResult } from '../../../src/core/engine/result.js';
import type { AgentSnapshot, ToolView } from '../../../src/core/model/agent.js';
import type { ChainInput } from '../../../src/core/model/fact.js';
import { buildReasoning, emptyReasoningContext } from '../../../src/core/view/build-reasoning.js';
import { collectEarlier } from '../../../src/core/view/collect-earlier.js';
import { canReadTokens } from '../../../src/core/view/token-filter.js';
import { view } from '../../../src/core/view/view.js';
import { viewPrompt } from '../../../src/core/view/view-prompt.js';
import {
  createViewer,
  type EarlierMessages,
  type Reasoning,
  type VisibilityConfig,
} from '../../../src/entries/view.js';
import { toChatContent } from '../../../src/telemetry/content.js';
import { agentOf, answers, asks, look, someInput, tool } from '../../support/core-builders.js';
import { decides, steers } from '../../support/core-people.js';
import { withQuestion } from '../../support/core-plans.js';
import { type Play, prepared } from '../../support/core-play.js';
import { matchError } from '../../support/match-error.js';

function reasoningOf({ chain }: Play): Reasoning {
  const result = chain.state.stop === null ? null : toChainResult(chain.state);
  return buildReasoning(chain, { ...emptyReasoningContext, result });
}

const collect = (play: Play): EarlierMessages => collectEarlier(play.chain, reasoningOf(play));
const listTexts = (play: Play) => collect(play).messages.map(({ role, text }) => `${role}: ${text}`);

const card = '4000-1234-5678-9010-X';
const agentWith = (shown: ToolView): AgentSnapshot => agentOf({ tools: [tool('look', { view: shown })] });

/** Looks up a card number, and answers with it. */
function firstOf(shown: ToolView = {}, input: Partial<ChainInput> = {}): Play {
  const play = prepared(agentWith(shown), { ...someInput, task: `Is ${card} known?`, ...input });
  play.replied(asks(look({ number: card })));
  play.returned('1.1', 'Not shown.');
  play.replied(answers(`${card} is known.`));
  return play;
}

function followUpOf(first: Play, shown: ToolView = {}, input: Partial<ChainInput> = {}): Play {
  const thread = { id: 'chain-1', number: 2, follows: 'chain-1' };
  return prepared(agentWith(shown), { ...someInput, task: 'Since when?', earlier: collect(first), thread, ...input });
}

describe('a follow-up contains', () => {
  it('the task and the answer of the chain before, and what that chain contained, without thoughts and results', () => {
    const second = followUpOf(firstOf());
    second.replied(answers('Since <private>I guess</private> May.'));
    expect(listTexts(second)).toEqual([
      `user: Is ${card} known?`,
      `assistant: ${card} is known.`,
      'user: Since when?',
      expect.stringMatching(/^assistant: Since .*May\.$/),
    ]);
    expect(JSON.stringify(collect(second))).not.toContain('Not shown.');
    expect(collect(second).tools).toEqual([{ tool: 'look', toolKind: 'external' }]);
  });

  it('how a chain without an answer ended, and no partial answer that quotes thoughts and results', () => {
    const play = prepared();
    play.replied(asks(look()));
    play.returned('1.1', 'A secret plan.');
    play.take({ type: 'cancelRequested', id: 'c', by: 'ada', reason: null, summarize: false });
    expect(listTexts(play).at(-1)).toBe('assistant: (No answer. The chain ended as cancelled.)');
    expect(JSON.stringify(collect(play))).not.toContain('A secret plan.');
  });

  it('the messages that steered the chain before, in the turn of the user', () => {
    const play = prepared();
    play.take(steers('In euros.', { by: 'ana' }));
    play.replied(asks(look()));
    play.take(steers('Hurry.', { by: 'ana' }));
    play.returned('1.1');
    play.replied(answers('Done.'));
    expect(listTexts(play)).toEqual([`user: ${someInput.task}\n\nIn euros.\n\nHurry.`, 'assistant: Done.']);
  });

  it('a message that no step of the chain before has read', () => {
    const play = prepared();
    play.replied(asks(look()));
    play.take(steers('Hurry.', { by: 'ana' }));
    play.take({ type: 'cancelRequested', id: 'c', by: 'ada', reason: null, summarize: false });
    expect(listTexts(play)[0]).toBe(`user: ${someInput.task}\n\nHurry.`);
  });

  it('the questions to the user with their answers, as messages of both', () => {
    const play = prepared(agentOf(withQuestion));
    play.replied(
      asks({
        tool: 'ask_user',
        input: { question: 'Which <private>of two</private> card?', options: ['Red', 'Blue'] },
      }),
    );
    play.take(decides('1.1', { kind: 'answer', answer: 'The red one.' }));
    play.replied(answers('It is known.'));
    expect(listTexts(play)).toEqual([
      `user: ${someInput.task}`,
      expect.stringMatching(/^assistant: Which .*card\?\n- Red\n- Blue$/),
      'user: The red one.',
      'assistant: It is known.',
    ]);
    expect(JSON.stringify(collect(play))).not.toContain('of two');
  });

  it('no question that its tool hides from end users, and none without an answer', () => {
    const [look, ask] = withQuestion.tools;
    for (const [view, decision] of [
      [{ level: 'hidden' }, { kind: 'answer', answer: 'Red.' }],
      [{}, { kind: 'deny' }],
    ] as const) {
      const play = prepared(agentOf({ tools: [look, { ...ask, view }] } as never));
      play.replied(asks({ tool: 'ask_user', input: { question: 'Which card?' } }));
      play.take(decides('1.1', decision));
      play.replied(answers('It is known.'));
      expect(listTexts(play)).toHaveLength(2);
    }
  });

  it('a message that came after an answer, as of a fork, as a turn of its own', () => {
    const play = prepared();
    play.take(steers('In euros?', { by: 'ana' }));
    play.replied(answers('9 dollars.'));
    play.replied(answers('8 euros.'));
    expect(listTexts(play).slice(1)).toEqual(['assistant: 9 dollars.', 'user: In euros?', 'assistant: 8 euros.']);
  });

  it('a line for each file of the task before', () => {
    const file = { name: 'a.png', mediaType: 'image/png', bytes: 9, digest: `sha256:${'1'.repeat(64)}` };
    const play = prepared(agentOf(), { ...someInput, files: [file] });
    play.replied(answers('A cat.'));
    expect(listTexts(play)[0]).toContain('File: a.png (image/png, 9 bytes). Its content is not shown to you.');
  });
});

describe('of the earlier messages', () => {
  const see = (play: Play, role: string, config: VisibilityConfig = {}, tenant: string | null = null) =>
    view(reasoningOf(play), createViewer(role, { tenant }), config);

  it('a viewer sees the texts of the user like the task, and the answers like the answer', () => {
    const second = followUpOf(firstOf());
    expect(see(second, 'end_user').earlier?.messages.map(({ text }) => text)).toEqual([
      expect.stringContaining('known?'),
      expect.stringContaining('is known.'),
    ]);
    const hidden = see(second, 'end_user', { required: [{ step: 'synthesis', atMost: 'hidden' }] });
    expect(hidden.earlier?.messages.map(({ text }) => text === null)).toEqual([false, true]);
  });

  it('a viewer of another tenant sees no text', () => {
    const second = followUpOf(firstOf({}, { tenant: 'acme' }), {}, { tenant: 'acme' });
    const seen = see(second, 'developer', {}, 'globex');
    expect(seen.earlier?.messages.map(({ text }) => text)).toEqual([null, null]);
    expect(JSON.stringify(seen)).not.toContain('4000-1234');
  });

  it('a value that is sensitive in its own chain is masked: there, in later steps, in tokens and in telemetry', () => {
    const second = followUpOf(firstOf({ sensitive: ['number'] }));
    second.replied(answers(`${card} since May.`));
    for (const role of ['developer', 'end_user']) expect(JSON.stringify(see(second, role))).not.toContain(card);
    expect(JSON.stringify(see(second, 'auditor'))).toContain(card);
    const scene = { viewer: createViewer('developer'), config: {}, chain: reasoningOf(second), path: '' };
    expect(canReadTokens(1, scene)).toBe(false);
    expect(JSON.stringify(toChatContent(second.chain, '', null, {}))).not.toContain(card);
    const third = followUpOf(second);
    third.replied(answers(`Still ${card}.`));
    expect(JSON.stringify(see(third, 'developer'))).not.toContain(card);
  });

  it('what a reader shows is also in the input of telemetry, before the task', () => {
    const content = JSON.stringify(toChatContent(followUpOf(firstOf()).chain, '', null, {}));
    expect(content.indexOf('is known.')).toBeGreaterThan(0);
    expect(content.indexOf('is known.')).toBeLessThan(content.indexOf('Since when?'));
  });

  it('a long one that is clipped keeps its sensitive value masked in later chains', () => {
    const task = `Is ${card} known? ${'word '.repeat(8_000)}`;
    const long = prepared(agentWith({ sensitive: ['number'] }), { ...someInput, task });
    long.replied(asks(look({ number: card })));
    long.returned('1.1', 'Not shown.');
    long.replied(answers('Yes.'));
    const second = followUpOf(long);
    second.replied(answers('It is.'));
    const third = followUpOf(second);
    third.replied(answers(`It is ${card}.`));
    expect(JSON.stringify(see(third, 'developer'))).not.toContain(card);
  });

  it('where rules name sensitive values of a tool that an earlier chain called, no text is visible, and of steps a line', () => {
    const second = followUpOf(firstOf());
    second.replied(answers(`${card} since May.`));
    const config: VisibilityConfig = { tools: { look: { sensitive: ['number'] } } };
    const seen = see(second, 'developer', config);
    expect(seen.earlier?.messages.map(({ text }) => text)).toEqual([null, null]);
    expect(JSON.stringify(seen)).not.toContain(card);
    expect(see(second, 'developer', { tools: { other: { sensitive: ['number'] } } }).answer).toBe(`${card} since May.`);
  });

  it('a prompt shows none to a developer who does not see them', () => {
    const second = followUpOf(firstOf());
    const config: VisibilityConfig = { tools: { look: { sensitive: ['number'] } } };
    const prompt = { kind: 'missing', chainId: 'chain-2', call: 'model-1', step: 1, reason: 'gone' } as const;
    const read = () => viewPrompt(reasoningOf(second), prompt as never, createViewer('developer'), config);
    expect(read).toThrow(matchError('not_visible', 'it contains earlier messages that the role does not see'));
  });
});
