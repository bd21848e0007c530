/** The search attributes of a schedule's chains. A server that does not know them would start no chain with them. */

import { type Client, ServiceError } from '@temporalio/client';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { expect, it } from 'vitest';
import { createSchedule } from '../../../src/client/schedules/create-schedule.js';

interface Sent {
  readonly action: { readonly typedSearchAttributes?: readonly { readonly value: unknown }[] };
}

/** Creates a schedule on a server that rejects these attributes, or takes them. */
async function create(rejection: Error | null): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  const client = {
    options: { loadedDataConverter: loadDataConverter() },
    schedule: {
      create: async (given: Sent) => {
        sent.push(given);
        if (rejection !== null && given.action.typedSearchAttributes !== undefined) throw rejection;
      },
    },
  } as unknown as Client;
  const reporter = { agent: { name: 'reporter' }, task: 'Sum up yesterday.' };
  await createSchedule({ client, taskQueue: 'q', checkKnownAgent: async () => {} }, 'daily', reporter, {
    every: '1h',
    tenant: 'acme',
  });
  return sent;
}

it('a schedule sets the search attributes that all of its chains share, and none that contain the id of a chain', async () => {
  const sent = await create(null);
  expect(sent.map(({ action }) => action.typedSearchAttributes?.map(({ value }) => value))).toEqual([
    ['reporter', 'running', 'acme'],
  ]);
});

it('on a server without search attributes, a schedule is created without them', async () => {
  const cause = new Error(
    '3 INVALID_ARGUMENT: Namespace default has no mapping defined for search attribute LonghandAgent',
  );
  const sent = await create(new ServiceError('Failed to create schedule', { cause }));
  expect(sent.map(({ action }) => action.typedSearchAttributes !== undefined)).toEqual([true, false]);
});

it('any other rejection of a schedule is reported and not tried again', async () => {
  await expect(create(new ServiceError('Failed', { cause: new Error('deadline exceeded') }))).rejects.toThrow('Failed');
});
