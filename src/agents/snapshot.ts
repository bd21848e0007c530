/** An agent's definition, and what a chain has differently, as the plain data that the chain keeps. */

import type { PrepareAgentInput } from '../contract/activities.js';
import { computeDigest } from '../core/lib/digest.js';
import { countUtf8Bytes, toCanonicalJson } from '../core/lib/json.js';
import type { AgentSnapshot, ModelSnapshot } from '../core/model/agent.js';
import { defaults } from '../core/model/defaults.js';
import { getDefaultSteps, type Limits, type PartialLimits, validateLimits } from '../core/model/limits.js';
import { emptyState } from '../core/model/state.js';
import { emptyRecord } from '../core/state/entry.js';
import { getStrategy } from '../core/strategies/index.js';
import type { Catalogue } from '../models/catalogue.js';
import type { Agent } from './define-agent.js';

/** @throws {TypeError} when the definition does not fit the model that was chosen, saying what to do */
export function createSnapshot(
  agent: Agent,
  chosen: Omit<PrepareAgentInput, 'agent'>,
  catalogue: Catalogue,
): AgentSnapshot {
  const { definition } = agent;
  const model = toModelSnapshot(agent, chosen.model ?? definition.model, catalogue);
  const limits = toLimits(agent, chosen.limits, model);
  const draft: AgentSnapshot = {
    name: agent.name,
    instructions: definition.instructions ?? '',
    model,
    strategy: agent.strategy,
    tools: agent.tools.map((tool) => tool.snapshot),
    limits,
    successPhrases: definition.successPhrases ?? [],
    failurePhrases: definition.failurePhrases ?? [],
    maxObservationTokens: definition.maxObservationTokens ?? defaults.maxObservationTokens,
    promptBytes: 0,
    permissions: definition.permissions ?? {},
    tenants: agent.tenants,
    waitingCounts: definition.waitingCounts ?? false,
    digest: '',
  };
  const complete = { ...draft, promptBytes: computePromptBytes(draft) };
  return { ...complete, digest: computeDigest(toCanonicalJson(complete)) };
}

function toModelSnapshot({ name: agent, definition }: Agent, name: string, catalogue: Catalogue): ModelSnapshot {
  const entry = catalogue.find(name);
  if (definition.temperature !== undefined && !entry?.takesTemperature) {
    throw new TypeError(
      entry === null
        ? `Agent ${agent} sets a temperature, and the catalogue does not know whether ${name} takes one. Leave \`temperature\` out, or give the worker a price map with ${name} in it.`
        : `Agent ${agent} sets a temperature, and ${name} takes none. Leave \`temperature\` out.`,
    );
  }
  const maxTokens = definition.maxTokens ?? defaults.maxTokens;
  return {
    name,
    price: entry?.price ?? null,
    maxTokens: Math.min(maxTokens, entry?.maxOutputTokens ?? maxTokens),
    temperature: definition.temperature ?? null,
    effort: definition.effort ?? null,
    thinking: definition.thinking ?? null,
    stopSequences: definition.stopSequences ?? [],
    timeoutMs: definition.modelTimeoutMs ?? defaults.modelTimeoutMs,
    heartbeatMs: definition.modelHeartbeatMs ?? defaults.modelHeartbeatMs,
  };
}

function toLimits(agent: Agent, chosen: PartialLimits, model: ModelSnapshot): Limits {
  const wrong = validateLimits(chosen);
  if (wrong !== null) throw new TypeError(wrong);
  const asked = { ...agent.limits, ...chosen };
  if (model.price === null && typeof asked.costUsd === 'number') {
    throw new TypeError(
      `Agent ${agent.name} has a cost limit, and the catalogue has no price for ${model.name}: the limit could not be kept. Leave \`costUsd\` out, or give the worker a price map with ${model.name} in it.`,
    );
  }
  return {
    steps: asked.steps ?? getDefaultSteps(agent.strategy),
    tokens: asked.tokens ?? defaults.tokens,
    costUsd: model.price === null ? null : (asked.costUsd ?? defaults.costUsd),
    timeMs: asked.timeMs ?? defaults.timeMs,
    stallThreshold: asked.stallThreshold ?? defaults.stallThreshold,
    ...(agent.tools.some(({ snapshot }) => snapshot.delegates !== null) ? toDelegationLimits(asked) : {}),
  };
}

/** Of an agent that delegates. */
function toDelegationLimits({ depth, chains }: PartialLimits): Pick<Limits, 'depth' | 'chains'> {
  return { depth: depth ?? defaults.depth, chains: chains ?? defaults.chains };
}

/** The bytes of a request without a task: what every call pays for before anything was said. */
function computePromptBytes(agent: AgentSnapshot): number {
  const request = getStrategy(agent.strategy).render({ ...emptyRecord, state: { ...emptyState, agent } }, agent);
  return countUtf8Bytes(JSON.stringify(request));
}
