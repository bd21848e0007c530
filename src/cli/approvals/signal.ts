/** `longhand signal`: a named message with data, for a call that waits for it. */

import type { ChainHandle } from '../../client/index.js';
import { type Json, parseJson } from '../../core/lib/index.js';
import type { CallWaitView } from '../../core/view/index.js';
import { createChainViewer } from '../access/chain-viewer.js';
import { UsageError } from '../flags/usage-error.js';
import type { Terminal } from '../terminal/terminal.js';
import type { SenderFlags } from './decision.js';
import { submitCommand } from './steer.js';

export interface SignalFlags extends SenderFlags {
  readonly id?: string;
}

interface WrittenSignal {
  readonly name: string;
  /** JSON; undefined for none. */
  readonly data: string | undefined;
}

export function signal(
  terminal: Terminal,
  idOrName: string,
  { name, data }: WrittenSignal,
  flags: SignalFlags,
): Promise<number> {
  const value = data === undefined ? null : parseData(data);
  const texts = { doneText: `Signal ${name} sent`, pendingText: `the signal ${name}` };
  const describeEffect = (chain: ChainHandle) => describeKept(chain, name);
  return submitCommand(terminal, idOrName, flags, { ...texts, permission: 'signal', describeEffect }, (chain, by) =>
    chain.signal(name, value, { ...by, id: flags.id }),
  );
}

/** A misspelt name ends no wait: names the signals that the chain waits for. Null if a call has received the signal. */
async function describeKept(chain: ChainHandle, name: string): Promise<string | null> {
  const { state } = await chain.read();
  if (!state.waits.signals.some((waiting) => waiting.name === name)) return null;
  const { viewer, config } = await createChainViewer({});
  return formatKept((await chain.view(viewer, config)).waits ?? []);
}

/** @param waits as the viewer sees them: names of signals are arguments of calls */
export function formatKept(waits: readonly CallWaitView[]): string {
  const awaited = waits.flatMap(({ kind, signal }) => (kind === 'signal' ? (signal ?? 'another signal') : []));
  if (awaited.length === 0) return 'kept: no call of the chain waits for a signal yet';
  return `kept: the chain waits for ${[...new Set(awaited)].join(' and ')}`;
}

function parseData(text: string): Json {
  const data = parseJson(text);
  if (data !== undefined) return data;
  throw new UsageError(`Invalid data ${JSON.stringify(text)}: expected JSON, such as '{"ok":true}' or '"text"'.`);
}
