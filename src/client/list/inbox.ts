/**
 * Lists the chains of a server that wait for a person. One search by status finds them, and each is read from its
 * history; no worker is needed.
 */

import type { Client } from '@temporalio/client';
import { workflowType } from '../../contract/index.js';
import {
  computeWorkedMs,
  findRetryWait,
  formatOffer,
  getFailureHolder,
  type Holder,
  listOpenRequests,
  type OpenRequest,
} from '../../core/engine/index.js';
import { LonghandError } from '../../core/lib/index.js';
import {
  type ChainState,
  listPathIds,
  type MissingPart,
  type ModelFailureKind,
  type StopCode,
} from '../../core/model/index.js';
import { isSearchAttributeMissing } from '../errors/errors.js';
import type { ReadChain } from '../read/chain-pages.js';
import { resolveChainSource } from '../read/chain-source.js';
import { concurrency, explainUnreadable, isGone, mapEach } from '../read/many-chains.js';
import { createMetadataClient } from '../read/metadata-client.js';
import { readChain } from '../read/read-chain.js';
import { findFirstStarts } from './first-starts.js';

export interface InboxOptions {
  readonly agent?: string | undefined;
  readonly tenant?: string | undefined;
  /** Only chains that run for this user. */
  readonly user?: string | undefined;
  /** Only this chain and all below it. */
  readonly root?: string | undefined;
  /** Only requests that one of these roles may decide. Default: all. */
  readonly roles?: readonly string[] | undefined;
  /** Most chains to return, longest waiting first. Default 100. */
  readonly limit?: number | undefined;
}

/** A chain that waits for people. Times are milliseconds since 1970. */
export interface InboxChain {
  readonly chainId: string;
  /** Chain ids from the root down to this chain. */
  readonly path: readonly string[];
  readonly agent: string;
  readonly task: string;
  readonly tenant: string | null;
  readonly user: string | null;
  readonly requests: readonly OpenRequest[];
  /** Null unless paused. */
  readonly paused: {
    readonly by: string | null;
    readonly reason: string | null;
    readonly at: number;
    /** Null unless the chain asks at a limit. */
    readonly question: InboxQuestion | null;
  } | null;
  /** Null unless a person has to look: it cannot continue before a repair, or its provider is away for long. */
  readonly held: Hold | null;
  readonly startedAt: number;
  readonly steps: number;
  readonly tokens: number;
  /** US dollars so far; null if the model has no price. */
  readonly costUsd: number | null;
  /** Milliseconds left of the time limit; most chains are not charged for waiting. Null before the agent is known. */
  readonly timeLeftMs: number | null;
}

/** The question of a chain at a limit. `raiseLimits` with `raise` answers it, `resume` where that is null, and `cancel`. */
export interface InboxQuestion {
  /** Stop reason of the limit: `cost_budget`; `budget` for a budget of a tenant, an agent or a model. */
  readonly code: StopCode;
  /** `Continue with $0.50 more` */
  readonly text: string;
  readonly raise: { readonly [limit in 'steps' | 'tokens' | 'costUsd' | 'time']?: number } | null;
  /** When the chain ends without an answer; null never expires. */
  readonly expiresAt: number | null;
}

interface HoldTimes {
  /** Of the first failed attempt, in milliseconds since 1970. */
  readonly at: number;
  /** Failed attempts. */
  readonly attempts: number;
  /** When the next attempt is due; null while it runs. */
  readonly nextAt: number | null;
  /** When the chain ends as `failure` if no attempt succeeds. */
  readonly endsAt: number;
}

/** What holds a chain: its model's provider, the store, or workers of which none has what is missing. */
export type Hold =
  | (HoldTimes & { readonly by: 'provider' | 'store'; readonly failure: ModelFailureKind })
  | (HoldTimes & { readonly by: 'worker'; readonly missing: MissingPart });

interface WaitingOptions extends InboxOptions {
  /** Whether a chain is read; the others are omitted. Default: all. */
  readonly isWanted?: ((chainId: string) => Promise<boolean>) | undefined;
}

/** A waiting chain, with the chain as read. */
export interface WaitingChain {
  readonly chain: InboxChain;
  readonly read: ReadChain;
}

/**
 * Lists waiting chains, longest waiting first. Omits unreadable chains: the keys are missing, or the chain is damaged.
 */
export async function listInbox(client: Client, options: InboxOptions = {}): Promise<readonly InboxChain[]> {
  const { longest } = await listLongestWaiting(client, { ...options, limit: options.limit ?? 100 });
  return longest.map(({ chain }) => chain);
}

