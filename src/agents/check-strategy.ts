/** The contract of a parser, as a check for the tests of its author. */

import { shorten, toCanonicalJson } from '../core/lib/index.js';
import { callParser, type StrategyReading } from '../core/strategies/index.js';
import type { OwnStrategy } from './define-strategy.js';

const hardTexts: readonly string[] = [
  ...['', ' ', '\r\n\r\n', '{', '[', '"', '<', '```', '\\', '$&', '{}', '[]', 'null', '{"a":', '{"__proto__": 1}'],
  ...['\u0000', '\ud800', '\u202e\u200b', '日本語 🙂', '{'.repeat(10_000), 'word '.repeat(20_000)],
];

/**
 * Checks a strategy: its parser never throws, is pure, and reads each example as expected.
 *
 * @returns the problems; empty for a good strategy
 * @example
 * expect(checkStrategy(tags, { replies: [{ text: '<answer>12</answer>', reading: { answer: '12' } }] })).toEqual([]);
 */
export function checkStrategy(
  { parse }: OwnStrategy,
  { replies }: { readonly replies: readonly { readonly text: string; readonly reading: StrategyReading }[] },
): readonly string[] {
  if (replies.length === 0) return ['replies is empty: add an example of each form of a reply'];
  const texts = [...new Set([...replies.flatMap(({ text }) => listVariants(text)), ...hardTexts])];
  const first = new Map(texts.map((text) => [text, toComparable(callParser(parse, text))]));
  // In the other order: a regular expression with the flag g remembers the last text.
  const faults = texts.toReversed().flatMap((text) => {
    const result = callParser(parse, text);
    const [then, now] = [first.get(text), toComparable(result)];
    if (typeof result !== 'string' && then === now) return [];
    return [`${quote(text)}: ${typeof result === 'string' ? result : `read as ${then}, then as ${now}`}`];
  });
  const differences = replies.flatMap(({ text, reading }) => {
    const [expected, found] = [toComparable(reading), first.get(text)];
    return expected === found ? [] : [`${quote(text)}: expected ${expected}, found ${found}`];
  });
  return [...faults, ...differences];
}

/** The reply, changed as servers and models change it, and its starts: a reply that is cut off. */
function listVariants(text: string): readonly string[] {
  const starts = Array.from({ length: 200 }, (_, at) => text.slice(0, Math.ceil((at * text.length) / 200)));
  return [text, text.repeat(2), text.replaceAll('\n', '\r\n'), ...starts];
}

/** An absent member, null and an empty list are equal. */
function toComparable(result: StrategyReading | string): string {
  if (typeof result === 'string') return result;
  const members = Object.entries(result).filter(([, value]) => value !== null && value?.length !== 0);
  return toCanonicalJson(Object.fromEntries(members));
}

function quote(text: string): string {
  return JSON.stringify(shorten(text, 60));
}
