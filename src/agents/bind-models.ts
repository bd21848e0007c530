/** The tools of a snapshot: those that ask models get the prices and sizes of the worker's models (L6). */

import { LonghandError } from '../core/lib/index.js';
import { boundSummaryRequest, defaults, listCallableModels, type ToolSnapshot } from '../core/model/index.js';
import type { Models } from '../models/index.js';
import type { FindModel, Tool } from '../tools/define/index.js';
import type { Agent, AgentDefinition } from './agent-definition.js';

/** @throws as `Models.resolve` where a model of a tool has no provider */
export function bindTools(
  { tools, definition }: Pick<Agent, 'tools' | 'definition'>,
  models: Pick<Models, 'resolve'>,
): readonly ToolSnapshot[] {
  const find: FindModel = (name) => {
    const { provider, id, entry } = models.resolve(name);
    return {
      name,
      provider: provider.name,
      id,
      price: entry?.price ?? null,
      maxTokens: entry?.maxOutputTokens ?? defaults.maxTokens,
      contextTokens: entry?.contextTokens ?? null,
      takesTemperature: entry?.takesTemperature ?? false,
    };
  };
  return tools.map((tool) => addSummary(tool.bindModels?.(find) ?? tool.snapshot, tool, definition, find));
}

/** Only a call that an activity of Longhand makes can summarize its result, in time of its own: it is no local call. */
function addSummary(
  snapshot: ToolSnapshot,
  tool: Tool,
  { summarizeObservations, maxObservationTokens = defaults.maxObservationTokens }: AgentDefinition,
  find: FindModel,
): ToolSnapshot {
  const { local: _, ...rest } = snapshot;
  const options = tool.summarizeObservations ?? summarizeObservations ?? false;
  const { cost, delegates, question, runs, waits } = rest;
  if (!options || (cost ?? delegates ?? question ?? runs ?? null) !== null || waits) return snapshot;
  const model = find(options.model);
  return {
    ...rest,
    cost: {
      kind: 'summary',
      models: [model],
      aboveTokens: options.above ?? maxObservationTokens,
      maxTokens: Math.max(defaults.minTokens, maxObservationTokens),
      instructionBytes: boundSummaryRequest(model),
    },
  };
}

/** A model of a tool without a price, by its name; null where all have one. */
export function findUnpricedModel(tools: readonly ToolSnapshot[]): string | null {
  const models = tools.flatMap(({ cost }) =>
    cost === undefined || cost.kind === 'fee' ? [] : listCallableModels(cost),
  );
  return models.find(({ price }) => price === null)?.name ?? null;
}

/** @throws {LonghandError} `invalid_agent` where a cost limit could not be enforced for calls of a tool */
export function checkPrices(agent: string, tools: readonly ToolSnapshot[], costUsd: number | null | undefined): void {
  const unpriced = findUnpricedModel(tools);
  if (unpriced === null || typeof costUsd !== 'number') return;
  throw new LonghandError(
    'invalid_agent',
    `Agent ${agent} has a cost limit, but no price is known for ${unpriced}, which a tool of it asks, so the limit cannot be enforced. Remove \`costUsd\`, or add ${unpriced} to the worker's price map.`,
  );
}
