/** `longhand chain watch`: a chain line by line as it goes on, until it ends. A file's chain is told as far as it goes. */

import type { Longhand } from '../../client/connect.js';
import type { WatchEvent, WatchOptions } from '../../client/follow/watch.js';
import { createMetadataClient } from '../../client/read/many-chains.js';
import type { EventPosition } from '../../client/read/read-chain.js';
import type { ReasoningView } from '../../core/view/reasoning-view.js';
import { type ChainViewer, createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain, isFile, resolveChainId } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { UsageError } from '../flags/usage-error.js';
import { createWatchPrinter, type WatchItem } from '../print/watch-lines.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface WatchFlags extends ViewFlags {
  readonly from?: string;
  readonly tokens?: boolean;
  readonly json?: boolean;
}

export async function watchChain(terminal: Terminal, named: string, flags: WatchFlags): Promise<number> {
  const seen = createChainViewer(flags);
  const from = flags.from === undefined ? {} : { from: parsePosition(flags.from) };
  if (flags.tokens) terminal.report(tokensUnavailable);
  if (flags.from !== undefined && isFile(named)) {
    throw new UsageError(
      '--from goes on where a chain on the server was left. A file is told whole: it has no positions.',
    );
  }
  return withServer(async (connect) => {
    if (seen.role === 'auditor') {
      const recorded = await findRecordedChain(named, connect);
      await recordView({ role: seen.role, command: 'chain watch', named }, [toViewedChain(recorded)]);
    }
    const told = isFile(named)
      ? toWatchEvents(seen.viewRecorded(await findRecordedChain(named, connect)))
      : await watchOnServer(await connect(), named, seen, from);
    await printEvents(terminal, told, flags.json === true);
    return 0;
  });
}

/** A model speaks in the process of its worker, and this is another. */
const tokensUnavailable =
  'What the model is saying is heard in the process of its worker alone; here each step is told when it is there.';

/** @throws ChainNotFoundError, UsageError when several chains begin so */
export async function watchOnServer(
  longhand: Longhand,
  named: string,
  { viewer, config }: Pick<ChainViewer, 'viewer' | 'config'>,
  options: WatchOptions,
): Promise<AsyncGenerator<WatchEvent, void>> {
  const id = await resolveChainId(longhand, named);
  if (options.from) await validateRun(longhand, id, options.from.runId);
  const chain = longhand.getHandle(id);
  return chain.watch(viewer, { children: true, ...options, visibility: config });
}

/** @throws Error when the chain has no such run; what the server says of one does not tell what to do */
async function validateRun(longhand: Longhand, id: string, runId: string): Promise<void> {
  if ((await longhand.archive?.findRun(id, runId).catch(() => null)) != null) return;
  try {
    await createMetadataClient(longhand.client).getHandle(id, runId).describe();
  } catch (error) {
    const unreachable = error instanceof Error && /unavailable/i.test(String(error.cause));
    if (unreachable) throw error;
    throw new Error(`${id} has no run ${runId} to go on from. Without --from it is told from its start.`, {
      cause: error,
    });
  }
}

export async function printEvents(
  terminal: Terminal,
  told: AsyncIterable<WatchItem> | Iterable<WatchItem>,
  json: boolean,
): Promise<void> {
  const print = json ? (event: WatchItem) => formatJson(event) : createWatchPrinter(terminal);
  for await (const event of told) terminal.write(print(event));
}

function toWatchEvents(view: ReasoningView): readonly WatchItem[] {
  const { progress, state } = view;
  const steps = view.steps.map((step): WatchItem => ({ type: 'step-changed', step, state, progress }));
  const end: readonly WatchItem[] = view.outcome === null ? [] : [{ type: 'chain-ended', view }];
  return [{ type: 'chain-started', view: { ...view, steps: [] } }, ...steps, ...end];
}

function parsePosition(written: string): Pick<EventPosition, 'runId' | 'eventId'> & { readonly item?: number } {
  const [, runId, eventId, item] = /^([^:]+):(\d+)(?::(\d+))?$/.exec(written) ?? [];
  if (runId === undefined) {
    throw new UsageError(`--from ${written} cannot be read. Write <runId>:<eventId>, as --json tells them.`);
  }
  return { runId, eventId: Number(eventId), ...(item === undefined ? {} : { item: Number(item) }) };
}
