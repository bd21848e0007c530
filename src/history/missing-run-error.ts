import { LonghandError } from '../core/lib/index.js';
import type { RunReference } from './read-history.js';

/** A run is missing, while later runs of its chain exist. */
export class MissingRunError extends LonghandError {
  override readonly name = 'MissingRunError';

  constructor({ workflowId, runId }: RunReference) {
    super(
      'run_not_found',
      `Chain ${workflowId} continues run ${runId}, which is neither on the server nor in the archive. Set LONGHAND_STORE to the store that its workers archive to.`,
    );
  }
}
