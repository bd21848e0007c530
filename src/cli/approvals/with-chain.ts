/** The chain that a command speaks to, by its id or the beginning of one. */

import type { Longhand } from '../../client/connect.js';
import type { ChainHandle } from '../../client/handle.js';
import { fullId } from '../access/find.js';
import { withServer } from '../access/open.js';

export function withChain(
  named: string,
  use: (chain: ChainHandle, longhand: Longhand) => Promise<number>,
): Promise<number> {
  return withServer(async (connect) => {
    const longhand = await connect();
    return use(longhand.chain(await fullId(longhand, named)), longhand);
  });
}
