/** Pending attempts, which a server knows before the history contains them. */

import { defaultDataConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { addPendingAttempts } from '../../../src/client/read/pending-attempts.js';
import { toReasoning } from '../../../src/core/view/build-reasoning.js';
import { storedChain } from '../../support/stored-chain.js';

type Raw = Parameters<typeof addPendingAttempts>[1]['raw'];

const recorded = await storedChain('parallel-tools');
const known = recorded.attempts.get('1.2');
if (known === undefined) throw new Error('The stored chain has no call 1.2.');
const waiting = {
  ...known,
  made: 0,
  startedAt: null,
  endedAt: null,
  endedEventId: null,
  worker: null,
  lastFailure: null,
};
const running = { ...recorded, attempts: new Map([...recorded.attempts, ['1.2', waiting]]) };

async function readSteps(pending: object): Promise<ReturnType<typeof toReasoning>['steps']> {
  const raw = { pendingActivities: [pending] } as unknown as Raw;
  return toReasoning(await addPendingAttempts(running, { raw }, defaultDataConverter)).steps;
}

it('a retried call has its number of attempts and its last failure', async () => {
  const steps = await readSteps({
    activityId: '1.2',
    attempt: 3,
    lastStartedTime: { seconds: 1_795_000_000 },
    lastWorkerIdentity: 'worker-7',
    lastFailure: {
      message: 'connection reset',
      stackTrace: 'at send (/app/tools.ts:3:9)',
      applicationFailureInfo: { type: 'TypeError' },
    },
  });
  expect(steps.find(({ id }) => id === '1.2')).toMatchObject({
    attempts: {
      made: 3,
      startedAt: 1_795_000_000_000,
      worker: 'worker-7',
      lastFailure: { type: 'TypeError', message: 'connection reset', stack: 'at send (/app/tools.ts:3:9)' },
    },
  });
});

it('a call that no worker has started has no attempt', async () => {
  const call = (await readSteps({ activityId: '1.2', attempt: 1 })).find(({ id }) => id === '1.2');
  expect(call).toMatchObject({ attempts: { made: 0, startedAt: null } });
});

it('an attempt that ended in the history is not changed', async () => {
  const before = recorded.attempts.get('1.1');
  const raw = { pendingActivities: [{ activityId: '1.1', attempt: 9, lastStartedTime: {} }] } as unknown as Raw;
  expect((await addPendingAttempts(recorded, { raw }, defaultDataConverter)).attempts.get('1.1')).toEqual(before);
});
