/** Messages to a chain: any value is parsed; an unreadable one contains its problem. */

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

function parseCommand(name: keyof typeof messageNames, content: Json): Command {
  const message = parseMessage(messageNames[name], content, null);
  if (message?.type !== 'commandReceived') throw new Error('The message is not a command.');
  return message.command;
}

const decide = { kind: 'decide', call: '3.1', digest: null } as const;

describe('messages sent by hand', () => {
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
    ['resume', 'please', { kind: 'resume', call: null }],
    ['resume', { call: '3.1' }, { kind: 'resume', call: '3.1' }],
    ['limit', { limits: { steps: 20 } }, { kind: 'limit', limits: { steps: 20 } }],
  ])('are parsed: %s %j', (name, content, read) => {
    expect(parseCommand(name, content)).toEqual(read);
  });

  it.each<[keyof typeof messageNames, Json, string]>([
    [
      'approve',
      { call: '3.1', inputs: {} },
      'Unknown member inputs of approve; expected call, digest, input, always, id',
    ],
    ['pause', { step: 5 }, 'Unknown member step of pause; expected at, id, chainId, by, roles, reason.'],
    ['resume', { at: 1 }, 'Unknown member at of resume'],
    ['resume', { call: 3.1 }, 'Expected the call whose wait ends'],
  ])('are rejected for an unknown member: %s %j', (name, content, problem) => {
    expect(parseCommand(name, content)).toEqual({ kind: 'unreadable', problem: expect.stringContaining(problem) });
  });

  it.each<[keyof typeof messageNames, Json, string]>([
    ['approve', {}, 'a call: {"call":"3.1"}'],
    ['approve', '3.1', 'a call'],
    ['deny', { call: 3.1 }, 'a call'],
    ['answer', { call: '3.1' }, 'an answer: {"call":"3.1","answer":"…"}'],
    ['outcome', { call: '3.1' }, 'an outcome: {"call":"3.1","outcome":"happened"}'],
    ['steer', { text: 7 }, 'a message: {"text":"…"}'],
    ['pause', { at: { step: 0 } }, 'a breakpoint: {"at":{"step":5}}'],
    ['pause', { at: 5 }, 'a breakpoint: {"at":{"step":5}}'],
    ['limit', { steps: 20 }, 'limits: {"limits":{"steps":20}}'],
  ])('are rejected for a missing member: %s %j', (name, content, missing) => {
    expect(parseCommand(name, content)).toMatchObject({
      kind: 'unreadable',
      problem: expect.stringContaining(`Expected ${missing}`),
    });
  });

  it('have a sender, roles, a reason and an id', () => {
    const parse = (content: Json) => parseMessage(messageNames.resume, content, 'update-1');
    expect(parse({ id: 'a', chainId: 'c', by: ' ana ', roles: ['ops', 7], reason: 'Done.' })).toMatchObject({
      ...{ id: 'a', chainId: 'c', by: 'ana', roles: ['ops'], reason: 'Done.' },
    });
    expect(parse({ roles: 'ops' })).toMatchObject({
      id: 'update-1',
      chainId: null,
      by: null,
      roles: ['ops'],
      reason: null,
    });
    // A blank name is a missing name.
    expect(parse({ id: '', chainId: '', by: ' ' })).toMatchObject({ id: 'update-1', chainId: null, by: null });
  });

  it('may cancel, with any content', () => {
    expect(parseMessage(messageNames.cancel, { id: 'a', by: 'ana', summarize: true }, null)).toEqual({
      ...{ type: 'cancelRequested', id: 'a', by: 'ana', reason: null, summarize: true },
    });
    expect(parseMessage(messageNames.cancel, [], null)).toMatchObject({ id: 'unnamed', by: null });
  });

  it("are ignored if they are not Longhand's", () => {
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
const anyContent = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(
    fc.constantFrom(...members, 'id', 'by', 'roles', 'reason', 'chainId', '__proto__', 'step', 'tool'),
    member,
  ),
);

describe('any message', () => {
  it('is parsed without an exception, deterministically, as plain data, and within limits', () => {
    fc.assert(
      fc.property(fc.constantFrom(...spelt), anyContent, fc.option(fc.string()), (name, words, id) => {
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

  it('is unreadable if it is nested too deeply for a workflow to write', () => {
    const deep = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as Json;
    for (const levels of [1_000, 20_000]) {
      expect(parseCommand('answer', { call: '3.1', answer: deep(levels) })).toMatchObject({ kind: 'unreadable' });
      expect(parseCommand('approve', { call: '3.1', input: deep(levels) })).toMatchObject({ kind: 'unreadable' });
    }
    expect(parseCommand('answer', { call: '3.1', answer: deep(100) })).toMatchObject({ kind: 'decide' });
  });

  it('L4: is applied to a chain in any state without an exception', () => {
    const places = () => {
      const approval = prepared();
      approval.replied(needs([rules(), null], pay(1), pay(2)));
      const outcome = prepared();
      outcome.replied(asks(pay(1)));
      outcome.broke('1.1', toolFailure('timeout'));
      return [prepared().state, approval.state, outcome.state];
    };
    fc.assert(
      fc.property(
        fc.constantFrom(...places()),
        fc.array(fc.tuple(fc.constantFrom(...spelt), anyContent)),
        (state, all) => {
          all.reduce((before, [name, words]) => {
            const message = parseMessage(name, JSON.parse(JSON.stringify(words)) as Json, null);
            return advance(before, { ...message, at: before.now + 1 } as Fact).state;
          }, state);
        },
      ),
      { numRuns: budget(75, 300) },
    );
  });
});
