/** Whose request is meant where a chain is named and waits for nobody itself: that of the only sub-chain that does. */

import type { Longhand } from '../../client/connect.js';
import type { ChainHandle } from '../../client/handle.js';
import { waitingBelow } from '../../client/read/waiting-below.js';
import { UsageError } from '../flags/usage-error.js';
import { waitingText } from './waiting-text.js';

/** @throws UsageError when several sub-chains wait, with what decides each */
export async function whoWaits(chain: ChainHandle, { client, chain: handleOf }: Longhand): Promise<ChainHandle> {
  const { chainId } = chain;
  if ((await chain.requests()).length > 0) return chain;
  const below = await waitingBelow(client, chainId);
  const [only, ...others] = below;
  if (only === undefined) return chain;
  if (others.length === 0) return handleOf(only.chainId);
  const open = below.flatMap((each) => each.requests.map((request) => waitingText(each.chainId, request)));
  throw new UsageError(`${below.length} sub-chains of ${chainId} wait:\n${open.join('\n')}`);
}
