/** `longhand chain watch`: a chain line by line as it goes on, until it ends. A file's chain is told as far as it goes. */

import type { Longhand } from '../../client/connect.js';
import type { WatchEvent, WatchOptions } from '../../client/follow/watch.js';
import { createMetadataClient } from '../../client/read/many-chains.js';
import type { EventPosition } from '../../client/read/read-chain.js';
import type { ReasoningView } from '../../core/view/reasoning-view.js';
import { findRecorded, fullId, isFile } from '../access/find.js';
import { noteView, viewedOf } from '../access/note-view.js';
import { withServer } from '../access/open.js';
import { type ViewFlags, type Viewing, viewing } from '../access/viewed.js';
import { UsageError } from '../flags/usage-error.js';
import { type Watched, watchPrinter } from '../print/watch-lines.js';
import { jsonLine, type Terminal } from '../terminal/terminal.js';

export interface WatchFlags extends ViewFlags {
  readonly from?: string;
  readonly tokens?: boolean;
  readonly json?: boolean;
}

export async function watch(terminal: Terminal, named: string, flags: WatchFlags): Promise<number> {
  const seen = viewing(flags);
  const from = flags.from === undefined ? {} : { from: positionIn(flags.from) };
  if (flags.tokens) terminal.say(unheard);
  if (flags.from !== undefined && isFile(named)) {
    throw new UsageError(
      '--from goes on where a chain on the server was left. A file is told whole: it has no positions.',
    );
  }
  return withServer(async (connect) => {
    if (seen.role === 'auditor') {
      const recorded = await findRecorded(named, connect);
      await noteView({ role: seen.role, command: 'chain watch', named }, [viewedOf(recorded)]);
    }
    const told = isFile(named)
      ? inFile(seen.recorded(await findRecorded(named, connect)))
      : await onServer(await connect(), named, seen, from);
    await tell(terminal, told, flags.json === true);
    return 0;
  });
}

/** A model speaks in the process of its worker, and this is another. */
const unheard =
  'What the model is saying is heard in the process of its worker alone; here each step is told when it is there.';

/** @throws NoSuchChainError, UsageError when several chains begin so */
export async function onServer(
  longhand: Longhand,
  named: string,
  { viewer, config }: Pick<Viewing, 'viewer' | 'config'>,
  options: WatchOptions,
): Promise<AsyncGenerator<WatchEvent, void>> {
  const id = await fullId(longhand, named);
  if (options.from) await checkRun(longhand, id, options.from.runId);
  const chain = longhand.getHandle(id);
  return chain.watch(viewer, { children: true, ...options, visibility: config });
}

/** @throws Error when the chain has no such run; what the server says of one does not tell what to do */
async function checkRun(longhand: Longhand, id: string, runId: string): Promise<void> {
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

export async function tell(
  terminal: Terminal,
  told: AsyncIterable<Watched> | Iterable<Watched>,
  json: boolean,
): Promise<void> {
  const print = json ? (event: Watched) => jsonLine(event) : watchPrinter(terminal);
  for await (const event of told) terminal.write(print(event));
}

function inFile(view: ReasoningView): readonly Watched[] {
  const { progress, state } = view;
  const steps = view.steps.map((step): Watched => ({ type: 'step', step, state, progress }));
  const end: readonly Watched[] = view.outcome === null ? [] : [{ type: 'ended', view }];
  return [{ type: 'started', view: { ...view, steps: [] } }, ...steps, ...end];
}

function positionIn(written: string): Pick<EventPosition, 'runId' | 'eventId'> & { readonly item?: number } {
  const [, runId, eventId, item] = /^([^:]+):(\d+)(?::(\d+))?$/.exec(written) ?? [];
  if (runId === undefined) {
    throw new UsageError(`--from ${written} cannot be read. Write <runId>:<eventId>, as --json tells them.`);
  }
  return { runId, eventId: Number(eventId), ...(item === undefined ? {} : { item: Number(item) }) };
}
