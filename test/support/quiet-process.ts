/** Silences Temporal's runtime, one per process, for tests that replay histories without a server. */

import { silenceRuntime } from '../../src/cli/chain/debug.js';

let isQuiet = false;

/** Only the first call has an effect, because test files share a process. */
export function quietProcess(): void {
  if (isQuiet) return;
  isQuiet = true;
  try {
    silenceRuntime();
  } catch (error) {
    // An earlier file has used the runtime without this.
    if (!(error instanceof Error && error.message.includes('already been instantiated'))) throw error;
  }
}
