/**
 * Chains on a real server with a scripted model, for the tests in test/temporal and test/examples.
 * L1: at its end each test proves, for every chain it started, that the state of the workflow equals the fold of the history.
 */

import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { resolveChainSource } from '../../src/client/read/chain-source.js';
import { readRecordedChain, toChainFile } from '../../src/client/read/recorded-chain.js';
import { stateQuery, workflowType } from '../../src/contract/names.js';
import { verifyFile } from '../../src/core/record/verify-file.js';
import { type AgentType, type ChainHandle, connect, type Longhand } from '../../src/entries/client.js';
import { anthropicProvider } from '../../src/entries/models.js';
import type { ChainState } from '../../src/entries/view.js';
import type { LonghandWorker, LonghandWorkerOptions } from '../../src/entries/worker.js';
import type { HistoryEvent } from '../../src/history/event.js';
import { readForward } from '../../src/history/read-history.js';
import type { Agent } from '../../src/index.js';
import { createWorkerWithBundle, type TestWorkerOptions } from '../../src/worker/open-worker.js';
import { isLong } from './budget.js';
import { openReplayer, type Replayer } from './every-task.js';
import {
  type MessagesServer,
  type MessagesServerOptions,
  type Script,
  startMessagesServer,
} from './messages-server.js';
import './many-workers.js';
import { findOwnBundle } from './own-bundle.js';
import { notShown } from './runtime.js';
import { getReportingBundlePath, getTemporalAddress, getWorkflowBundlePath } from './temporal.js';

/** The number of steps after which chains continue as new; set by `npm run test:continue-as-new`. */
const continueAfterSteps = process.env.LONGHAND_CONTINUE_AFTER_STEPS;

export interface ChainTestOptions {
  readonly agents: readonly Agent[];
  /** The replies of the model, in order or computed from each request. `models.push` adds more. */
  readonly replies?: Script;
  readonly server?: MessagesServerOptions;
  readonly worker?: Partial<TestWorkerOptions>;
  /** For example `{ maxCachedWorkflows: 0 }`: every workflow task replays the chain from its start. */
  readonly temporal?: LonghandWorkerOptions['temporal'];
}

export interface ChainTest {
  readonly longhand: Longhand;
  readonly models: MessagesServer;
  readonly worker: RunningWorker;
  readonly taskQueue: string;
  /** Starts another worker on the same task queue. All workers are stopped at the end. */
  readonly startWorker: (options?: Partial<TestWorkerOptions>) => Promise<RunningWorker>;
}

export interface RunningWorker extends LonghandWorker {
  /** Resolves when the worker has finished its tasks or returned them to the queue. May be called twice. */
  readonly stop: () => Promise<void>;
}

/**
 * Runs `body` with a worker and a client on a separate task queue.
 *
 * @throws the error of `body`, or an error if the model was called more often than the script has replies
 */
export async function withWorker<T>(options: ChainTestOptions, body: (test: ChainTest) => Promise<T>): Promise<T> {
  const taskQueue = `test-${randomUUID()}`;
  const models = await startMessagesServer(options.replies ?? [], options.server);
  const workers: RunningWorker[] = [];
  const startWorker = async (own: Partial<TestWorkerOptions> = {}) => {
    const started = await launchWorker({ taskQueue, models, options, own });
    workers.push(started);
    return started;
  };
  const run = async () => {
    const chains = new Map<string, ChainHandle<unknown>>();
    const longhand = await connect({ address: getTemporalAddress(), taskQueue });
    try {
      const worker = await startWorker();
      const result = await body({ longhand: trackChains(longhand, chains), models, worker, taskQueue, startWorker });
      // The query needs a running worker, which replays a chain that is not in its cache.
      if (workers.every((each) => each.getState() !== 'RUNNING')) await startWorker();
      for (const chain of chains.values()) await expectOneTruth(longhand, chain);
      expect(notShown.splice(0)).toEqual([]);
      return result;
    } finally {
      await Promise.all(workers.map((each) => each.stop()));
      await longhand.close();
    }
  };
  return runAndClose(models, run);
}

/** Throws an exhausted script first, because it usually explains the other error. */
async function runAndClose<T>(models: MessagesServer, run: () => Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([run()]);
  const cause = outcome.status === 'rejected' ? outcome.reason : undefined;
  await models.close().catch((short: Error) => {
    throw new Error(short.message, { cause });
  });
  if (outcome.status === 'rejected') throw cause;
  return outcome.value;
}

/** Expects the state of the workflow to equal the fold of its history. */
export async function expectOneTruth(longhand: Longhand, chain: ChainHandle<unknown>): Promise<void> {
  const handle = longhand.client.workflow.getHandle(chain.chainId);
  for (let attempt = 1; ; attempt++) {
    const held = await handle.query<ChainState>(stateQuery);
    const read = (await chain.read()).state;
    // A running chain may have continued between the two reads.
    if (held.facts !== read.facts && attempt < 20) continue;
    expect(read).toEqual(held);
    await expectEveryTask(longhand, chain);
    return;
  }
}

