/** Attempts of each activity, for people who inspect a chain. */

import { defaultDataConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { ActivityLog } from '../../src/history/activity-log.js';
import { readStoredHistories } from '../histories/stored.js';

it('a call that a person had retried has the attempts of both activities', async () => {
  const stored = readStoredHistories().find(({ name }) => name === 'people-steer');
  const log = new ActivityLog(defaultDataConverter);
  await log.addEvents(stored?.events ?? []);
  expect(log.attempts.get('3.2')).toMatchObject({ made: 2, lastFailure: { message: 'the line broke' } });
  const scheduled = log.scheduled.map(({ id }) => id);
  expect(scheduled.slice(0, 4)).toEqual(['model-1', 'model-2', '2.1', 'model-3']);
  expect(scheduled.slice(-4)).toEqual(['3.1', '3.2', '3.2', 'model-4']);
});
