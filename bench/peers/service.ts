/** The process of a worker: forked, asked by messages, killed as a crash does, and stopped. */

import { fork } from 'node:child_process';

const startMs = 120_000;
const stopMs = 15_000;

export interface Service {
  readonly pid: number;
  /** Resolves when it has ended in any way. */
  readonly ended: Promise<void>;
  readonly hasEnded: () => boolean;
  /** Runs a chain there. Rejects when the process ends before it answers. */
  readonly ask: (question: ServiceQuestion) => Promise<boolean>;
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface ServiceQuestion {
  readonly kind: 'run' | 'resume';
  readonly id: string;
  readonly task?: string;
}

export interface ServiceOptions {
  readonly module: string;
  readonly places: object;
  readonly node: string;
  readonly env: Readonly<Record<string, string>>;
  /** Flags of Node. */
  readonly flags?: readonly string[];
  readonly cwd?: string;
  /** For a program that sends no messages: whether it serves. */
  readonly isReady?: () => Promise<boolean>;
}

interface Answer {
  readonly type?: 'ready';
  readonly number?: number;
  readonly isOk?: boolean;
  readonly error?: string;
}

/** Ends a program that knows nothing of the channel when this process ends in any way. */
const endWithDriver = "data:text/javascript,process.once('disconnect',()=>process.exit(0))";
const pollMs = 50;

/** Resolves when the process reports that it is ready. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { module, places, node, env, flags = [], cwd, isReady } = options;
  const child = fork(module, [JSON.stringify(places)], {
    execPath: node,
    execArgv: [...flags, ...(isReady === undefined ? [] : ['--import', endWithDriver])],
    // Nothing but the result belongs on our stdout.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
    cwd,
  });
  let hasEnded = false;
  let asked = 0;
  const waits = new Map<number, { resolve: (isOk: boolean) => void; reject: (error: Error) => void }>();
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => {
      hasEnded = true;
      for (const { reject } of waits.values()) reject(new Error('The worker ended before it answered.'));
      waits.clear();
      resolve();
    }),
  );
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  let tooLate: NodeJS.Timeout | undefined;
  const ready = new Promise<void>((resolve, reject) => {
    tooLate = setTimeout(() => reject(new Error(`${module} does not start.`)), startMs);
    void ended.then(() => reject(new Error(`${module} ended before it was ready.`)));
    // Both sides of the channel are ours.
    child.on('message', ({ type, number, isOk, error }: Answer) => {
      if (type === 'ready') resolve();
      if (number === undefined) return;
      const wait = waits.get(number);
      waits.delete(number);
      if (error === undefined) wait?.resolve(isOk === true);
      else wait?.reject(new Error(error));
    });
    const poll = async () => {
      if (await isReady?.()) resolve();
      else if (!hasEnded) setTimeout(poll, pollMs);
    };
    if (isReady !== undefined) void poll();
  });
  try {
    await ready;
  } catch (error) {
    await kill();
    throw error;
  } finally {
    clearTimeout(tooLate);
  }
  return {
    pid: child.pid ?? 0,
    ended,
    hasEnded: () => hasEnded,
    ask: (question) =>
      new Promise((resolve, reject) => {
        const number = ++asked;
        waits.set(number, { resolve, reject });
        child.send({ number, ...question });
      }),
    kill,
    stop: async () => {
      if (hasEnded) return;
      if (isReady === undefined) child.send('stop');
      else child.kill('SIGTERM');
      const impatient = setTimeout(() => child.kill('SIGKILL'), stopMs);
      await ended;
      clearTimeout(impatient);
    },
  };
}
