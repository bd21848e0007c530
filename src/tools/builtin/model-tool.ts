/** The common part of the tools that ask models: options, arguments, the snapshot with prices, and how a failure is reported. */

import { z } from 'zod';
import { providerFailures } from '../../core/engine/index.js';
import { check, formatCount, isObject, type JsonObject, omitUndefined } from '../../core/lib/index.js';
import {
  type AuditLevel,
  type CallableModel,
  checkAuditLevel,
  listCallableModels,
  type ModelCallCost,
  type Price,
  type Rates,
  type ToolSnapshot,
  type ToolView,
} from '../../core/model/index.js';
import { type Approval, type ModelAnswer, type ToolDefinition, ToolError } from '../define/index.js';

/** Options of all tools that ask models. */
export interface ModelToolOptions
  extends Pick<ToolDefinition<never>, 'cacheTtl' | 'timeout' | 'retry' | 'roles' | 'version'> {
  /** Aliases or ids of models, at least one. The agent's model sees their prices. */
  readonly models: readonly string[];
  /** For the model: when to call the tool. */
  readonly description?: string | undefined;
  /** Most output tokens of one answer, thinking included. Default 4,096. A call may lower it. */
  readonly maxTokens?: number | undefined;
  /** The system prompt of calls that have none. */
  readonly system?: string | undefined;
  /** Which calls need approval. The request states what the call may cost. Default: none. */
  readonly approval?: Approval<unknown> | undefined;
  /** How its calls are shown to people. */
  readonly view?: ToolView | undefined;
  readonly audit?: AuditLevel | undefined;
}

export const defaultMaxTokens = 4_096;

const maxModels = 16;

const checkModels = check.refine(
  check.refine(
    check.list(check.nonEmptyText),
    ({ length }) => length > 0 && length <= maxModels,
    `must name 1 to ${maxModels} models`,
  ),
  (names) => new Set(names).size === names.length,
  'names a model twice',
);

/** The members that `defineTool` checks are left to it. */
export const modelToolChecks = {
  name: check.anything,
  models: checkModels,
  description: check.nonEmptyText,
  maxTokens: check.integerFrom(1),
  system: check.text,
  ...check.elsewhere('approval', 'view'),
  audit: checkAuditLevel,
  ...check.elsewhere('cacheTtl', 'timeout', 'retry', 'roles', 'version'),
} satisfies { readonly [name in keyof ModelToolOptions | 'name']: check.ValueCheck };

/** Returns the arguments that all calls have. @param maxTokens most output tokens of one answer */
export function createQuestionMembers(maxTokens: number) {
  return {
    prompt: z.string().min(1).describe('The whole question, with all that is needed to answer it'),
    system: z.string().optional().describe('Instructions, such as a role or a form of the answer'),
    temperature: z.number().min(0).max(2).optional(),
    maxTokens: z.number().int().min(1).max(maxTokens).optional().describe('Most tokens of an answer'),
  };
}

/** Picks the options that `defineTool` takes unchanged. */
export function toDefinitionPart({ approval, cacheTtl, timeout, retry, roles, version, audit }: ModelToolOptions) {
  return {
    effects: 'read',
    kind: 'llm',
    ...omitUndefined({ approval, cacheTtl, timeout, retry, roles, version, audit }),
  } as const;
}

/** Adds the models of a worker to a snapshot: their prices, in the description too, and what calls of them cost. */
export function addModels(snapshot: ToolSnapshot, cost: ModelCallCost): ToolSnapshot {
  const all = listCallableModels(cost);
  return {
    ...snapshot,
    description: `${snapshot.description}\n\nModels:\n${cost.models.map(describeModel).join('\n')}`,
    inputSchema: all.some(({ takesTemperature }) => takesTemperature)
      ? snapshot.inputSchema
      : removeTemperature(snapshot.inputSchema),
    cost,
  };
}

/** `- fast: $0.1 in, $0.5 out per million tokens, above 100,000 tokens $0.5 in, $2.5 out; reads 1,000,000 tokens` */
function describeModel({ name, price, contextTokens }: CallableModel): string {
  return `- ${name}: ${describePrice(price)}${contextTokens === null ? '' : `; reads ${formatCount(contextTokens)} tokens`}`;
}

function describePrice(price: Price | null): string {
  if (price === null) return 'price unknown';
  const { tiers = [] } = price;
  const longer = tiers.map((tier) => `, above ${formatCount(tier.above)} tokens ${describeRates(tier)}`);
  return `${describeRates(price)} per million tokens${longer.join('')}`;
}

function describeRates({ input, output }: Rates): string {
  const perMillion = (rate: number) => `$${Number((rate * 1e6).toPrecision(6))}`;
  return `${perMillion(input)} in, ${perMillion(output)} out`;
}

function removeTemperature(schema: JsonObject): JsonObject {
  if (!isObject(schema.properties)) return schema;
  const { temperature: _, ...properties } = schema.properties;
  return { ...schema, properties };
}

/** @throws {ToolError} where a model of the call takes no temperature: nothing is asked */
export function checkTemperature(temperature: number | undefined, models: readonly CallableModel[]): void {
  if (temperature === undefined) return;
  const without = models.filter(({ takesTemperature }) => !takesTemperature).map(({ name }) => name);
  if (without.length > 0) throw new ToolError(`Invalid temperature: ${without.join(', ')} takes none. Leave it out.`);
}

/** Characters held back: a secret is recognised before its start is shown, as in tokens of a reply (core/view/token-filter.ts). */
const heldCharacters = 80;

/** Returns a listener for pieces of an answer. It emits the text so far, up to a whole word. */
export function createTextListener(emit: (text: string) => void): (delta: string) => void {
  let text = '';
  let scanned = 0;
  let end = 0;
  return (delta) => {
    text += delta;
    const before = end;
    for (; scanned < text.length - heldCharacters; scanned++) if (/\s/.test(text.charAt(scanned))) end = scanned + 1;
    if (end > before) emit(text.slice(0, end));
  };
}

/** Returns an error for the agent's model, or one that is retried where another attempt may succeed. */
export function toAnswerError(name: string, { kind, message }: Extract<ModelAnswer, { ok: false }>): Error {
  const text = `${name} did not answer (${kind.replaceAll('_', ' ')}): ${message}`;
  return isWorthRetrying(kind) ? new Error(text) : new ToolError(text);
}

/** A cancelled request is: its worker was shut down. If the chain was cancelled instead, nothing is retried. */
export function isWorthRetrying(kind: Extract<ModelAnswer, { ok: false }>['kind']): boolean {
  return kind === 'cancelled' || providerFailures[kind].next === 'retry';
}

/** Returns the text of an answer, or its problem. A text that was cut is marked. */
export function readAnswer(
  answer: Extract<ModelAnswer, { ok: true }>,
): { readonly text: string } | { readonly problem: string } {
  const { text, stopReason } = answer;
  if (stopReason === 'refusal') return { problem: 'it refused to answer' };
  const cut = stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded';
  if (text.trim() === '')
    return { problem: cut ? 'maxTokens left no room for an answer; raise it' : 'its answer was empty' };
  return { text: cut ? `${text}\n[cut: the answer reached maxTokens]` : text };
}
