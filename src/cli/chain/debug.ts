/** `longhand chain debug`: replays a history through the current workflow code and reports where they diverge. */

import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { RecordedHistory } from '../../client/index.js';
import { parseAsHistory, readRecordedChain, resolveChainSource, toChainFile } from '../../client/index.js';
import { formatCount, toOneLine } from '../../core/lib/index.js';
import { formatDivergence, verifyFile } from '../../core/record/index.js';
import { formatActions } from '../../core/view/index.js';
import { resolveEncryption, toSealingConverter } from '../../encryption/index.js';
import { getEventId, type HistoryEvent } from '../../history/index.js';
import { findWorkflowBundle, type ReplayMismatch, replayHistory } from '../../worker/index.js';
import { type Connect, isFile, resolveChainId } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { getColors } from '../terminal/colors.js';
import { parseFile } from '../terminal/read-text.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { wrapText } from '../terminal/text.js';

export interface DebugFlags {
  readonly json?: boolean;
}

interface DebugResult {
  readonly chainId: string;
  readonly events: number;
  readonly breaks: Divergence | null;
  /** Where the facts and their digests diverge, as text; null if they agree. */
  readonly altered: string | null;
}

interface Divergence {
  readonly eventId: number;
  /** The event in the history. */
  readonly recorded: string;
  /** What the current code does in that workflow task; null if unknown. */
  readonly now: string | null;
  /** The message of Temporal's SDK. */
  readonly message: string;
}

/** @param bundle the workflow code to replay */
export async function debugChain(
  terminal: Terminal,
  reference: string,
  flags: DebugFlags,
  bundle: typeof findWorkflowBundle = findWorkflowBundle,
): Promise<number> {
  return withServer(async (connect) => {
    const recorded = await readHistory(reference, connect);
    const events = recorded.events ?? [];
    const converter = toSealingConverter(undefined, resolveEncryption(undefined, process.env));
    const broken = await replayHistory(events, recorded.chainId, await bundle(), converter);
    const { divergence } = verifyFile(toChainFile(recorded));
    const debugged: DebugResult = {
      chainId: recorded.chainId,
      events: events.length,
      breaks: broken === null ? null : toDivergence(broken, recorded),
      altered: divergence === null ? null : formatDivergence(divergence),
    };
    terminal.write(flags.json ? formatJson(debugged) : formatDebugResult(debugged, terminal));
    return debugged.breaks === null && debugged.altered === null ? 0 : 1;
  });
}

async function readHistory(reference: string, connect: Connect): Promise<RecordedHistory> {
  if (isFile(reference)) return parseFile(reference, parseAsHistory);
  const longhand = await connect();
  return readRecordedChain(await resolveChainSource(longhand.client, await resolveChainId(longhand, reference)));
}

/** Converts a mismatch. The commands of a workflow task follow its completion event, which is the event of its turn. */
function toDivergence({ at, message }: ReplayMismatch, { events, turns }: RecordedHistory): Divergence {
  const event = events?.[at];
  const eventId = event === undefined ? at + 1 : getEventId(event);
  const turn = turns.findLast((candidate) => candidate.eventId < eventId);
  return {
    eventId,
    recorded: event === undefined ? 'nothing' : formatEvent(event),
    now: turn === undefined ? null : formatActions(turn.actions),
    message,
  };
}

function formatEvent(event: HistoryEvent): string {
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled) return `${scheduled.activityType?.name ?? 'an activity'} is scheduled (${scheduled.activityId ?? ''})`;
  if (event.timerStartedEventAttributes) return 'a timer is started';
  const attributes = Object.entries(event).find(([key, value]) => key.endsWith('EventAttributes') && value != null);
  return attributes?.[0].replace(/EventAttributes$/, '') ?? 'an event of unknown type';
}

function formatDebugResult(
  { chainId, events, breaks, altered }: DebugResult,
  { width, ...terminal }: Terminal,
): string {
  const c = getColors(terminal);
  const name = toOneLine(chainId);
  const replayed = `${c.green('✓')} ${name}: the workflow replays all ${formatCount(events)} events of its history`;
  const remark = altered === null ? [] : wrapText(`${altered}. ${alteredRemedy}`, width - 2).map((line) => `  ${line}`);
  const mark = altered === null ? [] : [`${c.red('✗')} ${name}: facts were altered`];
  if (breaks === null) return `${[replayed, ...mark, ...remark].join('\n')}\n`;
  const lines = [
    `${c.red('✗')} ${name}: the workflow and its history diverge at event ${breaks.eventId}`,
    `  recorded  ${toOneLine(breaks.recorded)}`,
    ...(breaks.now === null ? [] : [`  now       ${toOneLine(breaks.now)}`]),
    ...wrapText(`Temporal reports: ${breaks.message}`, width - 2).map((line) => c.dim(`  ${line}`)),
    ...wrapText(altered === null ? brokenRemedy : alteredRemedy, width - 2).map((line) => `  ${line}`),
    ...mark,
    ...(altered === null ? [] : wrapText(`${altered}.`, width - 2).map((line) => `  ${line}`)),
  ];
  return `${lines.join('\n')}\n`;
}

const brokenRemedy =
  'Another version of the workflow code ran the chain, or events were altered. If it still runs, start workers of the version that started it; see docs/replay.md.';
const alteredRemedy = 'The file differs from what Temporal recorded. Download it again.';

/**
 * Silences Temporal's core, which would print a page about a failed replay between the lines of the command. Call it before
 * Temporal's runtime is used. A runtime that the program has installed before stays.
 */
export function silenceRuntime(): void {
  if (Runtime.instantiator !== undefined) return;
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => {}),
    telemetryOptions: { logging: { filter: 'OFF', forward: {} } },
    // Ctrl-C ends the command: it has nothing to finish.
    shutdownSignals: [],
  });
}
