/**
 * Runs one chain with its worker in this process: prints it, cancels it when the command is stopped, and returns its result.
 */

import { randomUUID } from 'node:crypto';
import type { Agent } from '../../agents/index.js';
import { type ChainHandle, connect, type StartOptions } from '../../client/index.js';
import { createTokenChannel } from '../../contract/index.js';
import type { ChainResult } from '../../core/engine/index.js';
import { LonghandError, toOneLine } from '../../core/lib/index.js';
import { defaults } from '../../core/model/index.js';
import { allPreferencesOn, createViewer, type Preferences } from '../../core/view/index.js';
import type { ModelDefinitions, ModelProvider } from '../../models/index.js';
import { toMilliseconds, toStoredLimits } from '../../options/index.js';
import type { SecretProvider } from '../../secrets/index.js';
import type { WorkerApprovals } from '../../tools/define/index.js';
import { createWorker, type LonghandWorker } from '../../worker/index.js';
import { resolveStoredPreferences } from '../access/chain-viewer.js';
import { prepareReportedStore } from '../access/command-store.js';
import { getSystemUser } from '../access/open.js';
import type { RequestHandling } from '../approvals/handle-requests.js';
import { createChainDisplay } from '../print/chain-display.js';
import { isRedrawable } from '../print/live-lines.js';
import { runStoppable } from '../terminal/shutdown.js';
import type { Terminal } from '../terminal/terminal.js';
import { showChain } from './show-chain.js';
import { startWithUsageErrors } from './start.js';

export interface RunChainOptions {
  readonly agents: readonly Agent[];
  readonly approvals?: WorkerApprovals | undefined;
  readonly secrets?: SecretProvider | undefined;
  readonly agent: Agent;
  readonly task: string;
  readonly address: string;
  /** Default: a new one. On a shared task queue other workers continue the chain if this process dies. */
  readonly taskQueue?: string | undefined;
  readonly providers: readonly ModelProvider[];
  readonly prices?: string | undefined;
  readonly models?: ModelDefinitions | undefined;
  readonly start: StartOptions;
  /** Whether tokens are printed while the model generates them. */
  readonly tokens?: boolean | undefined;
  /** `calls`: only the calls, with their requests to people. Default: `chain`. */
  readonly shows?: 'chain' | 'calls' | undefined;
  /** Receives the lines of the chain; null to print nothing. */
  readonly output: Pick<Terminal, 'write' | 'color' | 'width'> | null;
  /** How requests to people are handled. */
  readonly requestHandling: RequestHandling;
  /** Called with the ended chain, while the connection to the server is open. */
  readonly readEnded?: ((chain: ChainHandle) => Promise<void>) | undefined;
  /** Receives messages about a cancel and about open requests. */
  readonly report: (line: string) => void;
}

/** Milliseconds in which a failed model call is repeated, where the agent sets no other time: a person waits for it. */
const retryMs = 60 * 60_000;

/** Milliseconds after the chain's own limits before Temporal terminates it. */
const marginMs = 60_000;

export async function runChain(options: RunChainOptions): Promise<ChainResult> {
  const { agents, approvals, secrets, agent, task, address, providers, prices, models } = options;
  const preferences = await readPreferences(options.start);
  // By default a new task queue: other workers have other agents or models.
  const taskQueue = options.taskQueue ?? `longhand-run-${randomUUID()}`;
  const tokens = createTokenChannel();
  const store = await prepareReportedStore(options.report);
  const worker = await createWorker({
    ...{ agents, approvals, secrets, address, taskQueue, providers, prices, models, tokens, store },
    // A person waits, and this process reads the key only at its start: a repair needs a new one.
    onProviderError: 'fail',
    modelRetry: { for: retryMs },
  });
  const running = worker.run();
  // After the chain has ended, the worker's own failure does not matter: a tool may still be running.
  running.catch(() => {});
  const longhand = await connect({ address, taskQueue, tokens, store });
  const isAllOn = Object.values(preferences).every((isOn) => isOn);
  const display = createChainDisplay({
    ...options,
    prompts: options.requestHandling === 'prompt',
    isRedrawn: agent.strategy.name === 'plan' && !options.tokens && isAllOn,
  });
  try {
    const own = options.taskQueue === undefined ? { endAfter: computeMaxDurationMs(options) } : {};
    const chain = await startWithUsageErrors(() => longhand.start(agent, task, { ...options.start, ...own }));
    // At once: other commands need it while the chain runs, and after this process was killed.
    display.report(`Chain ${toOneLine(chain.chainId)}`);
    const result = await runStoppable(
      (why) => cancelChain(chain, why, display.report),
      () =>
        runWhileServed(running, chain.chainId, (signal) =>
          showChain(chain, display, {
            preferences: options.output === null ? null : preferences,
            terminal: options.output ?? { color: false, width: 100 },
            getChain: longhand.getHandle,
            requestHandling: options.requestHandling,
            tokens: options.tokens ?? false,
            interim: options.output !== null && isRedrawable(),
            signal,
          }),
        ),
    );
    await options.readEnded?.(chain);
    return result;
  } finally {
    display.close();
    await stopWorker(worker, running);
    await longhand.close();
  }
}

/** Reads the switches of the chain's user, who reads its lines. */
async function readPreferences({ user, tenant }: StartOptions): Promise<Preferences> {
  const reader = createViewer('developer', { user: user ?? null, tenant: tenant ?? null });
  return (await resolveStoredPreferences(reader)).preferences ?? allPreferencesOn;
}

/** Returns the timeout of a chain on its own task queue: if this process is killed, no worker would ever end the chain. */
function computeMaxDurationMs({ agent, approvals, start: { limits } }: RunChainOptions): number {
  const timeMs = toStoredLimits(limits ?? {}).timeMs ?? agent.limits.timeMs ?? defaults.timeMs;
  // Waiting for people and for the provider does not count towards the time limit, but Temporal's timeout includes it.
  const providerMs = toMilliseconds(agent.definition.modelRetry?.for ?? retryMs);
  const peopleMs = canAskPeople(agent) || approvals !== undefined ? defaults.requestExpiryMs : 0;
  return peopleMs + providerMs + timeMs + defaults.graceMs + defaults.closingMs + defaults.graceMs + marginMs;
}

function canAskPeople({ tools, definition }: Agent): boolean {
  if (definition.approval !== undefined) return true;
  return tools.some(({ snapshot, approval }) => approval || snapshot.question || snapshot.effects === 'unsafe');
}

async function stopWorker({ shutdown }: LonghandWorker, running: Promise<void>): Promise<void> {
  shutdown();
  await running.catch(() => {});
}

/**
 * Follows a chain until it ends or its worker fails: no other worker would continue it.
 *
 * @param follow its signal aborts when the worker fails
 * @throws LonghandError worker_failed
 */
async function runWhileServed<T>(
  running: Promise<void>,
  chainId: string,
  follow: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const failed = new Promise<never>((_resolve, reject) => {
    running.catch((cause: unknown) => {
      const message = cause instanceof Error ? cause.message : String(cause);
      const text = `The worker failed and chain ${chainId} does not continue: ${message}`;
      reject(new LonghandError('worker_failed', text, { cause }));
      abort.abort();
    });
  });
  return Promise.race([failed, follow(abort.signal)]);
}

function cancelChain(chain: ChainHandle, why: string, report: (line: string) => void): void {
  report('\nCancelling the chain. Press Ctrl-C again to leave at once.');
  void chain.cancel({ by: getSystemUser(), reason: why }).catch((error: unknown) => report(String(error)));
}
