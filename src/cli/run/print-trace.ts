/** The trace that `--trace` adds at the end of a command that runs a chain. */

import type { ChainHandle } from '../../client/index.js';
import {
  buildTrace,
  formatTraceHead,
  formatTraceTrees,
  type ReasoningView,
  type Trace,
} from '../../core/view/index.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { formatLineRows, formatTreeRows } from '../print/terminal-lines.js';
import { getColors } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';

export interface ReadTrace {
  /** Complete, like the result. */
  readonly trace: Trace;
  /** As a developer sees the chain, like the lines before it (L8). */
  readonly view: ReasoningView;
}

/** @param reader the person whose preferences apply */
export async function readTrace(chain: ChainHandle, reader: Pick<ViewFlags, 'user' | 'tenant'>): Promise<ReadTrace> {
  const { viewer, config } = await createChainViewer(reader);
  const read = await chain.read();
  return { trace: buildTrace(read), view: await chain.view(viewer, config) };
}

export function formatTrace({ trace, view }: ReadTrace, { color, width }: Pick<Terminal, 'color' | 'width'>): string {
  const c = getColors({ color });
  const rows = [
    ...formatLineRows(formatTraceHead(trace), width, c),
    ...formatTreeRows(formatTraceTrees(trace, view), width, c),
  ];
  return `\n${rows.map((row) => `${row}\n`).join('')}`;
}
