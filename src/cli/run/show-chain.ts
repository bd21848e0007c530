/** Shows a running chain as its reader may see it (L8), handles its requests to people, and returns its complete result. */

import type { ChainHandle, WatchOptions } from '../../client/index.js';
import type { ChainResult } from '../../core/engine/index.js';
import type { Preferences } from '../../core/view/index.js';
import { createRunViewer } from '../access/chain-viewer.js';
import { type FollowContext, handleRequests } from '../approvals/handle-requests.js';
import type { ChainDisplay } from '../print/chain-display.js';

interface ShowOptions
  extends Pick<FollowContext, 'getChain' | 'requestHandling'>,
    Pick<WatchOptions, 'tokens' | 'interim' | 'signal'> {
  /** Of the reader; null for an output without lines, which needs requests only. */
  readonly preferences: Preferences | null;
  readonly terminal: Pick<FollowContext['terminal'], 'color' | 'width'>;
}

export async function showChain(
  chain: ChainHandle,
  display: ChainDisplay,
  { preferences, terminal, getChain, requestHandling, ...live }: ShowOptions,
): Promise<ChainResult> {
  const events = chain.watch(createRunViewer(preferences), { ...live, children: true, turns: true });
  const output = { ...terminal, write: display.write, report: display.report, pause: display.pause };
  for await (const event of handleRequests(events, { chain, getChain, requestHandling, terminal: output })) {
    const limits = event.type === 'view-opened' ? (await chain.read()).state.agent?.limits : undefined;
    display.show(event.type === 'view-opened' && limits !== undefined ? { ...event, limits } : event);
  }
  return chain.result();
}
