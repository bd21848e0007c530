/**
 * The index of words for searching archived chains: how texts are split, which texts of a run are indexed.
 *
 * 1. Both databases index the same words. A word is letters and digits, without case and accents. Scripts without spaces
 *    between words are split into pairs of letters.
 * 2. The words of a run are from its task, its answer, its thoughts and its calls; its observations fill the remaining room.
 *
 * L8: the indexed words are those that a developer sees, by the rules of the worker that archives the run. Words that are
 * masked or hidden for a developer match nothing; a search for a viewer who sees less checks each chain against that
 * viewer's view.
 */

import { type RawBuilder, sql } from 'kysely';
import { toValueText } from '../../core/lib/index.js';
import type { Chain } from '../../core/model/index.js';
import { type ChainRun, computeClosedResult } from '../../core/record/index.js';
import {
  buildReasoning,
  createViewer,
  emptyReasoningContext,
  type StepView,
  toSearchText,
  type VisibilityConfig,
  view,
} from '../../core/view/index.js';
import type { StoreTransaction } from '../db/store.js';
import type { StoreKind } from '../db/store-option.js';

/** Per run, and per observation: the end of a long observation is not indexed. */
const maxWords = 2_000;
const maxObservationChars = 4_096;

interface SearchSource {
  readonly run: Pick<ChainRun, 'closed' | 'closedAt'>;
  readonly chain: Chain;
  readonly hidden?: readonly string[];
  readonly visibility?: VisibilityConfig;
}

export function collectSearchWords({ run, chain, hidden = [], visibility = {} }: SearchSource): ReadonlySet<string> {
  const over = run.closed !== null && run.closed !== 'continuedAsNew';
  const result = over ? computeClosedResult({ chain, ...run }) : null;
  const reasoningView = view(
    buildReasoning(chain, { ...emptyReasoningContext, result }),
    createViewer('developer', { expanded: 'all' }),
    visibility,
  );
  const secret = new Set(hidden.flatMap((text) => [...splitWords(text)]));
  const words = new Set<string>();
  const take = (text: string) => {
    for (const word of splitWords(text)) {
      if (words.size >= maxWords) return;
      if (!secret.has(word) && !maskWords.has(word)) words.add(word);
    }
  };
  take(
    `${reasoningView.task} ${toValueText(reasoningView.answer)} ${reasoningView.partial ?? ''} ${reasoningView.reason ?? ''}`,
  );
  const isObserved = ({ kind }: StepView) => kind === 'tool_result';
  for (const step of reasoningView.steps) if (!isObserved(step)) take(toSearchText(step));
  for (const step of reasoningView.steps) if (isObserved(step)) take(toSearchText(step).slice(0, maxObservationChars));
  return words;
}

/** Words of masks match nothing. */
const maskWords: ReadonlySet<string> = new Set(['redacted', 'null']);

/** Longer words are digests and keys, which are found by their beginning. */
const maxWordLength = 40;

/** Splits a text into words. @returns each word once, in its order of occurrence; words of one character included */
export function splitWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [found] of normalizeText(text).matchAll(/[\p{L}\p{N}]+/gu)) {
    for (const word of unspacedScripts.test(found) ? toLetterPairs(found) : [found])
      words.add(word.slice(0, maxWordLength));
  }
  return words;
}

/** Splits a search text: the beginning of each word is enough to match. */
export function toSearchTerms(text: string): readonly string[] {
  return [...splitWords(text)].slice(0, maxSearchTerms);
}

const maxSearchTerms = 16;

function normalizeText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

const unspacedScripts =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

function toLetterPairs(text: string): readonly string[] {
  const letters = [...text];
  if (letters.length < 2) return letters;
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

export async function insertWords(
  tx: StoreTransaction,
  kind: StoreKind,
  run: number,
  words: ReadonlySet<string>,
): Promise<void> {
  const all = [...words];
  if (kind === 'postgres') {
    await sql`insert into archive_words (run, words) values (${run}, array_to_tsvector(${all}::text[]))`.execute(tx);
  } else {
    await sql`insert into archive_words (rowid, words) values (${run}, ${all.join(' ')})`.execute(tx);
  }
}

/** In Postgres the words are also deleted with their runs. */
export async function deleteWords(tx: StoreTransaction, kind: StoreKind, runs: readonly number[]): Promise<void> {
  const column = kind === 'postgres' ? sql.ref('run') : sql.ref('rowid');
  for (const run of runs) await sql`delete from archive_words where ${column} = ${run}`.execute(tx);
}

/** Selects the numbers of the runs with a word that begins with `word`. */
export function selectRunsWithWord(kind: StoreKind, word: string): RawBuilder<unknown> {
  if (kind === 'postgres') return sql`select run from archive_words where words @@ ${`'${word}':*`}::tsquery`;
  return sql`select rowid from archive_words where archive_words match ${`"${word}"*`}`;
}
