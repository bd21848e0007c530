/** Creates the snapshot of an agent for a chain, with the chain's own model and limits. */

import type { PrepareAgentInput } from '../contract/index.js';
import { emptyRecord } from '../core/engine/index.js';
import { computeDigest, countUtf8Bytes, LonghandError, omitUndefined, toCanonicalJson } from '../core/lib/index.js';
import {
  type AgentSnapshot,
  defaults,
  emptyState,
  type Limits,
  limitEntries,
  type ModelRetry,
  type ModelSnapshot,
  type PartialLimits,
  promptParts,
  type Reflection,
  type Routing,
  type ToolSnapshot,
  validateLimits,
} from '../core/model/index.js';
import { getStrategy, reactDefaults, reflectionDefaults } from '../core/strategies/index.js';
import type { Models } from '../models/index.js';
import { toMilliseconds } from '../options/index.js';
import type { WrittenPolicy } from '../tools/define/index.js';
import type { Agent, AgentDefinition, ModelRetryOptions, OnProviderError } from './agent-definition.js';
import { bindTools, checkPrices, findUnpricedModel } from './bind-models.js';
import { renderInstructions } from './check-examples.js';

/** What a worker adds to definitions. */
export interface SnapshotDefaults {
  readonly models: Pick<Models, 'resolve'>;
  /** The model of agents whose definition names none; null for none. */
  readonly defaultModel: string | null;
  readonly modelRetry: ModelRetryOptions;
  readonly onProviderError: OnProviderError;
  /** False: no call is local. */
  readonly localCalls: boolean;
  /** Absent for none. */
  readonly policy?: WrittenPolicy | undefined;
}

/**
 * @throws {LonghandError} `invalid_agent` if the definition or the limits do not fit the model; as `Models.resolve` if the model
 *   has no provider
 */
export function createSnapshot(
  agent: Agent,
  chosen: Pick<PrepareAgentInput, 'model' | 'limits'>,
  worker: SnapshotDefaults,
): AgentSnapshot {
  const { definition } = agent;
  const { prompt } = definition;
  const model = toModelSnapshot(agent, chosen.model ?? definition.model ?? worker.defaultModel, worker);
  const policy = createPolicy(agent, worker);
  const routing = createRouting(agent, model, chosen.model !== null, worker);
  const hasLocalCalls = worker.localCalls && (definition.localCalls ?? true);
  const tools = bindTools(agent, worker.models).map((tool) => (hasLocalCalls ? tool : toActivityTool(tool)));
  const limits = toLimits(
    agent,
    chosen.limits,
    [model, ...(routing?.others ?? []), ...(policy === undefined ? [] : [policy.model])],
    tools,
  );
  const parts = promptParts.filter((part) => definition.promptParts?.includes(part));
  const draft: AgentSnapshot = {
    name: agent.name,
    version: definition.version ?? null,
    ...(definition.title === undefined ? {} : { title: definition.title.trim() }),
    instructions: renderInstructions(definition, agent.strategy.name),
    ...(prompt === undefined ? {} : { prompt: { name: prompt.name, version: prompt.version } }),
    model,
    ...omitUndefined({ routing }),
    strategy: agent.strategy,
    ...omitUndefined({ reflection: toReflection(definition.reflection) }),
    ...omitUndefined({ policy }),
    ...(definition.compaction === 'model' ? { compaction: definition.compaction } : {}),
    ...omitUndefined({ judge: definition.judge }),
    ...(parts.length === 0 ? {} : { promptParts: parts }),
    ...(agent.outputSchema === null ? {} : { outputSchema: agent.outputSchema }),
    tools,
    limits,
    successPhrases: definition.successPhrases ?? [],
    failurePhrases: definition.failurePhrases ?? [],
    maxObservationTokens: definition.maxObservationTokens ?? defaults.maxObservationTokens,
    promptBytes: 0,
    permissions: definition.permissions ?? {},
    tenants: agent.tenants,
    waitingCounts: definition.waitingCounts ?? false,
    ...omitUndefined({ onLimit: toOnLimit(definition.onLimit) }),
    digest: '',
  };
  const complete = { ...draft, promptBytes: computePromptBytes(draft) };
  return { ...complete, digest: computeDigest(toCanonicalJson(complete)) };
}

