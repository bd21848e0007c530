/** Stops a command on a signal, or when its output is closed. */

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;

/** Milliseconds within which one Ctrl-C may arrive twice: from the terminal, and again through npx. */
const duplicatePressMs = 500;

/** Stops the running command. Without it, the process exits. */
let stopCommand: ((why: string) => void) | null = null;

/**
 * Runs `go` and calls `stop` once, with the cause as text, when the command is stopped. A second signal exits without
 * waiting for `go`.
 */
export async function runStoppable<T>(stop: (why: string) => void, go: () => Promise<T>): Promise<T> {
  let stoppedAt: number | null = null;
  const stopOnce = (why: string) => {
    if (stoppedAt !== null) return;
    stoppedAt = performance.now();
    stop(why);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppedAt !== null && performance.now() - stoppedAt > duplicatePressMs) process.exit(130);
    stopOnce(signal === 'SIGINT' ? 'Ctrl-C' : signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  stopCommand = stopOnce;
  try {
    return await go();
  } finally {
    stopCommand = null;
    for (const signal of signals) process.off(signal, onSignal);
  }
}

/**
 * Waits until the command is stopped, for commands that only serve others. `announce` is called when a signal stops the
 * command: a script may send it as soon as it reads the text.
 */
export async function waitUntilStopped(announce: () => void): Promise<void> {
  let end = () => {};
  const stopped = new Promise<void>((resolve) => {
    // Keeps the process alive.
    const timer = setInterval(() => {}, 60_000);
    end = () => {
      clearInterval(timer);
      resolve();
    };
  });
  await runStoppable(
    () => end(),
    () => {
      announce();
      return stopped;
    },
  );
}

/** Ends `longhand … | head -1` without an error. Call it once per process. */
export function stopWhenOutputCloses(): void {
  let isClosed = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!isReaderGone(error)) throw error;
    // Each further write fails as well.
    if (isClosed) return;
    isClosed = true;
    if (stopCommand === null) process.exit(0);
    stopCommand('the output was closed');
  });
  // A closed standard error does not matter.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (!isReaderGone(error)) throw error;
  });
}

/** A pipe without a reader, or a closed terminal. */
function isReaderGone({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EIO';
}