export interface InboxResult {
  readonly longest: readonly WaitingChain[];
  /** Number of further waiting chains, none waiting longer. */
  readonly others: number;
  /** Unreadable chains, which may wait as well. */
  readonly unreadable: readonly UnreadableChain[];
}

export interface UnreadableChain {
  readonly chainId: string;
  readonly why: string;
}

/** Up to this number of waiting chains, all are read. */
const minTotal = 200;

/**
 * Chains that are read for a list of `limit`, at least. Where more wait, only those that were started first are read: the server
 * does not know the waiting times.
 */
function computeLeastReads(limit: number): number {
  return limit + 20;
}

/**
 * Returns the longest waiting chains: of all, or of the ones that were started first where more wait than are read. Reads all
 * for some roles, for a user and for `isWanted`: only the histories state who may decide.
 */
export async function listLongestWaiting(
  client: Client,
  { limit, ...options }: WaitingOptions & { readonly limit: number },
): Promise<InboxResult> {
  const conditions = formatConditions(waitingCondition, options);
  const least = computeLeastReads(limit);
  const isFiltered = [options.roles, options.user, options.isWanted].some((filter) => filter !== undefined);
  const total = isFiltered ? 0 : await countChains(client, conditions);
  if (total <= Math.max(minTotal, 2 * least)) return readLongestWaiting(client, conditions, { limit, ...options });
  const first = await findFirstStarts((until) => countChains(client, [...conditions, until]), least, total);
  const result = await readLongestWaiting(client, [...conditions, first.until], { limit, ...options });
  // The server's list follows its chains with a delay: too many of them may have been decided.
  if (result.longest.length < limit) return readLongestWaiting(client, conditions, { limit, ...options });
  return { ...result, others: result.others + total - first.count };
}

async function readLongestWaiting(
  client: Client,
  conditions: readonly string[],
  { limit, ...options }: WaitingOptions & { readonly limit: number },
): Promise<InboxResult> {
  let waitingChains: WaitingChain[] = [];
  let all = 0;
  const unreadable: UnreadableChain[] = [];
  const inOrder = () =>
    waitingChains.sort((a, b) => computeWaitingSince(a.chain) - computeWaitingSince(b.chain)).slice(0, limit);
  const chains = mapEach(searchChains(client, conditions), (info) => readWaitingChain(client, info, options));
  for await (const waiting of chains) {
    // It no longer waits.
    if (waiting === null) continue;
    if ('why' in waiting) {
      unreadable.push(waiting);
      continue;
    }
    all += 1;
    if (waitingChains.push(waiting) >= limit + concurrency) waitingChains = inOrder();
  }
  waitingChains = inOrder();
  return { longest: waitingChains, others: all - waitingChains.length, unreadable };
}

interface Waits {
  readonly requests: readonly { readonly askedAt: number }[];
  readonly paused: { readonly at: number } | null;
  readonly held: { readonly at: number } | null;
}

/** Returns when the first open request, the pause or the hold began. */
export function computeWaitingSince({ requests, paused, held }: Waits): number {
  const others = [paused, held].flatMap((wait) => (wait === null ? [] : [wait.at]));
  return Math.min(...requests.map(({ askedAt }) => askedAt), ...others);
}

/** Returns the ids of the chains that this holder holds, without those that a person has paused. */
export async function listHeldChainIds(
  client: Client,
  holder: Holder,
  scope: Pick<InboxOptions, 'agent' | 'tenant'>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const chains = searchChains(client, formatConditions(`LonghandHeldBy = '${holder}'`, scope));
  for await (const waiting of mapEach(chains, (info) => readWaitingChain(client, info, { tenant: scope.tenant }))) {
    if (waiting === null) continue;
    // An unreadable chain can still be resumed.
    if ('why' in waiting) ids.push(waiting.chainId);
    // The server's list follows its chains with a delay: a pause may be newer.
    else if (waiting.chain.paused === null && waiting.chain.held?.by === holder) ids.push(waiting.chain.chainId);
  }
  return ids;
}

const waitingCondition = "LonghandStatus IN ('waiting', 'paused')";

