/** A start that is sent again with its idempotency key: finds the chain of the first request, and compares the two. */

import {
  ChainExistsError,
  ChainNotFoundError,
  createWorkflowStart,
  type ForkOptions,
  type Longhand,
  readStartData,
  resolveChainSource,
  type StartOptions,
} from '../../client/index.js';
import { toCanonicalJson } from '../../core/lib/index.js';
import { type ChainInput, mergeDataClasses, toDataClasses } from '../../core/model/index.js';
import { fromStoredLimits, type TaskInput } from '../../options/index.js';
import { GatewayError } from '../request/problems.js';

export interface StartedOnce {
  readonly chainId: string;
  /** Whether an earlier request started it. */
  readonly existed: boolean;
}

interface Starting {
  readonly chainId: string;
  /** @throws {ChainExistsError} */
  readonly start: () => Promise<unknown>;
  /** Returns the input with which this request would have started that chain. */
  readonly toInput: (started: ChainInput) => Promise<ChainInput>;
}

/** Starts a chain; where it exists, checks that the same request started it. @throws {GatewayError} `idempotency_conflict` */
async function startOnce(longhand: Longhand, starting: Starting): Promise<StartedOnce> {
  const { chainId, start } = starting;
  try {
    await start();
    return { chainId, existed: false };
  } catch (error) {
    if (!(error instanceof ChainExistsError)) throw error;
    return checkSame(starting, await findStart(longhand, chainId));
  }
}

/**
 * Finds the chain of an earlier request, or starts it. It looks first: the server may have forgotten the chain, and another chain
 * on which the start depends may have changed.
 */
export async function findOrStart(longhand: Longhand, starting: Starting): Promise<StartedOnce> {
  const started = await findStart(longhand, starting.chainId);
  return started === null ? startOnce(longhand, starting) : checkSame(starting, started);
}

async function checkSame({ chainId, toInput }: Starting, started: ChainInput | null): Promise<StartedOnce> {
  if (started !== null && isSameInput(started, await toInput(started))) return { chainId, existed: true };
  throw new GatewayError(
    'idempotency_conflict',
    'A request with this idempotency key, or this chain id, and other content came first. Use a new one for a new chain.',
  );
}

/** Returns the input of a new chain. */
export async function toStartInput(agent: string, task: TaskInput, options: StartOptions): Promise<ChainInput> {
  return (await createWorkflowStart({ agent: { name: agent }, task }, options, async () => {})).input;
}

/** Returns the input of a follow-up: what the request leaves out is as the chain has it, from the chain that it follows. */
export async function toFollowUpInput(started: ChainInput, text: string, options: StartOptions): Promise<ChainInput> {
  const { agent, earlier, thread } = started;
  const startInput = { agent: { name: agent }, task: text, ...(earlier && { earlier }), ...(thread && { thread }) };
  const limits = { ...fromStoredLimits(started.limits), ...options.limits };
  return (await createWorkflowStart(startInput, { ...keepRest(started, options), limits }, async () => {})).input;
}

/** Returns the input of a fork: what the request leaves out is as the chain has it, from its origin. */
export async function toForkInput(
  started: ChainInput,
  from: string,
  { atStep, message, ...options }: ForkOptions,
): Promise<ChainInput> {
  const { agent, task, files, earlier, origin, shownAs } = started;
  if (origin === undefined) return { ...started, task: '' };
  const startInput = {
    agent: { name: agent },
    task,
    files: files ?? [],
    ...(earlier && { earlier }),
    ...(shownAs && { shownAs }),
    origin: { ...origin, chainId: from, steps: atStep ?? origin.steps, message: message ?? null },
  };
  return (await createWorkflowStart(startInput, keepRest(started, options), async () => {})).input;
}

function keepRest({ model, dataClasses, roles, tenant, user }: ChainInput, options: StartOptions): StartOptions {
  return {
    ...options,
    model: options.model ?? model ?? undefined,
    dataClass: mergeDataClasses(toDataClasses(dataClasses), toDataClasses(options.dataClass)),
    roles: options.roles ?? roles,
    tenant: options.tenant ?? tenant ?? undefined,
    user: options.user ?? user ?? undefined,
  };
}

/** A gateway of a later version writes other rules. */
function isSameInput({ rules: _, ...a }: ChainInput, { rules: __, ...b }: ChainInput): boolean {
  return toCanonicalJson({ ...a }) === toCanonicalJson({ ...b });
}

/** Returns what a chain was started with; null if there is no such chain. */
async function findStart({ client }: Longhand, chainId: string): Promise<ChainInput | null> {
  try {
    const source = await resolveChainSource(client, chainId);
    if (source.archivedChain === null) return (await readStartData(source)).input;
    // The archive's list has no origins and earlier messages, and only the beginning of a task.
    const [first] = await source.archivedChain.readRuns();
    const facts = first?.turns.flatMap((turn) => turn.facts) ?? [];
    return facts.find((fact) => fact.type === 'started')?.input ?? null;
  } catch (error) {
    if (error instanceof ChainNotFoundError) return null;
    throw error;
  }
}
