/** Ends a chain: the wish first, with who and why, then Temporal's own cancel, which makes the close say Canceled. */

import { messageNames } from '../../contract/names.js';
import { RefusedError } from '../errors/errors.js';
import { direct, type Receipt, type Told } from './direct.js';
import { isNoneRunning } from './none-running.js';

export interface CancelOptions {
  /** Who wants it; the chain's reason names them. */
  readonly by?: string | undefined;
  /** Roles of who wants it, where the agent lets only some cancel. */
  readonly roles?: readonly string[] | undefined;
  readonly reason?: string | undefined;
  /** Whether the model is asked once more, to sum up what was found. Default false. */
  readonly summarize?: boolean | undefined;
}

/** `ended`: there was nothing left to cancel. */
export type CancelReceipt = Receipt | { readonly id: null; readonly status: 'ended' };

export async function cancel(told: Told, { by, roles, reason, summarize }: CancelOptions): Promise<CancelReceipt> {
  try {
    const receipt = await direct(told, messageNames.cancel, { by, roles, reason, summarize });
    await byTemporal(told);
    return receipt;
  } catch (error) {
    if (error instanceof RefusedError && error.why === 'ended') return { id: null, status: 'ended' };
    throw error;
  }
}

/** A chain that had little to stop has ended by now. */
async function byTemporal({ handle }: Told): Promise<void> {
  try {
    await handle.cancel();
  } catch (error) {
    if (!isNoneRunning(error)) throw error;
  }
}