/** Expects the same at each model call, by its digest, and after each workflow task, by the state of the workflow. */
async function expectEveryTask(longhand: Longhand, { chainId }: Pick<ChainHandle, 'chainId'>): Promise<void> {
  const recorded = await readRecordedChain(await resolveChainSource(longhand.client, chainId));
  expect(verifyFile(toChainFile(recorded)).divergence).toBeNull();
  const runs = await Promise.all(recorded.runs.map(({ runId }) => readRunEvents(longhand, chainId, runId)));
  const held: ChainState[] = [];
  for (const events of runs) held.push(...(await getReplayer().statesIn(events, chainId)));
  const folded = recorded.turns.map(({ state }) => state);
  // The last task of a running chain is replayed too, but is a turn only once it is completed.
  expect(folded).toEqual(recorded.closed === null ? held.slice(0, folded.length) : held);
  for (const event of runs.flat()) {
    const child = event.childWorkflowExecutionStartedEventAttributes;
    const begun = child?.workflowExecution?.workflowId;
    // Others are workflows of calls.
    if (begun && child?.workflowType?.name === workflowType && (await hasCompletedLastTask(longhand, begun)))
      await expectOneTruth(longhand, longhand.getHandle(begun));
  }
}

/** A replayer for each set of keys. They are open until the process ends. */
const replayers = new Map<string, Replayer>();

function getReplayer(): Replayer {
  const { LONGHAND_ENCRYPTION_KEY: key, LONGHAND_ENCRYPTION_KEYS: file } = process.env;
  const keys = JSON.stringify([key, file]);
  const open = replayers.get(keys) ?? openReplayer({ codePath: getReportingBundlePath() });
  replayers.set(keys, open);
  return open;
}

async function readRunEvents(
  { client }: Longhand,
  workflowId: string,
  runId: string,
): Promise<readonly HistoryEvent[]> {
  const history = { service: client.workflowService, namespace: client.options.namespace };
  const events: HistoryEvent[] = [];
  for await (const page of readForward(history, { workflowId, runId })) events.push(...page);
  return events;
}

/**
 * False for a chain that was terminated before a workflow task handled its last events: a query would handle them without a
 * record in the history. A chain before its first task cannot be queried.
 */
async function hasCompletedLastTask({ client }: Longhand, chainId: string): Promise<boolean> {
  const events = (await client.workflow.getHandle(chainId).fetchHistory()).events ?? [];
  const scheduled = events.findLastIndex((event) => event.workflowTaskScheduledEventAttributes);
  return events.findLastIndex((event) => event.workflowTaskCompletedEventAttributes) > scheduled;
}

interface WorkerParts {
  readonly taskQueue: string;
  readonly models: MessagesServer;
  readonly options: ChainTestOptions;
  readonly own: Partial<TestWorkerOptions>;
}

async function launchWorker({ taskQueue, models, options, own }: WorkerParts): Promise<RunningWorker> {
  const given: TestWorkerOptions = {
    agents: options.agents,
    address: getTemporalAddress(),
    taskQueue,
    providers: [anthropicProvider({ name: 'anthropic', baseURL: models.url, apiKey: 'test' })],
    ...options.worker,
    ...own,
    temporal: {
      // A workflow thread, as in production, takes half a second to start: only one run of the gate uses it.
      debugMode: !isLong || continueAfterSteps !== undefined,
      // Do not wait for a model call that a test leaves open.
      shutdownGraceTime: '500ms',
      // The server offers a worker that has stopped the next workflow task of its chains; default: for ten seconds.
      stickyQueueScheduleToStartTimeout: '2s',
      ...options.temporal,
      ...options.worker?.temporal,
      ...own.temporal,
    },
  };
  const { workflowsPath } = given;
  const made = await createWorkerWithBundle(given, async () =>
    workflowsPath === undefined ? { codePath: getWorkflowBundlePath() } : findOwnBundle(workflowsPath),
  );
  const ended = made.run();
  // Awaited in `stop`; until then a worker that fails must not end the process.
  ended.catch(() => {});
  const stop = async () => {
    made.shutdown();
    await ended;
  };
  return { ...made, run: () => ended, stop };
}

function trackChains(longhand: Longhand, chains: Map<string, ChainHandle<unknown>>): Longhand {
  const noted = <Answer>(chain: ChainHandle<Answer>): ChainHandle<Answer> => {
    chains.set(chain.chainId, chain);
    return { ...chain, followUp: async (...given) => noted(await chain.followUp(...given)) };
  };
  return {
    ...longhand,
    start: async (...given) => noted(await longhand.start(...given)),
    fork: async (...given) => noted(await longhand.fork(...given)),
    getHandle: <A extends AgentType>(chainId: string) => {
      const chain = longhand.getHandle<A>(chainId);
      return { ...chain, followUp: async (...given) => noted(await chain.followUp(...given)) };
    },
  };
}
