/** The arguments of a start are checked before Temporal checks them with a worse message. */

import { Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { checkAgent, checkStart } from '../../../src/client/start/check-start.js';
import { toPriority } from '../../../src/client/start/priority.js';
import { connect } from '../../../src/entries/client.js';
import { matchError } from '../../support/match-error.js';

describe('checkStart', () => {
  it('accepts valid arguments', () => {
    expect(() => checkStart({})).not.toThrow();
    expect(() => checkStart({ chainId: 'order-7', ifExists: 'join' })).not.toThrow();
    expect(() => checkStart({ chainId: 'x'.repeat(200), ifExists: undefined })).not.toThrow();
  });

  it.each([
    ['', "The chain's id is empty"],
    ['x'.repeat(2_000), "has 2000 bytes; Temporal's limit is 1000"],
    ['ä'.repeat(501), 'has 1002 bytes'],
    ['x\u001b]0;owned\u0007', 'Invalid chain id "x\\u001b]0;owned\\u0007": it has control characters.'],
    ['x\n✓ forged', 'it has control characters'],
    ['x\u202ey', 'Invalid chain id "x\\u202ey"'],
    ['chat-7~2', 'Invalid chain id "chat-7~2": ids that end in "~" and a number are those of follow-ups.'],
    [7, 'Invalid chain id 7: expected a string.'],
  ])('rejects the invalid id %j', (chainId, message) => {
    const start = () => checkStart({ chainId: chainId as string });
    expect(start).toThrow(matchError('invalid_options', message));
  });

  it.each<[unknown, string]>([
    ['treasury', 'Invalid roles "treasury": expected a list'],
    [['treasury', ' '], 'Invalid roles ["treasury"," "]'],
    [[7], 'Invalid roles [7]'],
    [['ops\u0000'], 'without control characters'],
    [['x'.repeat(101)], 'texts of at most 100 characters'],
    [Array.from({ length: 33 }, (_, at) => `role-${at}`), 'has 33 roles; the limit is 32'],
  ])('rejects the roles %j', (roles, message) => {
    expect(() => checkStart({ roles: ['treasury'] })).not.toThrow();
    expect(() => checkStart({ roles: roles as string[] })).toThrow(matchError('invalid_options', message));
  });

  it.each([0, 6, 1.5, '1'])('rejects the priority %j', (priority) => {
    expect(() => checkStart({ priority: priority as number })).toThrow(
      matchError('invalid_options', `Invalid \`priority\` ${JSON.stringify(priority)}: expected 1, first, to 5.`),
    );
  });

  it('names the values of ifExists', () => {
    const wrong = { ifExists: 'nope' as 'join' };
    expect(() => checkStart(wrong)).toThrow(
      matchError('invalid_options', `\`ifExists\` "nope": expected 'error', 'join', 'again'`),
    );
  });
});

it('the tenant is the key of fair queues, hashed where it is longer than Temporal allows', () => {
  expect(toPriority(null, undefined)).toEqual({});
  expect(toPriority('acme', 2)).toEqual({ priority: { fairnessKey: 'acme', priorityKey: 2 } });
  const { priority } = toPriority('ä'.repeat(33), undefined);
  expect(priority).toEqual({ fairnessKey: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(toPriority('ä'.repeat(32), undefined).priority?.fairnessKey).toBe('ä'.repeat(32));
});

describe('an agent', () => {
  it.each<[unknown, string]>([
    [undefined, 'Circular imports leave an imported agent undefined: move it to its own module.'],
    [null, 'Pass the agent that `defineAgent` returned, or its name.'],
    [{}, 'Invalid agent: it has no name.'],
    [{ name: 7 }, 'Invalid agent: it has no name.'],
    [7, 'Invalid agent: it has no name.'],
    [{ name: 'clerk@2.0.0' }, 'Invalid agent "clerk@2.0.0": a start names no version,'],
    [{ name: 'clerk@2.0.0' }, 'Pass clerk.'],
    [{ name: 'my clerk' }, 'Invalid agent "my clerk": a name begins with a letter or _'],
    [{ name: 'a'.repeat(65) }, 'at most 64'],
  ])('is rejected when it is %j', (agent, message) => {
    expect(() => checkAgent(agent)).toThrow(matchError('invalid_options', message));
  });

  it('is checked before the server is called', async () => {
    const longhand = await connect({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
    const [agent] = [] as string[];
    await expect(longhand.start(agent as string, 'Find it')).rejects.toThrow(
      matchError('invalid_options', 'agent is undefined'),
    );
    await expect(longhand.start('', 'Find it')).rejects.toThrow(matchError('invalid_options', 'name is empty'));
    await longhand.close();
  });
});
