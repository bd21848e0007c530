/** `longhand chain debug`: whether the workflow code as it is goes the way of a history, and where it does not. */

import { DefaultLogger, Runtime } from '@temporalio/worker';
import { resolveChainSource } from '../../client/read/chain-source.js';
import {
  parseAsHistory,
  type RecordedChain,
  readRecordedChain,
  toChainFile,
} from '../../client/read/recorded-chain.js';
import { formatCount } from '../../core/lib/display.js';
import { toOneLine } from '../../core/lib/plain-text.js';
import { formatDivergence, verifyFile } from '../../core/record/verify-file.js';
import { formatActions } from '../../core/view/action-text.js';
import { resolveEncryption, toSealingConverter } from '../../encryption/encryption.js';
import { getEventId, type HistoryEvent } from '../../history/event.js';
import { findWorkflowBundle } from '../../worker/bundle.js';
import { type ReplayMismatch, replayHistory } from '../../worker/replay-history.js';
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
  /** Where its facts and their digests part, in words; null where they agree. */
  readonly altered: string | null;
}

interface Divergence {
  readonly eventId: number;
  /** What the history says there. */
  readonly recorded: string;
  /** What the code as it is would do in that workflow task; null where it cannot be told. */
  readonly now: string | null;
  /** In the words of Temporal's SDK. */
  readonly said: string;
}

/** @param bundle the workflow code that is asked about */
export async function debugChain(
  terminal: Terminal,
  named: string,
  flags: DebugFlags,
  bundle: typeof findWorkflowBundle = findWorkflowBundle,
): Promise<number> {
  return withServer(async (connect) => {
    const recorded = await readHistory(named, connect);
    const events = recorded.events ?? [];
    const converter = toSealingConverter(undefined, resolveEncryption(undefined, process.env));
    const broken = await replayHistory(events, recorded.chainId, await bundle(), converter);
    const { parting } = verifyFile(toChainFile(recorded));
    const debugged: DebugResult = {
      chainId: recorded.chainId,
      events: events.length,
      breaks: broken === null ? null : toDivergence(broken, recorded),
      altered: parting === null ? null : formatDivergence(parting),
    };
    terminal.write(flags.json ? formatJson(debugged) : formatDebugResult(debugged, terminal));
    return debugged.breaks === null && debugged.altered === null ? 0 : 1;
  });
}

async function readHistory(named: string, connect: Connect): Promise<RecordedChain> {
  if (isFile(named)) return parseFile(named, parseAsHistory);
  const longhand = await connect();
  return readRecordedChain(await resolveChainSource(longhand.client, await resolveChainId(longhand, named)));
}

/** The commands of a task follow its completion, at which its turn stands. */
function toDivergence({ at, said }: ReplayMismatch, { events, turns }: RecordedChain): Divergence {
  const event = events?.[at];
  const eventId = event === undefined ? at + 1 : getEventId(event);
  const turn = turns.findLast((each) => each.eventId < eventId);
  return {
    eventId,
    recorded: event === undefined ? 'nothing' : formatEvent(event),
    now: turn === undefined ? null : formatActions(turn.actions),
    said,
  };
}

function formatEvent(event: HistoryEvent): string {
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled) return `${scheduled.activityType?.name ?? 'an activity'} is called (${scheduled.activityId ?? ''})`;
  if (event.timerStartedEventAttributes) return 'a timer is started';
  const attributes = Object.entries(event).find(([key, value]) => key.endsWith('EventAttributes') && value != null);
  return attributes?.[0].replace(/EventAttributes$/, '') ?? 'an event of no known type';
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
    `${c.red('✗')} ${name}: the workflow and its history part at event ${breaks.eventId}`,
    `  recorded  ${toOneLine(breaks.recorded)}`,
    ...(breaks.now === null ? [] : [`  now       ${toOneLine(breaks.now)}`]),
    ...wrapText(`Temporal says: ${breaks.said}`, width - 2).map((line) => c.dim(`  ${line}`)),
    ...wrapText(altered === null ? brokenRemedy : alteredRemedy, width - 2).map((line) => `  ${line}`),
    ...mark,
    ...(altered === null ? [] : wrapText(`${altered}.`, width - 2).map((line) => `  ${line}`)),
  ];
  return `${lines.join('\n')}\n`;
}

const brokenRemedy =
  'The chain was run by another version of the workflow code, or events were altered. If it still runs, start workers of the version that began it; see docs/replay.md.';
const alteredRemedy = 'The file is not what Temporal wrote down. Download it again.';

/**
 * Temporal's core would report a replay that breaks in a page of its own, between the lines of the command. Called once in
 * a process, before Temporal's runtime is used.
 */
export function silenceRuntime(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => {}),
    telemetryOptions: { logging: { filter: 'OFF', forward: {} } },
    // Ctrl-C ends the command, which has nothing to finish.
    shutdownSignals: [],
  });
}
