/**
 * The chains of a server, the running ones first. Of those that have ended by themselves the server's list knows what
 * they came to; the others are read. What it does not know of a chain leaves none out: whoever asks sorts out the rest.
 */

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { workflowType } from '../../contract/names.js';
import { createKeywordKey } from '../../contract/search-attributes.js';
import { fromContinuation, isContinuation } from '../../core/engine/continue-as-new.js';
import { type ChainResult, toChainResult } from '../../core/engine/result.js';
import { isObject } from '../../core/lib/json.js';
import { type ChainInput, currentRules } from '../../core/model/fact.js';
import { emptyState } from '../../core/model/state.js';
import { type ChainStatus, getChainStatus } from '../../core/state/due-requests.js';
import { emptyRecord } from '../../core/state/entry.js';
import { buildReasoning, emptyReasoningContext } from '../../core/view/build-reasoning.js';
import type { Reasoning } from '../../core/view/reasoning.js';
import { interpretEvent } from '../../history/event.js';
import { isSearchAttributeMissing, isServerUnavailable } from '../errors/errors.js';
import { type ChainSource, resolveChainSource } from '../read/chain-source.js';
import { createMetadataClient, explainUnreadable, isGone, mapEach } from '../read/many-chains.js';
import { type RecordedChain, readRecordedChain, toReasoning } from '../read/recorded-chain.js';

/** Those that wait for a person or are paused run, too. */
export type ListedStatus = ChainStatus | 'ended';

/** What is null is not asked for. */
export interface ListQuery {
  readonly status: ListedStatus | null;
  readonly agent: string | null;
  readonly tenant: string | null;
  readonly outcome: string | null;
  /** Milliseconds since 1970. */
  readonly since: number | null;
  /** US dollars. */
  readonly costOver: number | null;
  /** Whose tree: `roots` for chains that no other began, `all` for every chain, or one root's with all below it. */
  readonly tree: 'roots' | 'all' | { readonly root: string };
}

export interface ListedChain {
  /** Without its steps where the chain was not read. */
  readonly reasoning: Reasoning;
  readonly steps: number;
  readonly runId: string;
  readonly status: ListedStatus;
  /** Why nothing but what the server's list tells is known of it: what it is encrypted with is not here, or it is damaged. */
  readonly unreadable?: string;
}

export async function* listChains(client: Client, query: ListQuery): AsyncGenerator<ListedChain> {
  const known = new Set<string>();
  const statuses = query.status === null ? (['running', 'ended'] as const) : [query.status];
  const isWanted = (info: WorkflowExecutionInfo) => belongsToTree(query.tree, info);
  for (const status of statuses) {
    const found = newestRuns(listExecutions(client, { ...query, status }), known, isWanted);
    for await (const listed of mapEach(found, (info) => readListedChain(client, info)))
      if (listed !== null) yield listed;
  }
}

/** Of several runs under one id, the one that came last. */
async function* newestRuns(
  infos: AsyncIterable<WorkflowExecutionInfo>,
  known: Set<string>,
  isWanted: (info: WorkflowExecutionInfo) => boolean,
) {
  for await (const info of infos) {
    if (known.has(info.workflowId) || !isWanted(info)) continue;
    known.add(info.workflowId);
    yield info;
  }
}

function belongsToTree(tree: ListQuery['tree'], info: WorkflowExecutionInfo): boolean {
  if (typeof tree === 'string') return tree === 'all' || !isSubChain(info);
  return `${info.workflowId}/`.startsWith(`${tree.root}/`);
}

/** A chain may also be the child of a workflow that is none: then it is the root of its tree. */
function isSubChain({ workflowId, typedSearchAttributes, parentExecution }: WorkflowExecutionInfo): boolean {
  const root = typedSearchAttributes.get(attributeKeys.root);
  if (root !== undefined) return root !== workflowId;
  return parentExecution?.workflowId != null && workflowId.startsWith(`${parentExecution.workflowId}/`);
}

/** A server on which no worker has registered the search attributes is asked for all its chains. */
async function* listExecutions(client: Client, query: ListQuery): AsyncGenerator<WorkflowExecutionInfo> {
  const whole = [...formatCommonConditions(query), ...formatAttributeConditions(query)].join(' AND ');
  try {
    yield* createMetadataClient(client).list({ query: whole, pageSize: 100 });
  } catch (error) {
    if (!isSearchAttributeMissing(error)) throw error;
    yield* createMetadataClient(client).list({ query: formatCommonConditions(query).join(' AND '), pageSize: 100 });
  }
}

function formatCommonConditions({ status, since }: ListQuery): readonly string[] {
  return [
    `WorkflowType = ${JSON.stringify(workflowType)}`,
    status === 'ended' ? "ExecutionStatus NOT IN ('Running', 'ContinuedAsNew')" : "ExecutionStatus = 'Running'",
    ...(since === null ? [] : [`StartTime >= '${new Date(since).toISOString()}'`]),
  ];
}

function formatAttributeConditions({ status, agent, tenant, outcome, costOver, tree }: ListQuery): readonly string[] {
  const orUnknown = (name: string, compared: string) => `(${name} ${compared} OR ${name} IS NULL)`;
  return [
    ...(status === 'waiting' || status === 'paused' ? [orUnknown('LonghandStatus', `= '${status}'`)] : []),
    ...(agent === null ? [] : [orUnknown('LonghandAgent', `= ${JSON.stringify(agent)}`)]),
    ...(tenant === null ? [] : [orUnknown('LonghandTenant', `= ${JSON.stringify(tenant)}`)]),
    ...(outcome === null ? [] : [orUnknown('LonghandOutcome', `= ${JSON.stringify(outcome)}`)]),
    ...(costOver === null ? [] : [orUnknown('LonghandCostUsd', `>= ${costOver}`)]),
    ...(typeof tree === 'string' ? [] : [`LonghandRoot = ${JSON.stringify(tree.root)}`]),
  ];
}

