/**
 * Tells the worker that the chain ends here, so that it archives the run once that is closed. A message that gets lost is no
 * loss: what nobody was told of, the sweep finds.
 */

import { proxySinks, workflowInfo } from '@temporalio/workflow';
import type { ArchiveSinks } from '../contract/archived-runs.js';

export function tellArchive(): void {
  // A worker that only replays has nobody who listens.
  if (workflowInfo().unsafe.isReplaying) return;
  proxySinks<ArchiveSinks>().longhandArchive.ending();
}
