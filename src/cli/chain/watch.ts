/** `longhand chain watch`: prints a chain line by line until it ends, or all entries of a file. */

import {
  createMetadataClient,
  type EventPosition,
  type Longhand,
  type WatchEvent,
  type WatchOptions,
} from '../../client/index.js';
import { LonghandError } from '../../core/lib/index.js';
import { type ReasoningView, toReasoningEvent } from '../../core/view/index.js';
import { type ChainViewer, createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain, isFile, resolveChainId } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { UsageError } from '../flags/usage-error.js';
import { ChainPrinter, type WatchItem } from '../print/chain-printer.js';
import { createLiveLines, isRedrawable } from '../print/live-lines.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface WatchFlags extends ViewFlags {
  readonly from?: string;
  readonly tokens?: boolean;
  /** Steps as reasoning events, one JSON object per line. */
  readonly events?: boolean;
}

export async function watchChain(terminal: Terminal, reference: string, flags: WatchFlags): Promise<number> {
  const chainViewer = await createChainViewer(flags);
  const from = flags.from === undefined ? {} : { from: parsePosition(flags.from) };
  if (flags.tokens) reportMissingTokens(terminal, reference, flags);
  if (flags.from !== undefined && isFile(reference)) {
    throw new UsageError('--from cannot be used with a file, which has no positions. Leave it out.');
  }
  if (flags.json && flags.events) throw new UsageError('--json and --events cannot be combined. Choose one.');
  return withServer(async (connect) => {
    if (chainViewer.role === 'auditor') {
      const recorded = await findRecordedChain(reference, connect);
      await recordView({ role: chainViewer.role, command: 'chain watch', named: reference }, [toViewedChain(recorded)]);
    }
    const events = isFile(reference)
      ? toWatchEvents(chainViewer.viewRecorded(await findRecordedChain(reference, connect)))
      : await watchOnServer(await connect(), reference, chainViewer, { ...from, ...toLiveOptions(flags) });
    if (flags.events) await printReasoningEvents(terminal, events);
    else await printEvents(terminal, events, flags.json === true);
    return 0;
  });
}

/** In a terminal, interim results are lines that are replaced; as JSON they are events like tokens. Only lines need turns. */
function toLiveOptions({
  tokens = false,
  json,
  events,
}: WatchFlags): Pick<WatchOptions, 'tokens' | 'interim' | 'turns'> {
  return { tokens, interim: json ? tokens : !events && isRedrawable(), turns: !json && !events };
}

function reportMissingTokens(terminal: Terminal, reference: string, { events }: WatchFlags): void {
  if (events) throw new UsageError('--tokens and --events cannot be combined. Choose one.');
  if (isFile(reference)) terminal.report('A file has no tokens. Each step is printed complete.');
  else if (process.env.LONGHAND_TOKENS === 'off')
    terminal.report('Tokens are switched off by LONGHAND_TOKENS=off. Each step is printed when it is complete.');
}

/** Watches a chain on the server. @throws ChainNotFoundError, UsageError if several ids begin like this */
export async function watchOnServer(
  longhand: Longhand,
  reference: string,
  { viewer, config }: Pick<ChainViewer, 'viewer' | 'config'>,
  options: WatchOptions,
): Promise<AsyncGenerator<WatchEvent, void>> {
  const id = await resolveChainId(longhand, reference);
  if (options.from) await validateRun(longhand, id, options.from.runId);
  const chain = longhand.getHandle(id);
  return chain.watch(viewer, { children: true, ...options, visibility: config });
}

/** Checks the run of a position; the server's own error names no fix. @throws LonghandError run_not_found */
async function validateRun(longhand: Longhand, id: string, runId: string): Promise<void> {
  if ((await longhand.archive?.findRun(id, runId).catch(() => null)) != null) return;
  try {
    await createMetadataClient(longhand.client).getHandle(id, runId).describe();
  } catch (error) {
    const unreachable = error instanceof Error && /unavailable/i.test(String(error.cause));
    if (unreachable) throw error;
    throw new LonghandError(
      'run_not_found',
      `Chain ${id} has no run ${runId}. Leave out --from to watch from the start.`,
      { cause: error },
    );
  }
}

export async function printEvents(
  terminal: Terminal,
  events: AsyncIterable<WatchItem> | Iterable<WatchItem>,
  json: boolean,
): Promise<void> {
  if (json) {
    for await (const event of events) terminal.write(formatJson(event));
    return;
  }
  const printer = new ChainPrinter(terminal);
  const lines = createLiveLines(terminal);
  for await (const event of events) lines.show(event, printer.print(event));
  lines.write(printer.flush());
  lines.clear();
}

/** Prints steps only; each names its chain. */
async function printReasoningEvents(
  terminal: Terminal,
  events: AsyncIterable<WatchItem> | Iterable<WatchItem>,
): Promise<void> {
  let chainId = '';
  for await (const event of events) {
    if (event.type === 'view-opened') ({ chainId } = event.view);
    if (event.type === 'step-changed') terminal.write(formatJson(toReasoningEvent(chainId, event.step, event.state)));
  }
}

function toWatchEvents(view: ReasoningView): readonly WatchItem[] {
  const { progress, state } = view;
  const warned = view.warning === undefined ? {} : { warning: view.warning };
  const steps = view.steps.map((step): WatchItem => ({ type: 'step-changed', step, state, progress, ...warned }));
  const end: readonly WatchItem[] = view.outcome === null ? [] : [{ type: 'view-completed', view }];
  return [{ type: 'view-opened', view: { ...view, steps: [] } }, ...steps, ...end];
}

function parsePosition(text: string): Pick<EventPosition, 'runId' | 'eventId'> & { readonly item?: number } {
  const [, runId, eventId, item] = /^([^:]+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (runId === undefined) {
    throw new UsageError(`Invalid --from ${text}. Write <runId>:<eventId>, a position of --json.`);
  }
  return { runId, eventId: Number(eventId), ...(item === undefined ? {} : { item: Number(item) }) };
}