/** Null for a chain whose retention has ended since. */
async function readListedChain(client: Client, info: WorkflowExecutionInfo): Promise<ListedChain | null> {
  const { workflowId, runId } = info;
  const source = await resolveChainSource(client, workflowId, runId);
  try {
    return getAttributes(info).outcome === null
      ? await readFromHistory(source)
      : summarizeExecution(info, await readStartData(source));
  } catch (error) {
    if (isGone(error)) return null;
    const unreadable = explainUnreadable(error);
    if (unreadable === null) throw error;
    const { typedSearchAttributes: told } = info;
    const input = createPartialInput({
      agent: told.get(attributeKeys.agent) ?? '',
      model: null,
      tenant: told.get(attributeKeys.tenant) ?? null,
    });
    return { ...summarizeExecution(info, { input }), unreadable };
  }
}

async function readFromHistory(source: ChainSource): Promise<ListedChain> {
  const recorded = await readRecordedChain(source);
  const { steps, input } = recorded.chain.state;
  // One that no worker has taken up yet tells what it was started with.
  const state = {
    ...recorded.chain.state,
    chainId: source.chainId,
    input: input ?? (await readStartData(source)).input,
  };
  const reasoning = toReasoning({ ...recorded, chain: { ...recorded.chain, state } });
  return { reasoning, steps, runId: source.runId, status: getRecordedStatus(recorded) };
}

export function getRecordedStatus({ chain, closed }: Pick<RecordedChain, 'chain' | 'closed'>): ListedStatus {
  return closed === null ? getChainStatus(chain.state) : 'ended';
}

/** As far as it is told by what it was started with and what it came to. */
function summarizeExecution(
  info: WorkflowExecutionInfo,
  { input, startedAt = info.startTime.getTime() }: StartData,
): ListedChain {
  const { outcome, steps, tokens, costUsd } = getAttributes(info);
  const charged = { tokens, usd: costUsd };
  const state = { ...emptyState, chainId: info.workflowId, input, startedAt, charged };
  const endedAt = (info.closeTime ?? info.startTime).toISOString();
  const result: ChainResult | null =
    info.status.name === 'RUNNING'
      ? null
      : { ...toChainResult(state), outcome: outcome ?? 'terminated', steps, endedAt };
  const reasoning = buildReasoning({ state, ...emptyRecord }, { ...emptyReasoningContext, result });
  const status = result === null ? 'running' : 'ended';
  return { reasoning: { ...reasoning, reason: null }, steps, runId: info.runId, status };
}

/** As much of what a chain was started with as a list tells, of one that cannot be read. */
export function createPartialInput(told: Pick<ChainInput, 'agent' | 'model' | 'tenant'>): ChainInput {
  return { rules: currentRules, task: '', limits: {}, user: null, roles: [], ...told };
}

const attributeKeys = {
  agent: createKeywordKey('LonghandAgent'),
  tenant: createKeywordKey('LonghandTenant'),
  outcome: createKeywordKey('LonghandOutcome'),
  steps: defineSearchAttributeKey('LonghandSteps', SearchAttributeType.INT),
  tokens: defineSearchAttributeKey('LonghandTokens', SearchAttributeType.INT),
  costUsd: defineSearchAttributeKey('LonghandCostUsd', SearchAttributeType.DOUBLE),
  root: defineSearchAttributeKey('LonghandRoot', SearchAttributeType.KEYWORD),
} as const;

/** An outcome is there when the chain has set it at its end, the others then too. */
function getAttributes({ typedSearchAttributes: told, status }: WorkflowExecutionInfo) {
  const outcome =
    status.name === 'RUNNING' ? null : ((told.get(attributeKeys.outcome) ?? null) as Reasoning['outcome']);
  const costUsd = told.get(attributeKeys.costUsd) ?? null;
  return { outcome, steps: told.get(attributeKeys.steps) ?? 0, tokens: told.get(attributeKeys.tokens) ?? 0, costUsd };
}

interface StartData {
  readonly input: ChainInput | null;
  /** Of a chain that has gone on in this run; of another, its run tells. */
  readonly startedAt?: number;
}

/** What the chain was started with stands in a run's first event. Null where that is not what this client writes. */
async function readStartData({ service, namespace, converter, chainId, runId }: ChainSource): Promise<StartData> {
  const { history } = await service.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId: chainId, runId },
    maximumPageSize: 1,
  });
  const meaning = await interpretEvent(history?.events?.[0] ?? {}, converter);
  if (meaning.type !== 'started') return { input: null };
  if (isContinuation(meaning.input)) {
    const { input, startedAt } = fromContinuation(meaning.input);
    return { input, startedAt };
  }
  const { input } = meaning;
  return { input: isObject(input) && typeof input.task === 'string' ? input : null };
}

/** Ids of the chains that were forked off one, as the server's list knows them. */
export async function listForks(client: Client, chainId: string): Promise<readonly string[]> {
  const found = new Set<string>();
  const query = `LonghandOrigin = ${JSON.stringify(chainId)}`;
  try {
    for await (const { workflowId } of createMetadataClient(client).list({ query })) found.add(workflowId);
  } catch (error) {
    if (!isSearchAttributeMissing(error) && !isServerUnavailable(error)) throw error;
  }
  return [...found];
}
