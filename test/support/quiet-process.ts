/** For tests that replay histories and are not on the server: Temporal's runtime, one per process, logs nothing. */

import { silenceRuntime } from '../../src/cli/chain/debug.js';

let isQuiet = false;

/** Files share their process: the first of them decides. */
export function quietProcess(): void {
  if (isQuiet) return;
  isQuiet = true;
  try {
    silenceRuntime();
  } catch (error) {
    // A file before has used the runtime as it is.
    if (!(error instanceof Error && error.message.includes('already been instantiated'))) throw error;
  }
}