function toReflection(reflection: AgentDefinition['reflection']): Reflection | undefined {
  if (reflection === undefined) return undefined;
  return { ...reflectionDefaults, ...(reflection === true ? {} : omitUndefined(reflection)) };
}

function toOnLimit(onLimit: AgentDefinition['onLimit'] = 'end'): AgentSnapshot['onLimit'] {
  if (onLimit === 'end') return undefined;
  const { expires = defaults.requestExpiryMs, roles } = onLimit === 'ask' ? {} : onLimit;
  return { expiresMs: expires === null ? null : toMilliseconds(expires), ...omitUndefined({ roles }) };
}

function toActivityTool({ local: _, ...tool }: ToolSnapshot): ToolSnapshot {
  return tool;
}

/** @param isChosen whether the start chose the model: it then makes all calls, and only the fallbacks remain */
function createRouting(
  agent: Agent,
  { name: own }: ModelSnapshot,
  isChosen: boolean,
  worker: SnapshotDefaults,
): Routing | undefined {
  const { models = {}, fallbacks = [], candidates = [], route } = agent.definition;
  const roles = isChosen ? {} : models;
  const { judge: best, ...ownCalls } = roles;
  // The chain that chooses the best of several answers has an agent of its own.
  const called = agent.definition.judge === undefined || best === undefined ? ownCalls : roles;
  const names = new Set([...Object.values(called), ...fallbacks, ...(isChosen ? [] : candidates)]);
  names.delete(own);
  if (names.size === 0 && roles.judge === undefined) return undefined;
  return {
    others: [...names].map((name) => toModelSnapshot(agent, name, worker)),
    roles,
    fallbacks,
    ...(route === undefined || isChosen ? {} : { policy: true }),
  };
}

/** Undefined for an agent that the policy does not name. The options of the agent do not apply to the model of the policy. */
function createPolicy(agent: Agent, worker: SnapshotDefaults): AgentSnapshot['policy'] {
  const { policy } = worker;
  if (policy === undefined || policy.agents?.includes(agent.name) === false) return undefined;
  const { name, modelTimeout, modelRetry } = agent.definition;
  const definition = { name, ...omitUndefined({ modelTimeout, modelRetry }) };
  const plain = { ...agent, definition, strategy: reactDefaults, outputSchema: null };
  return {
    text: policy.text,
    model: toModelSnapshot(plain, policy.model, worker),
    ...omitUndefined({ roles: policy.roles }),
  };
}

