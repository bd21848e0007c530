/** What is said to a chain is read whatever it is; what cannot be understood says what is missing. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMessage } from '../../src/contract/messages.js';
import { messageNames } from '../../src/contract/names.js';
import { advance } from '../../src/core/engine/advance.js';
import { type Json, toCanonicalJson } from '../../src/core/lib/json.js';
import type { Command } from '../../src/core/model/command.js';
import type { Fact } from '../../src/core/model/fact.js';
import { budget } from '../support/budget.js';
import { asks, pay, toolFailure } from '../support/core-builders.js';
import { needs, rules } from '../support/core-people.js';
import { prepared } from '../support/core-play.js';

const spelt = Object.values(messageNames);

function direction(name: keyof typeof messageNames, said: Json): Command {
  const message = parseMessage(messageNames[name], said, null);
  if (message?.type !== 'commandReceived') throw new Error('It is no direction.');
  return message.command;
}

const decide = { kind: 'decide', call: '3.1', digest: null } as const;

describe('what people send by hand', () => {
  it.each<[keyof typeof messageNames, Json, Command]>([
    ['approve', { call: '3.1' }, { ...decide, decision: { kind: 'approve' } }],
    ['approve', { call: '3.1', digest: 'd' }, { ...decide, digest: 'd', decision: { kind: 'approve' } }],
    [
      'approve',
      { call: '3.1', input: null, always: true },
      { ...decide, decision: { kind: 'approve', input: null, always: true } },
    ],
    ['approve', { call: '3.1', always: 'yes' }, { ...decide, decision: { kind: 'approve' } }],
    ['deny', { call: '3.1' }, { ...decide, decision: { kind: 'deny' } }],
    ['answer', { call: '3.1', answer: [1] }, { ...decide, decision: { kind: 'answer', answer: [1] } }],
    [
      'outcome',
      { call: '3.1', outcome: 'happened' },
      { ...decide, decision: { kind: 'happened', observation: 'It happened.' } },
    ],
    ['outcome', { call: '3.1', outcome: 'not_happened' }, { ...decide, decision: { kind: 'not_happened' } }],
    ['outcome', { call: '3.1', outcome: 'give_up' }, { ...decide, decision: { kind: 'give_up' } }],
    ['steer', { text: 'Go.' }, { kind: 'steer', text: 'Go.' }],
    ['pause', {}, { kind: 'pause', breakpoint: null }],
    ['pause', null, { kind: 'pause', breakpoint: null }],
    ['pause', { at: { step: 5 } }, { kind: 'pause', breakpoint: { step: 5 } }],
    ['pause', { at: { costUsd: 0.5 } }, { kind: 'pause', breakpoint: { costUsd: 0.5 } }],
    ['pause', { at: { tool: 'pay' } }, { kind: 'pause', breakpoint: { tool: 'pay' } }],
    ['resume', 'please', { kind: 'resume' }],
    ['limit', { limits: { steps: 20 } }, { kind: 'limit', limits: { steps: 20 } }],
  ])('%s %j', (name, said, read) => {
    expect(direction(name, said)).toEqual(read);
  });

  it.each<[keyof typeof messageNames, Json, string]>([
    [
      'approve',
      { call: '3.1', inputs: {} },
      'inputs means nothing to approve; there are call, digest, input, always, id',
    ],
    ['pause', { step: 5 }, 'step means nothing to pause; there are at, id, chainId, by, roles, reason.'],
    ['resume', { at: 1 }, 'at means nothing to resume'],
  ])('%s %j says what it does not mean', (name, said, problem) => {
    expect(direction(name, said)).toEqual({ kind: 'unreadable', problem: expect.stringContaining(problem) });
  });

  it.each<[keyof typeof messageNames, Json, string]>([
    ['approve', {}, 'the call that is meant, as a text: {"call":"3.1"}'],
    ['approve', '3.1', 'the call that is meant'],
    ['deny', { call: 3.1 }, 'the call that is meant'],
    ['answer', { call: '3.1' }, 'the answer: {"call":"3.1","answer":"…"}'],
    ['outcome', { call: '3.1' }, 'what is known: {"call":"3.1","outcome":"happened"}'],
    ['steer', { text: 7 }, 'the message: {"text":"…"}'],
    ['pause', { at: { step: 0 } }, 'where: {"at":{"step":5}}'],
    ['pause', { at: 5 }, 'where: {"at":{"step":5}}'],
    ['limit', { steps: 20 }, 'the limits: {"limits":{"steps":20}}'],
  ])('%s %j does not say what it would have to', (name, said, missing) => {
    expect(direction(name, said)).toMatchObject({
      kind: 'unreadable',
      problem: expect.stringContaining(`It does not say ${missing}`),
    });
  });

  it('who says it, in which roles, why, and under which id', () => {
    const who = (said: Json) => parseMessage(messageNames.resume, said, 'update-1');
    expect(who({ id: 'a', chainId: 'c', by: ' ana ', roles: ['ops', 7], reason: 'Done.' })).toMatchObject({
      ...{ id: 'a', chainId: 'c', by: 'ana', roles: ['ops'], reason: 'Done.' },
    });
    expect(who({ roles: 'ops' })).toMatchObject({
      id: 'update-1',
      chainId: null,
      by: null,
      roles: ['ops'],
      reason: null,
    });
    // Nobody is called nothing: who has to be named is not named by it.
    expect(who({ id: '', chainId: '', by: ' ' })).toMatchObject({ id: 'update-1', chainId: null, by: null });
  });

  it('a cancel, whatever it is', () => {
    expect(parseMessage(messageNames.cancel, { id: 'a', by: 'ana', summarize: true }, null)).toEqual({
      ...{ type: 'cancelRequested', id: 'a', by: 'ana', reason: null, summarize: true },
    });
    expect(parseMessage(messageNames.cancel, [], null)).toMatchObject({ id: 'unnamed', by: null });
  });

  it('and what is none of ours is left alone', () => {
    expect(parseMessage('somebody.elses', {}, null)).toBeNull();
    expect(parseMessage('constructor', {}, null)).toBeNull();
  });
});

const member = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string(),
  fc.constantFrom('1.1', 'happened', true, 'x'.repeat(3_000)),
);
const members = ['call', 'digest', 'input', 'always', 'answer', 'outcome', 'observation', 'text', 'at', 'limits'];
const said = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(
    fc.constantFrom(...members, 'id', 'by', 'roles', 'reason', 'chainId', '__proto__', 'step', 'tool'),
    member,
  ),
);

describe('whatever is said', () => {
  it('is read without throwing, the same each time, as plain data, and within bounds', () => {
    fc.assert(
      fc.property(fc.constantFrom(...spelt), said, fc.option(fc.string()), (name, words, id) => {
        const json = JSON.parse(JSON.stringify(words)) as Json;
        const message = parseMessage(name, json, id);
        expect(toCanonicalJson(parseMessage(name, json, id) as unknown as Json)).toBe(
          toCanonicalJson(message as unknown as Json),
        );
        expect(JSON.parse(JSON.stringify(message))).toEqual(message);
        if (message?.type !== 'commandReceived') return;
        expect(message.by === null || (message.by.trim() !== '' && message.by.length <= 200)).toBe(true);
        expect((message.chainId ?? '').length).toBeLessThanOrEqual(1_000);
        if (message.command.kind === 'decide') expect(message.command.call.length).toBeLessThanOrEqual(100);
      }),
      { numRuns: budget(250, 1_000) },
    );
    expect(parseMessage(messageNames.approve, undefined, null)).toMatchObject({ command: { kind: 'unreadable' } });
  });

  it('is unreadable where it is nested so deeply that no workflow could write it', () => {
    const deep = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as Json;
    for (const levels of [1_000, 20_000]) {
      expect(direction('answer', { call: '3.1', answer: deep(levels) })).toMatchObject({ kind: 'unreadable' });
      expect(direction('approve', { call: '3.1', input: deep(levels) })).toMatchObject({ kind: 'unreadable' });
    }
    expect(direction('answer', { call: '3.1', answer: deep(100) })).toMatchObject({ kind: 'decide' });
  });

  it('L4: makes no chain throw, whatever it asks a person', () => {
    const places = () => {
      const approval = prepared();
      approval.replied(needs([rules(), null], pay(1), pay(2)));
      const outcome = prepared();
      outcome.replied(asks(pay(1)));
      outcome.broke('1.1', toolFailure('timeout'));
      return [prepared().state, approval.state, outcome.state];
    };
    fc.assert(
      fc.property(fc.constantFrom(...places()), fc.array(fc.tuple(fc.constantFrom(...spelt), said)), (state, all) => {
        all.reduce((before, [name, words]) => {
          const message = parseMessage(name, JSON.parse(JSON.stringify(words)) as Json, null);
          return advance(before, { ...message, at: before.now + 1 } as Fact).state;
        }, state);
      }),
      { numRuns: budget(75, 300) },
    );
  });
});
