/** `longhand chain at`: shows a chain as it was when a step was complete. */

import { truncateAtStep } from '../../client/index.js';
import { toOneLine } from '../../core/lib/index.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { parseWholeNumber } from '../flags/values.js';
import { formatChainTree } from '../print/tree.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export async function showChainAt(
  terminal: Terminal,
  reference: string,
  step: string,
  flags: ViewFlags,
): Promise<number> {
  const number = parseWholeNumber('<step>', step);
  const chainViewer = await createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(reference, connect, number);
    await recordView({ role: chainViewer.role, command: 'chain at', named: reference }, [toViewedChain(recorded)]);
    const truncated = truncateAtStep(recorded, number);
    const chain = chainViewer.viewRecorded(truncated);
    if (flags.json) {
      terminal.write(formatJson(chain));
      return 0;
    }
    if (truncated.chainId !== recorded.chainId) {
      terminal.report(
        `Step ${number} belongs to ${toOneLine(truncated.chainId)}, the origin of ${toOneLine(recorded.chainId)}.`,
      );
    }
    terminal.write(
      formatChainTree(truncated, chain, noFilter, { ...terminal, now: truncated.chain.state.now, named: reference }),
    );
    return 0;
  });
}

const noFilter = { range: {}, kinds: null, since: null, search: null, last: null };
