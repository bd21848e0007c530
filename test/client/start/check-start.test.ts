/** What a chain is started with is looked at before Temporal does, which says less. */

import { Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/connect.js';
import { checkAgent, checkStart } from '../../../src/client/start/check-start.js';

describe('checkStart', () => {
  it('takes what the types allow', () => {
    expect(() => checkStart({})).not.toThrow();
    expect(() => checkStart({ chainId: 'order-7', ifExists: 'join' })).not.toThrow();
    expect(() => checkStart({ chainId: 'x'.repeat(200), ifExists: undefined })).not.toThrow();
  });

  it.each([
    ['', RangeError, "The chain's id is empty"],
    ['x'.repeat(2_000), RangeError, 'has 2000 bytes; Temporal takes 1000 at most'],
    ['ä'.repeat(501), RangeError, 'has 1002 bytes'],
    ['x\u001b]0;owned\u0007', RangeError, 'Invalid chain id "x\\u001b]0;owned\\u0007": it has control characters.'],
    ['x\n✓ forged', RangeError, 'it has control characters'],
    ['x\u202ey', RangeError, 'Invalid chain id "x\\u202ey"'],
    [7, TypeError, "A chain's id is a text, not 7."],
  ])('refuses an id that Temporal would', (chainId, type, says) => {
    const start = () => checkStart({ chainId: chainId as string });
    expect(start).toThrow(type);
    expect(start).toThrow(says);
  });

  it('names the values of ifExists', () => {
    const wrong = { ifExists: 'nope' as 'join' };
    expect(() => checkStart(wrong)).toThrow(`\`ifExists\` is "nope". Write 'error', 'join' or 'again'`);
  });
});

describe('an agent', () => {
  it.each<[unknown, string]>([
    [undefined, 'undefined while modules import each other in a circle: move it to a module of its own.'],
    [null, 'Give what `defineAgent` made, or its name.'],
    [{}, 'has no name, and is no agent'],
    [{ name: 7 }, 'has no name, and is no agent'],
    [7, 'has no name, and is no agent'],
  ])('is none that is %j', (agent, says) => {
    expect(() => checkAgent(agent)).toThrow(TypeError);
    expect(() => checkAgent(agent)).toThrow(says);
  });

  it('is looked at before a server is', async () => {
    const longhand = await connect({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
    const [agent] = [] as string[];
    await expect(longhand.start(agent as string, 'Find it')).rejects.toThrow('The agent is undefined. Give what');
    await expect(longhand.start('', 'Find it')).rejects.toThrow("The agent's name is empty.");
    await longhand.close();
  });
});
