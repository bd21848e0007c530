/**
 * Lists the chains of a server, running chains first. Search attributes describe chains that ended normally; all others
 * are read from their histories. A chain whose attributes are unknown is never filtered out: the caller filters.
 */

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { createKeywordKey, workflowType } from '../../contract/index.js';
import {
  type ChainResult,
  type ChainStatus,
  emptyRecord,
  getChainStatus,
  toChainResult,
  toEndTimes,
} from '../../core/engine/index.js';
import { type ChainInput, currentRules, emptyState } from '../../core/model/index.js';
import type { RecordedChain } from '../../core/record/index.js';
import { buildReasoning, emptyReasoningContext, type Reasoning, type ViewRules } from '../../core/view/index.js';
import { isSearchAttributeMissing, isServerUnavailable } from '../errors/errors.js';
import { readForView } from '../read/chain-end.js';
import { type ChainSource, resolveChainSource } from '../read/chain-source.js';
import { explainUnreadable, isGone, mapEach } from '../read/many-chains.js';
import { createMetadataClient } from '../read/metadata-client.js';
import { readStartData, type StartData } from '../read/start-data.js';

/** Waiting and paused chains also run. */
export type ListedStatus = ChainStatus | 'ended';

/** Why a running chain does nothing. */
export type Interruption = Exclude<ChainStatus, 'running'>;

export function isInterruption(status: ListedStatus | null): status is Interruption {
  return status !== null && status !== 'running' && status !== 'ended';
}

/** Filters; null means no filter. */
export interface ListQuery {
  readonly status: ListedStatus | null;
  readonly agent: string | null;
  readonly agentVersion: string | null;
  readonly tenant: string | null;
  readonly outcome: string | null;
  /** Milliseconds since 1970. */
  readonly since: number | null;
  /** US dollars. */
  readonly costOver: number | null;
  /** The id of a thread's first chain. */
  readonly thread: string | null;
  /** `roots`: chains without a parent. `all`: every chain. `root`: that chain and all below it. */
  readonly tree: 'roots' | 'all' | { readonly root: string };
}

export interface ListedChain {
  /** For the row of its viewer: has the steps under way, and none when the history was not read. */
  readonly reasoning: Reasoning;
  readonly steps: number;
  readonly runId: string;
  readonly status: ListedStatus;
  /** Why only the server's list is known: the encryption key is missing, or the chain is damaged. */
  readonly unreadable?: string;
}

/** @param rules of the view that each chain's row is made of: they decide how much of a history is read */
export async function* listChains(client: Client, query: ListQuery, rules: ViewRules): AsyncGenerator<ListedChain> {
  const known = new Set<string>();
  const statuses = query.status === null ? (['running', 'ended'] as const) : [query.status];
  const isWanted = (info: WorkflowExecutionInfo) => belongsToTree(query.tree, info);
  for (const status of statuses) {
    const runs = newestRuns(listExecutions(client, { ...query, status }), known, isWanted);
    for await (const listed of mapEach(runs, (info) => readListedChain(client, info, rules)))
      if (listed !== null) yield listed;
  }
}

/** Yields the latest run of each id. */
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

export function belongsToTree(tree: ListQuery['tree'], info: WorkflowExecutionInfo): boolean {
  if (typeof tree === 'string') return tree === 'all' || !isSubChain(info);
  return `${info.workflowId}/`.startsWith(`${tree.root}/`);
}

/** Whether the chain is a sub-chain. The child of a workflow that is not a chain is the root of its tree. */
function isSubChain({ workflowId, typedSearchAttributes, parentExecution }: WorkflowExecutionInfo): boolean {
  const root = typedSearchAttributes.get(attributeKeys.root);
  if (root !== undefined) return root !== workflowId;
  return parentExecution?.workflowId != null && workflowId.startsWith(`${parentExecution.workflowId}/`);
}

/** Lists workflows. Without registered search attributes, lists all chains. */
async function* listExecutions(client: Client, query: ListQuery): AsyncGenerator<WorkflowExecutionInfo> {
  const fullQuery = [...formatCommonConditions(query), ...formatAttributeConditions(query)].join(' AND ');
  try {
    yield* createMetadataClient(client).list({ query: fullQuery, pageSize: 100 });
  } catch (error) {
    if (!isSearchAttributeMissing(error)) throw error;
    yield* createMetadataClient(client).list({ query: formatCommonConditions(query).join(' AND '), pageSize: 100 });
  }
}

export function formatCommonConditions({ status, since }: ListQuery): readonly string[] {
  return [
    `WorkflowType = ${JSON.stringify(workflowType)}`,
    status === 'ended' ? "ExecutionStatus NOT IN ('Running', 'ContinuedAsNew')" : "ExecutionStatus = 'Running'",
    ...(since === null ? [] : [`StartTime >= '${new Date(since).toISOString()}'`]),
  ];
}

