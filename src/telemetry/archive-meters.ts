/** How archiving goes, as metrics: what waits, what was archived, what failed and is tried again. */

import type { Meter } from '@opentelemetry/api';
import type { Instruments } from './instruments.js';
import { unseen } from './span-attributes.js';

export function archiveMeters(meter: Meter): Instruments['archive'] {
  const backlog = meter.createGauge('longhand.archive.backlog', {
    unit: '{run}',
    description: 'Closed runs that wait to be archived by this worker.',
  });
  const archived = meter.createCounter('longhand.archive.archived', { unit: '{run}', description: 'Runs archived.' });
  const failed = meter.createCounter('longhand.archive.failed', {
    unit: '{attempt}',
    description: 'Attempts at archiving a run that failed. They are made again.',
  });
  return (news) =>
    unseen(() => {
      if (news.type === 'backlog') backlog.record(news.runs);
      else if (news.type === 'archived') archived.add(1);
      else failed.add(1);
    });
}
