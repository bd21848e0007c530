/** `longhand chain show --context`: shows in outline what the model of a step saw. */

import { readContext } from '../../client/index.js';
import { toReasoning, viewContext } from '../../core/view/index.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { UsageError } from '../flags/usage-error.js';
import { parseWholeNumber } from '../flags/values.js';
import { formatContext } from '../print/format-context.js';
import { getColors } from '../terminal/colors.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface ShowContextFlags extends ViewFlags {
  /** Default: the last step. */
  readonly step?: string;
  readonly prompt?: string | true;
}

export async function showContext(terminal: Terminal, reference: string, flags: ShowContextFlags): Promise<number> {
  if (flags.prompt !== undefined) throw new UsageError('--context and --prompt cannot be combined.');
  const asked = flags.step === undefined ? null : parseWholeNumber('--step', flags.step);
  const { role, viewer, config } = await createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(reference, connect);
    await recordView({ role, command: 'chain show --context', named: reference }, [toViewedChain(recorded)]);
    const outline = readContext(recorded, asked ?? recorded.chain.state.steps);
    const shown = viewContext(toReasoning(recorded), outline, viewer, config);
    terminal.write(flags.json ? formatJson(shown) : formatContext(shown, getColors(terminal)));
    return 0;
  });
}
