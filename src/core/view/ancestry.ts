/**
 * The path from the root to a sub-chain, for readers of the sub-chain alone (L8).
 *
 * 1. Its start contains it, because the chains above may be archived or erased when a person reads the sub-chain.
 * 2. It contains calls and tools, and no levels: rules belong to the reader, and may change after the start.
 * 3. Sensitive texts of the chains above are named by their place in the given text, and not repeated (L2).
 */

import { isObject } from '../lib/index.js';
import {
  type ChainInput,
  isLineage,
  isVisibilitySource,
  type Lineage,
  listEarlierSensitiveTexts,
  type TextSpan,
  type VisibilitySource,
} from '../model/index.js';
import { longestSearched, maxSensitiveTexts } from '../redact/index.js';
import type { AncestorCall, Ancestry } from './reasoning.js';

interface TreeChain {
  readonly chainId: string;
  readonly input: ChainInput | null;
}

/** Returns the ancestry of a sub-chain, or of a fork of one; null for every other chain. */
export function findAncestry({ chainId, input }: TreeChain): Ancestry | null {
  const visibilityLineage = findVisibilityLineage(chainId, input);
  if (input === null || visibilityLineage === null) return null;
  const { path } = visibilityLineage.lineage;
  const root = path[0]?.chainId ?? '';
  const calls = path.map(({ chainId: id, agent, by: { call, tool, view } }): AncestorCall => {
    return { chainId: id, agent, place: toPlace(root, id), call, tool, view };
  });
  return { place: toPlace(root, visibilityLineage.chainId), calls, sensitive: listSensitiveTextsAbove(input) };
}

/**
 * Returns the sub-chain whose path decides: the one that the chain or a chain above was forked from, or the chain
 * itself.
 */
export function findVisibilityLineage(chainId: string, input: unknown): VisibilitySource | null {
  if (!isObject(input)) return null;
  const { lineage, shownAs: other } = input;
  if (isVisibilitySource(other)) return other;
  return isLineage(lineage) ? { chainId, lineage } : null;
}

/** Returns the place of a chain below its root, with a slash at the end; empty for the root. */
export function toPlace(root: string, chainId: string): string {
  return chainId.startsWith(`${root}/`) ? `${chainId.slice(root.length + 1)}/` : '';
}

/**
 * Returns the texts of a start that are sensitive in other chains: above a sub-chain, and before a follow-up.
 *
 * @param input as a person may have written it
 */
export function listInheritedSensitiveTexts(input: unknown): readonly string[] {
  return [...new Set([...listSensitiveTextsAbove(input), ...listEarlierSensitiveTexts(input)])];
}

function listSensitiveTextsAbove(input: unknown): readonly string[] {
  const visibilityLineage = findVisibilityLineage('', input);
  if (visibilityLineage === null || !isObject(input) || typeof input.task !== 'string') return [];
  const { sensitive, branch } = isLineage(input.lineage) ? input.lineage : visibilityLineage.lineage;
  const text = toGivenText(input.task, branch === undefined ? {} : { branch });
  return [...new Set(sensitive.map(([start, end]) => text.slice(start, end)))];
}

/** Adds to a sub-chain's start the places of texts that its parent knows to be sensitive. */
export function markSensitiveSpans(input: ChainInput, known: readonly string[]): ChainInput {
  const { task, lineage } = input;
  if (lineage === undefined) return input;
  const text = toGivenText(task, lineage);
  return { ...input, lineage: { ...lineage, sensitive: listSensitiveSpans(text, known) } };
}

/** Returns the places of sensitive texts in a text. */
export function listSensitiveSpans(text: string, known: readonly string[]): readonly TextSpan[] {
  // The list of sensitive texts is full: any other text may be sensitive too.
  if (known.length >= maxSensitiveTexts) return [[0, text.length]];
  return known.flatMap((sensitive) =>
    listWrittenForms(sensitive).flatMap((form): readonly TextSpan[] => {
      const start = text.indexOf(form);
      // Only the start of a longer text is known.
      if (start < 0) return [];
      return [[start, form.length >= longestSearched ? text.length : start + form.length]];
    }),
  );
}

/** Returns the text as it is, and as JSON contains it. */
function listWrittenForms(sensitive: string): readonly string[] {
  return [...new Set([sensitive, JSON.stringify(sensitive).slice(1, -1).slice(0, longestSearched)])];
}

/** Returns all text that a sub-chain's start contains. */
function toGivenText(task: string, { branch }: Pick<Lineage, 'branch'>): string {
  return branch === undefined ? task : `${task}\n${branch.hypothesis}`;
}
