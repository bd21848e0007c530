/** Own strategies: text protocols of authors. The prompt is data of the snapshot; the parser is code of the worker. */

import { check, isObject, omitUndefined } from '../core/lib/index.js';
import type { CustomOptions, StrategyOptions } from '../core/model/index.js';
import { type StrategyParser, strategyDefaults } from '../core/strategies/index.js';
import { createDefinitionErrorFactory } from '../tools/define/index.js';

export interface StrategyDefinition {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** How the model replies, for the system prompt. `{tools}` is replaced by the list of tools. */
  readonly prompt: string;
  /** Reads the text of a reply. Pure; called in the worker, once for each reply. */
  readonly parse: StrategyParser;
  /** Such as `1.4.0`. Chains record it. */
  readonly version?: string;
  /** Texts at which the model stops, such as `\nObservation:`. */
  readonly stopSequences?: readonly string[];
}

/** A validated own strategy. */
export interface OwnStrategy {
  readonly snapshot: CustomOptions;
  readonly parse: StrategyParser;
}

/** By shape: another copy of this package may have created it. */
export function isOwnStrategy(value: unknown): value is OwnStrategy {
  return isObject(value) && 'snapshot' in value && 'parse' in value;
}

/** Returns the parser of an agent's own strategy; null where `choice`, that of its definition, is another one. */
export function findParser(choice: unknown, strategy: StrategyOptions): StrategyParser | null {
  if (strategy.name !== 'custom' || !isOwnStrategy(choice)) return null;
  return choice.snapshot.strategy === strategy.strategy ? choice.parse : null;
}

export const checkVersion = check.pattern(
  /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/,
  (value) =>
    `${JSON.stringify(value)} must have 1 to 64 letters, digits, or . _ + -, and begin with a letter or digit, for example '1.4.0'`,
);

export const checkStopSequences = check.list(
  check.define(check.nonEmptyText.is, 'must be a text that is not empty: providers reject an empty one'),
);

const checkDefinition = check.members<StrategyDefinition>({
  name: check.define((name) => !(`${name}` in strategyDefaults), 'is that of a built-in strategy: choose another'),
  prompt: check.pattern(/\{tools\}/, 'must be a text with {tools}, the place of the list of tools'),
  parse: check.define(check.callable.is, 'must be a function: (text) => ({ thought, calls, answer, problem })'),
  version: checkVersion,
  stopSequences: checkStopSequences,
});

/**
 * Defines a strategy: a text protocol with a prompt and a parser.
 *
 * @throws {LonghandError} `invalid_strategy`, with the invalid member and the fix
 * @example
 * export const tags = defineStrategy({
 *   name: 'tags',
 *   prompt: 'You have these tools:\n\n{tools}\n\nReply with <call tool="name">{…}</call>, or with <answer>…</answer>.',
 *   parse: (text) => ({ answer: /<answer>(.*)<\/answer>/s.exec(text)?.[1] }),
 * });
 */
export function defineStrategy(definition: StrategyDefinition): OwnStrategy {
  const complain = createDefinitionErrorFactory('defineStrategy', definition);
  const { name: strategy, prompt, parse, version, stopSequences = [] } = definition;
  const problem = checkDefinition({ ...definition, prompt: prompt ?? null, parse: parse ?? null }, '');
  if (problem !== null) throw complain(`${problem}.`);
  return { snapshot: { name: 'custom', strategy, prompt, ...omitUndefined({ version }), stopSequences }, parse };
}
