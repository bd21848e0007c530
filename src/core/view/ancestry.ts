/**
 * The path from the root to a sub-chain, for readers of the sub-chain alone (L8).
 *
 * 1. Its start contains it, because the chains above may be archived or erased when somebody reads the sub-chain.
 * 2. It contains calls and tools, and no levels: rules belong to the reader, and may change after the start.
 * 3. What is sensitive above is named by its place in the given text, and not repeated (L2).
 */

import { isObject } from '../lib/json.js';
import type { ChainInput } from '../model/fact.js';
import { isLineage, type Lineage, type Span, type VisibilitySource } from '../model/lineage.js';
import { longestSearched, maxSensitiveTexts } from '../redact/value-masker.js';
import type { AncestorCall, Ancestry } from './reasoning.js';

interface TreeChain {
  readonly chainId: string;
  readonly input: ChainInput | null;
}

/** The descent of a sub-chain, or of a fork of one; null for every other chain. */
export function findAncestry({ chainId, input }: TreeChain): Ancestry | null {
  const shown = findVisibilityLineage(chainId, input);
  if (input === null || shown === null) return null;
  const { path } = shown.lineage;
  const root = path[0]?.chainId ?? '';
  const calls = path.map(({ chainId: id, agent, by: { call, tool, view } }): AncestorCall => {
    return { chainId: id, agent, place: toPlace(root, id), call, tool, view };
  });
  return { place: toPlace(root, shown.chainId), calls, sensitive: listInheritedSensitiveTexts(input) };
}

/** The sub-chain whose path decides: the one that it, or a chain above, was forked off, or else the chain itself. */
export function findVisibilityLineage(chainId: string, input: unknown): VisibilitySource | null {
  if (!isObject(input)) return null;
  const { lineage, shownAs: other } = input;
  if (isObject(other) && typeof other.chainId === 'string' && isLineage(other.lineage)) {
    return other as unknown as VisibilitySource;
  }
  return isLineage(lineage) ? { chainId, lineage: lineage as unknown as Lineage } : null;
}

function toPlace(root: string, chainId: string): string {
  return chainId.startsWith(`${root}/`) ? `${chainId.slice(root.length + 1)}/` : '';
}

/** Texts given to a sub-chain that are sensitive above it. @param input as anyone may have written it */
export function listInheritedSensitiveTexts(input: unknown): readonly string[] {
  const shown = findVisibilityLineage('', input);
  if (shown === null || !isObject(input) || typeof input.task !== 'string') return [];
  const { sensitive, branch } = isLineage(input.lineage) ? (input.lineage as unknown as Lineage) : shown.lineage;
  const given = toGivenText(input.task, branch === undefined ? {} : { branch });
  return [...new Set(sensitive.map(([start, end]) => given.slice(start, end)))];
}

/** The start of a sub-chain with the places of what its parent knows to be sensitive. */
export function markSensitiveSpans(input: ChainInput, known: readonly string[]): ChainInput {
  const { task, lineage } = input;
  if (lineage === undefined) return input;
  const given = toGivenText(task, lineage);
  // The list of what is sensitive is full: nobody knows what else is.
  const sensitive = known.length >= maxSensitiveTexts ? [[0, given.length] as const] : listSensitiveSpans(given, known);
  return { ...input, lineage: { ...lineage, sensitive } };
}

function listSensitiveSpans(text: string, known: readonly string[]): readonly Span[] {
  return known.flatMap((sensitive) =>
    listWrittenForms(sensitive).flatMap((form): readonly Span[] => {
      const start = text.indexOf(form);
      // Of a longer one only its start is known.
      if (start < 0) return [];
      return [[start, form.length >= longestSearched ? text.length : start + form.length]];
    }),
  );
}

/** As it is, and as JSON within a text contains it. */
function listWrittenForms(sensitive: string): readonly string[] {
  return [...new Set([sensitive, JSON.stringify(sensitive).slice(1, -1).slice(0, longestSearched)])];
}

/** All that a sub-chain is told at its start. */
function toGivenText(task: string, { branch }: Pick<Lineage, 'branch'>): string {
  return branch === undefined ? task : `${task}\n${branch.hypothesis}`;
}
