/** Judged ends: a model judges the end of a chain by the criteria of its agent, before the chain ends. */

import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../../src/agents/define-agent.js';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import type { StepVerdict } from '../../../src/core/model/notice.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import { draftsOf } from '../../support/audit.js';
import { agentOf, answers, asks, look, replyOf, text, usage } from '../../support/core-builders.js';
import { resumes, steers } from '../../support/core-people.js';
import { type Play, prepared } from '../../support/core-play.js';

const judge = { criteria: 'The answer names a source.' };
const judged = (more: Parameters<typeof agentOf>[0] = {}) => prepared(agentOf({ judge, ...more }));
const verdictOf = (verdict: StepVerdict, reason = 'No source.') =>
  replyOf({ content: [text(JSON.stringify({ verdict, reasons: [reason] }))] }, { usage: usage(700, 40) });
const render = (play: Play) => renderRequest(play.chain, play.state.agent as AgentSnapshot, play.modelCall.purpose);
const sent = (play: Play) => JSON.stringify(render(play).messages);

it('an answer that meets the criteria ends the chain, and calls need no verdict', () => {
  const play = judged();
  play.replied(asks(look(1)));
  expect(play.ran).toEqual(['1.1']);
  play.returned('1.1');
  play.replied(answers('12, from look.'));
  expect(play.modelCall).toMatchObject({ call: 'aside-1', purpose: 'judge' });
  expect(render(play).system).toContain(judge.criteria);
  expect(sent(play)).toContain('12, from look.');
  expect(sent(play)).toContain('result of 1.1');
  play.replied(verdictOf('allow', 'It names look.'));
  expect(play.result).toMatchObject({ outcome: 'success', answer: '12, from look.', steps: 2 });
  expect(play.chain.notices.at(-1)).toMatchObject({
    ...{ code: 'judged', verdict: 'allow', text: 'The judge accepts the end. It names look.' },
    asked: { call: 'aside-1', inputTokens: 700 },
  });
  expect(draftsOf(play).find(({ type }) => type === 'judged')).toMatchObject({ what: { verdict: 'allow' } });
});

it('a model that reads the reasons corrects its answer; without them it would not', () => {
  /** Knows only its request. */
  const reply = (play: Play) => answers(sent(play).includes('No source.') ? '12, from look.' : '12');
  const play = judged();
  play.replied(reply(play));
  play.replied(verdictOf(sent(play).includes('from look') ? 'allow' : 'deny'));
  expect(sent(play)).toContain('Your answer was rejected. The reasons:\\n<text-');
  play.replied(reply(play));
  play.replied(verdictOf(sent(play).includes('from look') ? 'allow' : 'deny'));
  expect(play.result).toMatchObject({ outcome: 'success', answer: '12, from look.' });
});

it('a judge may end the chain as a failure, with the answer as its findings', () => {
  const play = judged();
  play.replied(answers('12'));
  play.replied(verdictOf('end', 'The source does not exist.'));
  expect(play.result).toMatchObject({
    ...{ outcome: 'failure', partial: '12', answer: null },
    reason: 'The judge ends the chain as a failure: The source does not exist.',
  });
});

it('a failure that the model states is judged too', () => {
  const failing = () => {
    const play = judged();
    play.replied(replyOf({ answer: 'Nothing found.', failure: 'No data.', content: [text('No.')] } as never));
    expect(play.modelCall.purpose).toBe('judge');
    expect(sent(play)).toContain('No data.');
    expect(sent(play)).toContain('Nothing found.');
    return play;
  };
  const accepted = failing();
  accepted.replied(verdictOf('allow'));
  expect(accepted.result).toMatchObject({ outcome: 'failure', partial: 'Nothing found.' });
  const continued = failing();
  continued.replied(verdictOf('deny', 'look was not tried.'));
  expect(continued.modelCall.purpose).toBe('step');
  expect(sent(continued)).toContain('look was not tried.');
});

it("a verdict that cannot be read is a person's: resumed, the chain ends; a message continues it", () => {
  for (const ended of [true, false]) {
    const play = judged();
    play.replied(answers('12'));
    play.replied(replyOf({ content: [text('Fine by me.')] }));
    expect(play.state.paused?.reason).toContain('The judge leaves the end to a person: The verdict could not be read');
    if (!ended) play.take(steers('Look again.'));
    play.take(resumes());
    if (ended) expect(play.result.outcome).toBe('success');
    else expect(play.modelCall).toMatchObject({ purpose: 'step', call: 'model-2' });
  }
});

it('the judge comes after the written policy', () => {
  const play = judged({ policy: { text: 'Do no harm.', model: agentOf().model } });
  play.replied(answers('12'));
  expect(play.modelCall.purpose).toBe('policy');
  play.replied(verdictOf('allow'));
  expect(play.modelCall).toMatchObject({ purpose: 'judge', call: 'aside-2', attempt: 1 });
  play.replied(verdictOf('allow'));
  expect(play.result.outcome).toBe('success');
  expect(play.chain.notices.map(({ code }) => code)).toEqual(['policy_checked', 'judged']);
});

describe('L6', () => {
  it('the request for a verdict on a failure is within its reservation', () => {
    const words = '\u4e2d'.repeat(20_000);
    const play = judged();
    play.replied(replyOf({ answer: words, failure: words, content: [text('No.')] } as never));
    const bytes = Buffer.byteLength(JSON.stringify(render(play)));
    expect(bytes).toBeLessThanOrEqual(play.modelCall.reservation.inputTokens);
    expect(sent(play)).toContain(words);
  });

  it('where the budget cannot pay for the judge, a person decides', () => {
    const rich = judged();
    rich.replied(answers('12'));
    const tokens = rich.state.charged.tokens + rich.modelCall.reservation.inputTokens;
    const play = judged({ limits: { tokens } });
    play.replied(answers('12'));
    expect(play.state.paused?.reason).toContain('The budget cannot pay for the model that decides about the step.');
  });
});

it('invalid criteria are rejected', () => {
  const define = (given: unknown) => () => defineAgent({ name: 'clerk', model: 'm', judge: given } as never);
  expect(define({ criteria: ' ' })).toThrow('judge must have criteria, a text of at most 8,000 characters');
  expect(define({ criteria: 'x'.repeat(8_001) })).toThrow('judge must have criteria');
});
