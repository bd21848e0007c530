/** What asks a command to stop: a signal, or that nobody reads its output any more. */

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;

/** Milliseconds within which one Ctrl-C may arrive twice: from the terminal, and passed on by npx. */
const samePress = 500;

/** Who is told first. A command that has nothing to put in order just ends. */
let told: ((why: string) => void) | null = null;

/**
 * Runs `go`, and calls `stop` when the command is asked to stop: once, with what asked, in words. A second signal does
 * not wait for `go`.
 */
export async function stoppable<T>(stop: (why: string) => void, go: () => Promise<T>): Promise<T> {
  let askedAt: number | null = null;
  const ask = (why: string) => {
    if (askedAt !== null) return;
    askedAt = performance.now();
    stop(why);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (askedAt !== null && performance.now() - askedAt > samePress) process.exit(130);
    ask(signal === 'SIGINT' ? 'Ctrl-C' : signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  told = ask;
  try {
    return await go();
  } finally {
    told = null;
    for (const signal of signals) process.off(signal, onSignal);
  }
}

/** For who has nothing to do but to be there. */
export async function untilAsked(): Promise<void> {
  let end = () => {};
  const asked = new Promise<void>((resolve) => {
    // Nothing else keeps the process.
    const timer = setInterval(() => {}, 60_000);
    end = () => {
      clearInterval(timer);
      resolve();
    };
  });
  await stoppable(
    () => end(),
    () => asked,
  );
}

/** `longhand … | head -1` is no error: the reader has seen enough. Once a process. */
export function stopWhenUnread(): void {
  let known = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!isUnread(error)) throw error;
    // Each further write fails as well.
    if (known) return;
    known = true;
    if (told === null) process.exit(0);
    told('nobody reads its output any more');
  });
  // What accompanies the output may go nowhere.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (!isUnread(error)) throw error;
  });
}

/** A pipe whose reader has gone; a terminal that was closed. */
function isUnread({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EIO';
}