function toModelSnapshot(
  { name: agent, definition, strategy, outputSchema }: Agent,
  name: string | null,
  worker: SnapshotDefaults,
): ModelSnapshot {
  const createError = (problem: string) => new LonghandError('invalid_agent', `Agent ${agent} ${problem}`);
  if (name === null) {
    throw createError(`has no model. Set \`model\` in its definition, or LONGHAND_MODEL for its workers.`);
  }
  const { provider, id, entry } = worker.models.resolve(name);
  if (typeof definition.temperature === 'number' && !entry?.takesTemperature) {
    throw createError(
      entry === null
        ? `sets \`temperature\`, but ${name} is not in the price map, so it is unknown whether the model takes one. Remove \`temperature\`, or add ${name} to the worker's price map.`
        : `sets \`temperature\`, which ${name} does not support. Remove \`temperature\`.`,
    );
  }
  if (entry?.tools === false && strategy.name !== 'react' && strategy.name !== 'custom') {
    throw createError(
      `has the strategy ${strategy.name}, but ${name} does not call tools natively. Use the strategy react, a strategy of your own, or another model.`,
    );
  }
  const thinkingMember = (['effort', 'thinking'] as const).find((member) => definition[member] !== undefined);
  if (entry?.thinking === false && thinkingMember !== undefined) {
    throw createError(
      `sets \`${thinkingMember}\`, but ${name} does not think. Remove \`${thinkingMember}\`, or use another model.`,
    );
  }
  const maxTokens = definition.maxTokens ?? defaults.maxTokens;
  const readable = (provider.files ?? []).filter(({ kind }) => entry?.files.includes(kind));
  return {
    name,
    provider: provider.name,
    id,
    price: entry?.price ?? null,
    maxTokens: Math.min(maxTokens, entry?.maxOutputTokens ?? maxTokens),
    contextTokens: entry?.contextTokens ?? null,
    ...(readable.length === 0 ? {} : { files: readable }),
    ...(outputSchema !== null && entry?.structuredOutput && provider.structuredOutput !== undefined
      ? { structuredOutput: provider.structuredOutput }
      : {}),
    ...(entry?.asksForOneCall ? { asksForOneCall: true } : {}),
    compactAt: definition.compactAt ?? defaults.compactAt,
    temperature: toTemperature(definition, entry),
    effort: definition.effort ?? null,
    thinking: definition.thinking ?? null,
    stopSequences: definition.stopSequences ?? [],
    timeoutMs: toMilliseconds(definition.modelTimeout ?? defaults.modelTimeoutMs),
    heartbeatMs: toMilliseconds(definition.modelHeartbeatTimeout ?? defaults.modelHeartbeatMs),
    retry: toModelRetry({ ...worker.modelRetry, ...definition.modelRetry }),
    onProviderError: definition.onProviderError ?? worker.onProviderError,
  };
}

/** Providers reject a temperature beside thinking. */
function toTemperature(
  { temperature, effort, thinking }: AgentDefinition,
  entry: ReturnType<Models['resolve']>['entry'],
): number | null {
  if (temperature !== undefined) return temperature;
  return (effort ?? thinking ?? null) === null ? (entry?.defaultTemperature ?? null) : null;
}

function toModelRetry({ attempts, maxInterval, ...options }: ModelRetryOptions): ModelRetry {
  return {
    attempts: attempts ?? null,
    forMs: toMilliseconds(options.for ?? defaults.modelRetryMs),
    maxIntervalMs: toMilliseconds(maxInterval ?? defaults.modelBackoffLongestMs),
  };
}

function toLimits(
  agent: Agent,
  chosen: PartialLimits,
  models: readonly ModelSnapshot[],
  tools: readonly ToolSnapshot[],
): Limits {
  const problem = validateLimits(chosen);
  if (problem !== null) throw new LonghandError('invalid_agent', problem);
  const merged = { ...agent.limits, ...chosen };
  const unpriced = models.find(({ price }) => price === null);
  if (unpriced !== undefined && typeof merged.costUsd === 'number') {
    throw new LonghandError(
      'invalid_agent',
      `Agent ${agent.name} has a cost limit, but no price is known for ${unpriced.name}, so the limit cannot be enforced. Remove \`costUsd\`, or add ${unpriced.name} to the worker's price map.`,
    );
  }
  checkPrices(agent.name, tools, merged.costUsd);
  const isPriced = unpriced === undefined && findUnpricedModel(tools) === null;
  const has = {
    all: true,
    delegating: agent.tools.some(({ snapshot }) => snapshot.delegates !== null),
    waiting: agent.tools.some(({ snapshot }) => snapshot.waits),
  };
  const limits = limitEntries.flatMap(([name, { agents, getDefault }]) => {
    if (!has[agents]) return [];
    const isFree = name === 'costUsd' && !isPriced;
    return [[name, isFree ? null : (merged[name] ?? getDefault(agent.strategy))] as const];
  });
  return Object.fromEntries(limits) as unknown as Limits;
}

/** Computes the bytes of a request without a task, which every model call includes. */
function computePromptBytes(agent: AgentSnapshot): number {
  const request = getStrategy(agent.strategy).render({ ...emptyRecord, state: { ...emptyState, agent } }, agent);
  return countUtf8Bytes(JSON.stringify(request));
}