/** Returns the conditions of running chains with a condition on their search attributes. */
function formatConditions(
  condition: string,
  { agent, tenant, root }: Pick<InboxOptions, 'agent' | 'tenant' | 'root'>,
): readonly string[] {
  return [
    `WorkflowType = ${JSON.stringify(workflowType)}`,
    "ExecutionStatus = 'Running'",
    condition,
    ...(agent === undefined ? [] : [`LonghandAgent = ${JSON.stringify(agent)}`]),
    ...(tenant === undefined ? [] : [`LonghandTenant = ${JSON.stringify(tenant)}`]),
    ...(root === undefined ? [] : [`LonghandRoot = ${JSON.stringify(root)}`]),
  ];
}

async function* searchChains(client: Client, conditions: readonly string[]) {
  try {
    yield* createMetadataClient(client).list({ query: conditions.join(' AND '), pageSize: 100 });
  } catch (error) {
    throw explainSearchError(error);
  }
}

async function countChains(client: Client, conditions: readonly string[]): Promise<number> {
  try {
    return (await createMetadataClient(client).count(conditions.join(' AND '))).count;
  } catch (error) {
    throw explainSearchError(error);
  }
}

function explainSearchError(error: unknown): unknown {
  if (!isSearchAttributeMissing(error)) return error;
  return new LonghandError(
    'search_attributes_missing',
    'This server cannot search for waiting chains: no worker has registered the search attributes yet. Start a worker, or see `longhand doctor`.',
    { cause: error },
  );
}

async function readWaitingChain(
  client: Client,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
  { roles, tenant, user, isWanted = async () => true }: WaitingOptions,
): Promise<WaitingChain | UnreadableChain | null> {
  if (!(await isWanted(workflowId))) return null;
  const source = await resolveChainSource(client, workflowId, runId);
  const read = await readChain(source).catch((error: unknown): UnreadableChain | null => {
    if (isGone(error)) return null;
    const why = explainUnreadable(error);
    if (why === null) throw error;
    return { chainId: workflowId, why };
  });
  if (read === null) return null;
  if ('why' in read) return read;
  if (read.closed !== null) return null;
  const { state } = read.chain;
  // The server's list states the tenant of its last update, and no user.
  if (tenant !== undefined && state.input?.tenant !== tenant) return null;
  if (user !== undefined && state.input?.user !== user) return null;
  const now = Date.now();
  const requests = listOpenRequests(state, now).filter((request) => canDecide(request.roles, roles));
  const canResume = canDecide(state.agent?.permissions.pause ?? [], roles);
  const paused = findPause(state, roles);
  const hold = canResume ? findHold(state) : null;
  if (requests.length === 0 && paused === null && hold === null) return null;
  return { chain: { ...toInboxChain(state, now), requests, paused, held: hold }, read };
}

function findPause({ agent, paused }: ChainState, roles: readonly string[] | undefined): InboxChain['paused'] {
  if (paused === null) return null;
  const { by, reason, at, question } = paused;
  const permitted = agent?.permissions[question?.raise == null ? 'pause' : 'limit'] ?? [];
  if (!canDecide(permitted, roles) || !canDecide(paused.roles ?? [], roles)) return null;
  if (question === undefined) return { by, reason, at, question: null };
  const { raise, expiresAt } = question;
  return { by, reason, at, question: { code: question.reason.code, text: formatOffer(question), raise, expiresAt } };
}

function findHold(state: ChainState): Hold | null {
  const { requeue, failing } = state;
  const wait = findRetryWait(state);
  if (!wait?.held) return null;
  const { attempt, nextAt, endsAt } = wait;
  const made = { attempts: attempt - 1, nextAt, endsAt };
  if (requeue !== null) return { by: 'worker', missing: requeue.missing, at: requeue.since, ...made };
  if (failing === null) return null;
  const { failure, since } = failing;
  return { by: getFailureHolder(failure), failure, at: since, ...made };
}

function toInboxChain(state: ChainState, now: number): Omit<InboxChain, 'requests' | 'paused' | 'held'> {
  const { chainId, input, agent, startedAt, steps, charged } = state;
  return {
    chainId,
    path: listPathIds(state),
    agent: input?.agent ?? '',
    task: input?.task ?? '',
    tenant: input?.tenant ?? null,
    user: input?.user ?? null,
    startedAt,
    steps,
    tokens: charged.tokens,
    costUsd: charged.usd,
    timeLeftMs: agent === null ? null : Math.max(0, agent.limits.timeMs - computeWorkedMs({ ...state, now })),
  };
}

function canDecide(deciders: readonly string[], roles: readonly string[] | undefined): boolean {
  return roles === undefined || deciders.length === 0 || deciders.some((role) => roles.includes(role));
}
