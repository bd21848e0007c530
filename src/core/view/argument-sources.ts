/**
 * The calls whose results the arguments of later calls repeat: which outputs led to which inputs, as far as texts show it.
 *
 * 1. Computed only where a whole chain is read: for `chain show`, an export and an audit report, not for followers.
 * 2. Linear: each result is read once, for all phrases of all arguments. Of a long chain, the newest results and arguments.
 */

import { isObject, type Json, toValueText } from '../lib/index.js';
import { hasResult } from '../model/index.js';
import type { Reasoning, SubChain, ToolCallStep } from './reasoning.js';
import { listPhrases, maxComparedCharacters, maxPhrases, phraseLength, toWordLine } from './sources.js';

/** The arguments or the result of a call. */
export interface CallValue {
  /** Id of the call: `3.1`. */
  readonly call: string;
  readonly value: Json;
}

/**
 * Returns, for each call whose arguments repeat results of earlier steps, the ids of those calls in order. Words of the task do not
 * count: both may have them from there.
 */
export function findArgumentSources(
  task: string,
  called: readonly CallValue[],
  results: readonly CallValue[],
): ReadonlyMap<string, readonly string[]> {
  const taskLine = toWordLine(task);
  const phrases = takeNewest(called).map(({ call, value }) => {
    const own = listTexts(value).flatMap(listPhrases).slice(0, maxPhrases);
    return [call, own.filter((phrase) => !taskLine.includes(phrase))] as const;
  });
  const origins = new Map<string, string[]>(phrases.flatMap(([, own]) => own).map((phrase) => [phrase, []]));
  if (origins.size > 0) for (const result of takeNewest(results)) addOrigins(origins, result);
  const ordered = results.map(({ call }) => call);
  const repeated = phrases.flatMap(([call, own]) => {
    const ids = new Set(own.flatMap((phrase) => origins.get(phrase) ?? []).filter((id) => isBefore(id, call)));
    return ids.size === 0 ? [] : [[call, ordered.filter((id) => ids.has(id))] as const];
  });
  return new Map(repeated);
}

/** Adds a result to the phrases that it contains: runs of at most `phraseLength` words. */
function addOrigins(origins: ReadonlyMap<string, string[]>, { call, value }: CallValue): void {
  const words = toWordLine(toValueText(value)).trim().split(' ');
  for (let at = 0; at < words.length; at += 1) {
    let run = '';
    for (const word of words.slice(at, at + phraseLength)) {
      run += ` ${word}`;
      const found = origins.get(`${run} `);
      if (found !== undefined && found.at(-1) !== call) found.push(call);
    }
  }
}

/** Names of members are the schema's, so only values count. */
function listTexts(value: Json): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number') return [`${value}`];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return isObject(value) ? Object.values(value).flatMap((member) => listTexts(member as Json)) : [];
}

function isBefore(call: string, other: string): boolean {
  return Number.parseInt(call, 10) < Number.parseInt(other, 10);
}

function takeNewest(values: readonly CallValue[]): readonly CallValue[] {
  let room = maxComparedCharacters;
  const first = values.findLastIndex(({ value }) => {
    room -= toValueText(value).length;
    return room < 0;
  });
  return values.slice(first + 1);
}

/** Returns the chain and its opened sub-chains with `repeats` on the calls. */
export function addArgumentSources(reasoning: Reasoning): Reasoning {
  const { task, steps, children } = reasoning;
  const calls = steps.filter((step) => step.kind === 'tool_call');
  const results = steps.flatMap((step) =>
    step.kind === 'tool_result' && hasResult(step.status) && step.reusedFrom === null
      ? [{ call: step.correlationId, value: step.observation }]
      : [],
  );
  const sources = findArgumentSources(
    task,
    calls.map((step) => ({ call: step.id, value: getOwnInput(step) })),
    results,
  );
  const open = (child: SubChain): SubChain =>
    child.chain === null ? child : { ...child, chain: addArgumentSources(child.chain) };
  return {
    ...reasoning,
    steps: steps.map((step) => {
      const repeats = step.kind === 'tool_call' ? sources.get(step.id) : undefined;
      return repeats === undefined ? step : { ...step, repeats };
    }),
    children: Object.fromEntries(Object.entries(children).map(([call, chains]) => [call, chains.map(open)])),
  };
}

/** The arguments that the model wrote. */
function getOwnInput({ input, changedFrom = input }: ToolCallStep): Json {
  return changedFrom;
}
