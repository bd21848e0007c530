/** How a command is asked to stop: by a signal, or because its output is no longer read. */

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;

/** Milliseconds within which one Ctrl-C may arrive twice: from the terminal, and passed on by npx. */
const duplicatePressMs = 500;

/** Called first; a command without one just ends. */
let stopCommand: ((why: string) => void) | null = null;

/**
 * Runs `go`, and calls `stop` when the command is asked to stop: once, with what asked, in words. A second signal does
 * not wait for `go`.
 */
export async function runStoppable<T>(stop: (why: string) => void, go: () => Promise<T>): Promise<T> {
  let askedAt: number | null = null;
  const ask = (why: string) => {
    if (askedAt !== null) return;
    askedAt = performance.now();
    stop(why);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (askedAt !== null && performance.now() - askedAt > duplicatePressMs) process.exit(130);
    ask(signal === 'SIGINT' ? 'Ctrl-C' : signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  stopCommand = ask;
  try {
    return await go();
  } finally {
    stopCommand = null;
    for (const signal of signals) process.off(signal, onSignal);
  }
}

/** Waits until the command is asked to stop, for commands that only serve others. */
export async function waitUntilStopped(): Promise<void> {
  let end = () => {};
  const asked = new Promise<void>((resolve) => {
    // Nothing else keeps the process.
    const timer = setInterval(() => {}, 60_000);
    end = () => {
      clearInterval(timer);
      resolve();
    };
  });
  await runStoppable(
    () => end(),
    () => asked,
  );
}

/** Ends `longhand … | head -1` without an error: the reader has seen enough. Called once per process. */
export function stopWhenOutputCloses(): void {
  let known = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!isReaderGone(error)) throw error;
    // Each further write fails as well.
    if (known) return;
    known = true;
    if (stopCommand === null) process.exit(0);
    stopCommand('nobody reads its output any more');
  });
  // What accompanies the output may go nowhere.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (!isReaderGone(error)) throw error;
  });
}

/** A pipe whose reader has gone; a terminal that was closed. */
function isReaderGone({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EIO';
}