export function formatAttributeConditions(query: ListQuery): readonly string[] {
  const { status, agent, agentVersion, tenant, outcome, costOver, thread, tree } = query;
  const orUnknown = (name: string, compared: string) => `(${name} ${compared} OR ${name} IS NULL)`;
  return [
    ...(isInterruption(status) ? [orUnknown('LonghandStatus', `= '${status}'`)] : []),
    ...(agent === null ? [] : [orUnknown('LonghandAgent', `= ${JSON.stringify(agent)}`)]),
    ...(agentVersion === null ? [] : [orUnknown('LonghandAgentVersion', `= ${JSON.stringify(agentVersion)}`)]),
    ...(tenant === null ? [] : [orUnknown('LonghandTenant', `= ${JSON.stringify(tenant)}`)]),
    ...(outcome === null ? [] : [orUnknown('LonghandOutcome', `= ${JSON.stringify(outcome)}`)]),
    ...(costOver === null ? [] : [orUnknown('LonghandCostUsd', `>= ${costOver}`)]),
    ...(thread === null ? [] : [`LonghandThread = ${JSON.stringify(thread)}`]),
    ...(typeof tree === 'string' ? [] : [`LonghandRoot = ${JSON.stringify(tree.root)}`]),
  ];
}

/** Reads a chain for the list; null when its retention has ended since. */
export async function readListedChain(
  client: Client,
  info: WorkflowExecutionInfo,
  rules: ViewRules,
): Promise<ListedChain | null> {
  const { workflowId, runId } = info;
  const source = await resolveChainSource(client, workflowId, runId);
  try {
    return getAttributes(info).outcome === null
      ? await readFromHistory(source, rules)
      : summarizeExecution(info, await readStartData(source));
  } catch (error) {
    if (isGone(error)) return null;
    const unreadable = explainUnreadable(error);
    if (unreadable === null) throw error;
    const { typedSearchAttributes: attributes } = info;
    const input = createPartialInput({
      agent: attributes.get(attributeKeys.agent) ?? '',
      model: null,
      tenant: attributes.get(attributeKeys.tenant) ?? null,
    });
    return { ...summarizeExecution(info, { input }), unreadable };
  }
}

async function readFromHistory(source: ChainSource, rules: ViewRules): Promise<ListedChain> {
  const { end, reasoning } = await readForView(source, { last: 0 }, rules);
  return { reasoning, steps: end.chain.state.steps, runId: source.runId, status: getRecordedStatus(end) };
}

export function getRecordedStatus({ chain, closed }: Pick<RecordedChain, 'chain' | 'closed'>): ListedStatus {
  return closed === null ? getChainStatus(chain.state) : 'ended';
}

/** Builds a list entry from the start's input and the search attributes. */
function summarizeExecution(
  info: WorkflowExecutionInfo,
  { input, startedAt = info.startTime.getTime() }: StartData,
): ListedChain {
  const { agentVersion, outcome, steps, tokens, costUsd } = getAttributes(info);
  const charged = { tokens, usd: costUsd };
  const state = { ...emptyState, chainId: info.workflowId, input, startedAt, charged };
  const ended = toEndTimes(startedAt, (info.closeTime ?? info.startTime).getTime());
  const result: ChainResult | null =
    info.status.name === 'RUNNING'
      ? null
      : { ...toChainResult(state), outcome: outcome ?? 'terminated', steps, ...ended };
  const reasoning = buildReasoning({ state, ...emptyRecord }, { ...emptyReasoningContext, result });
  const status = result === null ? 'running' : 'ended';
  return { reasoning: { ...reasoning, agentVersion, reason: null }, steps, runId: info.runId, status };
}

/** Creates the listed part of an input, for a chain that cannot be read. */
export function createPartialInput(known: Pick<ChainInput, 'agent' | 'model' | 'tenant'>): ChainInput {
  return { rules: currentRules, task: '', limits: {}, user: null, roles: [], ...known };
}

const attributeKeys = {
  agent: createKeywordKey('LonghandAgent'),
  agentVersion: createKeywordKey('LonghandAgentVersion'),
  tenant: createKeywordKey('LonghandTenant'),
  outcome: createKeywordKey('LonghandOutcome'),
  steps: defineSearchAttributeKey('LonghandSteps', SearchAttributeType.INT),
  tokens: defineSearchAttributeKey('LonghandTokens', SearchAttributeType.INT),
  costUsd: defineSearchAttributeKey('LonghandCostUsd', SearchAttributeType.DOUBLE),
  root: defineSearchAttributeKey('LonghandRoot', SearchAttributeType.KEYWORD),
} as const;

/** Reads the search attributes. A chain sets the outcome and the others together at its end. */
function getAttributes({ typedSearchAttributes: attributes, status }: WorkflowExecutionInfo) {
  const outcome =
    status.name === 'RUNNING' ? null : ((attributes.get(attributeKeys.outcome) ?? null) as Reasoning['outcome']);
  const costUsd = attributes.get(attributeKeys.costUsd) ?? null;
  const steps = attributes.get(attributeKeys.steps) ?? 0;
  const agentVersion = attributes.get(attributeKeys.agentVersion) ?? null;
  return { agentVersion, outcome, steps, tokens: attributes.get(attributeKeys.tokens) ?? 0, costUsd };
}

/** Lists the ids of a chain's forks that the server's list knows. */
export async function listForks(client: Client, chainId: string): Promise<readonly string[]> {
  const forkIds = new Set<string>();
  const query = `LonghandOrigin = ${JSON.stringify(chainId)}`;
  try {
    for await (const { workflowId } of createMetadataClient(client).list({ query })) forkIds.add(workflowId);
  } catch (error) {
    if (!isSearchAttributeMissing(error) && !isServerUnavailable(error)) throw error;
  }
  return [...forkIds];
}
