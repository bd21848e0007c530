/**
 * Reports long blocks of the event loop (L7): in the meantime the process answers no request and sends no heartbeat.
 *
 * A block is named by marks. An asynchronous context would make every promise dearer; a mark costs one reading of the
 * clock, and nothing while no one watches. Work that continues after a pause is marked again.
 */

export interface LoopBlock {
  readonly ms: number;
  /** The mark after which most of the time passed; null for work without a mark. */
  readonly operation: string | null;
}

/** For the log, beside the fields of the block. */
export const blockedMessage = 'The event loop was blocked: meanwhile, no heartbeat was sent and no request answered';

/** Blocks beyond this are reported. */
const longBlockMs = 200;

/** Between two looks. A block is measured from the look that was due: it may have begun this much earlier. */
const lookMs = 25;

type Report = (block: LoopBlock) => void;

interface Watch {
  readonly timer: NodeJS.Timeout;
  due: number;
  used: ReturnType<typeof performance.eventLoopUtilization>;
  operation: string | null;
  markedAt: number;
  longest: LoopBlock;
}

/** One for the process, while it has readers: a gateway and a worker share its loop. */
let watch: Watch | null = null;
const reports = new Set<Report>();

/** Names the work that follows, until the next mark. The names of a process are few: they are labels of metrics. */
export function markOperation(operation: string): void {
  if (watch !== null) beginOperation(watch, operation, performance.now());
}

/** Watches the loop of the process. Returns a function that ends it. */
export function watchLoop(report: Report): () => void {
  reports.add(report);
  watch ??= startWatch();
  return () => {
    reports.delete(report);
    if (reports.size > 0 || watch === null) return;
    clearInterval(watch.timer);
    watch = null;
  };
}

function startWatch(): Watch {
  const now = performance.now();
  const timer = setInterval(look, lookMs);
  timer.unref();
  return {
    timer,
    due: now + lookMs,
    used: performance.eventLoopUtilization(),
    ...{ operation: null, markedAt: now, longest: noBlock },
  };
}

const noBlock: LoopBlock = { ms: 0, operation: null };

function beginOperation(watch: Watch, operation: string | null, now: number): void {
  const ms = now - watch.markedAt;
  if (ms > watch.longest.ms) watch.longest = { ms, operation: watch.operation };
  watch.operation = operation;
  watch.markedAt = now;
}

function look(): void {
  if (watch === null) return;
  const now = performance.now();
  beginOperation(watch, null, now);
  const { due, used, longest } = watch;
  const { operation } = longest;
  Object.assign(watch, { due: now + lookMs, used: performance.eventLoopUtilization(), longest: noBlock });
  // A process that was stopped, with its machine or by a signal, is late and has not worked.
  const ms = Math.min(now - due, performance.eventLoopUtilization(watch.used, used).active);
  if (ms <= longBlockMs) return;
  for (const report of reports) report({ ms, operation });
}
