/**
 * Keys that are typed outside of a prompt. A person types ahead, and a held key repeats: such keys must not decide what is
 * shown next.
 */

/** A held key repeats within 50 ms: without a key for this long, the person has stopped typing. */
const quietMs = 120;

const cancelKeys: ReadonlySet<string> = new Set(['\u0003', '\u0004', '\u001b']);

/** `cancelled`: Ctrl-C, Ctrl-D or Esc was pressed, or the signal was aborted. */
export type KeyWait = 'continued' | 'cancelled';

/** Discards typed keys until none arrives for a moment. Ctrl-C is never discarded. */
export function discardTypedKeys(): Promise<KeyWait> {
  return readKeys((end) => {
    const timer = setTimeout(() => end('continued'), quietMs);
    return (keys) => {
      timer.refresh();
      if (keys.includes('\u0003')) end('cancelled');
    };
  });
}

/** Waits for a key that is pressed from now on. */
export async function waitForKey(signal: AbortSignal | undefined): Promise<KeyWait> {
  const pressed = await readKeys((end) => {
    if (signal?.aborted) end('cancelled');
    signal?.addEventListener('abort', () => end('cancelled'), { once: true });
    return (keys) => end(cancelKeys.has(keys) ? 'cancelled' : 'continued');
  });
  return pressed === 'cancelled' ? pressed : discardTypedKeys();
}

/** @param listen gets the function that ends the reading, and returns the one that takes keys */
async function readKeys(listen: (end: (how: KeyWait) => void) => (keys: string) => void): Promise<KeyWait> {
  const { stdin } = process;
  let onData = (_keys: Buffer) => {};
  try {
    return await new Promise<KeyWait>((resolve) => {
      const take = listen(resolve);
      onData = (keys) => take(keys.toString());
      stdin.setRawMode?.(true);
      stdin.on('data', onData);
      stdin.resume();
    });
  } finally {
    stdin.off('data', onData);
    stdin.pause();
    stdin.setRawMode?.(false);
  }
}
