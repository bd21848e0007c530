/** What became of each activity, as people look into it. */

import { expect, it } from 'vitest';
import { ActivityLog } from '../../src/history/attempts.js';
import { storedHistories } from '../histories/stored.js';

it('counts both times that a call was begun which a person has run again', () => {
  const stored = storedHistories().find(({ name }) => name === 'call-in-doubt');
  const log = new ActivityLog();
  log.read(stored?.events ?? []);
  expect(log.attempts.get('1.1')).toMatchObject({ made: 2, lastFailure: 'the line broke' });
  expect(log.scheduled.map(({ id }) => id)).toEqual(['prepare', 'model-1', '1.1', '1.1', 'model-2']);
});
