/** A follow-up keeps the agent, the requester and the limits of the chain that it follows; an impossible one is rejected. */

import { describe, expect, it } from 'vitest';
import { createFollowUpStart } from '../../../src/client/start/follow-up.js';
import type { FollowUpOptions } from '../../../src/entries/client.js';
import type { RecordedChain } from '../../../src/entries/view.js';
import type { ErrorCode } from '../../../src/index.js';
import { someInput } from '../../support/core-builders.js';
import { lineage } from '../../support/core-delegation.js';
import { matchError } from '../../support/match-error.js';
import { endedWith } from '../../support/thread-chains.js';

const owned = {
  tenant: 'acme',
  user: 'ada',
  roles: ['clerk'],
  model: 'some-model',
  limits: { steps: 3, timeMs: 5_000, waitMs: 60_000 },
};

describe('a follow-up', () => {
  it('keeps agent, model, limits, tenant, user and roles, and is the next chain of the thread', () => {
    const start = createFollowUpStart(endedWith(owned), 'And now?', {});
    expect(start).toMatchObject({
      agent: 'clerk',
      task: 'And now?',
      thread: { id: 'chain-1', number: 2, follows: 'chain-1' },
      chainId: 'chain-1~2',
      options: {
        ...{ model: 'some-model', limits: { steps: 3, time: 5_000, wait: 60_000 } },
        ...{ tenant: 'acme', user: 'ada', roles: ['clerk'] },
      },
    });
    expect(start.earlier.messages.map(({ text }) => text)).toEqual([someInput.task, 'All is paid.']);
  });

  it('of a follow-up is in the same thread', () => {
    const thread = { id: 'chat-7', number: 4, follows: 'chat-7~3' };
    const start = createFollowUpStart(endedWith({ thread }, { chainId: 'chat-7~4' }), 'And now?', {});
    expect(start.thread).toEqual({ id: 'chat-7', number: 5, follows: 'chat-7~4' });
    expect(start.chainId).toBe('chat-7~5');
  });

  it('takes the model, limits, user, roles and id that are given', () => {
    const given = { model: 'other-model', limits: { steps: 9 }, user: 'bob', roles: [], chainId: 'message-12' };
    const { chainId, options } = createFollowUpStart(endedWith(owned), 'And now?', given);
    const { chainId: ownId, ...others } = given;
    expect(chainId).toBe(ownId);
    expect(options).toMatchObject({ ...others, limits: { steps: 9, time: 5_000, wait: 60_000 }, tenant: 'acme' });
  });

  it.each<[FollowUpOptions, readonly string[]]>([
    [{ user: 'bob' }, []],
    [{ user: 'ada' }, ['clerk']],
    [{ user: 'bob', roles: ['auditor'] }, ['auditor']],
  ])('for %j has the roles %j: another user does not get those of the first one', (given, roles) => {
    expect(createFollowUpStart(endedWith(owned), 'And now?', given).options.roles).toEqual(roles);
  });

  it('has the data classes of all that its chain has read, and those that are given', () => {
    const last = endedWith({ dataClasses: ['personal'] });
    expect(createFollowUpStart(last, 'And now?', {}).options.dataClass).toEqual(['personal']);
    const given = { dataClass: 'health' };
    expect(createFollowUpStart(last, 'And now?', given).options.dataClass).toEqual(['health', 'personal']);
    const { state } = last.chain;
    const read = { ...last, chain: { ...last.chain, state: { ...state, dataClasses: ['health', 'personal'] } } };
    expect(createFollowUpStart(read, 'And now?', {}).options.dataClass).toEqual(['health', 'personal']);
  });

  it('of a chain with a long id is rejected with the fix, unless it has an id of its own', () => {
    const last = endedWith({}, { chainId: 'x'.repeat(199) });
    expect(() => createFollowUpStart(last, 'And now?', {})).toThrow(
      matchError('invalid_options', 'which has 201 bytes; the limit is 200. Pass a shorter one (`chainId`, `--id`).'),
    );
    expect(createFollowUpStart(last, 'And now?', { chainId: 'message-9' }).chainId).toBe('message-9');
  });

  it.each<[string, RecordedChain, FollowUpOptions, ErrorCode, string]>([
    [
      'of a chain that runs',
      endedWith({}, { closed: null }),
      {},
      'chain_running',
      'Chain chain-1 still runs. Steer it to send it a message now, or wait for its end.',
    ],
    ['of a sub-chain', endedWith({ lineage: lineage() }), {}, 'invalid_options', 'Follow up on that chain'],
  ])('%s is rejected with the fix', (_what, last, options, code, message) => {
    expect(() => createFollowUpStart(last, 'And now?', options)).toThrow(matchError(code, message));
  });
});
