/**
 * Filters the tokens of a reply under way. Whether they become a thought, arguments or an answer, and what must be
 * hidden in them, is not known yet.
 *
 * 1. Only a viewer of all possible contents gets tokens: thoughts, answers and calls of all tools in full, no sensitive
 *    paths, and in a sub-chain no sensitive input.
 * 2. Tokens are delayed, so that a secret is recognised before its start is sent. From the first match on, no token of
 *    the step is sent; the recorded step shows it masked.
 * 3. From the first private part of a reply on, only its readers get tokens.
 * 4. After a gap no token of the step is sent: the start of a secret may be missing.
 * 5. Rules with paths send no tokens: a path is known of a complete value only.
 */

import { hasPrivatePart } from '../lib/index.js';
import { listEarlierSensitiveTexts } from '../model/index.js';
import { createRedactor, type RedactionPolicy } from '../redact/index.js';
import { listSensitivePaths } from './chain-masker.js';
import type { ViewScene } from './visibility.js';
import { canSeeAll, computeLevel } from './visibility-level.js';

/** Characters held back: longer than any match of the redactor that contains spaces. */
const delayCharacters = 80;
/** Characters before a secret by which it is recognised: `the password of the database is …`. */
const contextCharacters = 400;

export function canReadTokens(step: number, scene: ViewScene): boolean {
  if (canSeeAll(scene)) return true;
  const { tools, ancestry } = scene.chain;
  const inherited = [...(ancestry?.sensitive ?? []), ...listEarlierSensitiveTexts(scene.chain)];
  if (tools === null || inherited.length > 0) return false;
  const whole = (step: Parameters<typeof computeLevel>[0]) => computeLevel(step, scene).level === 'full';
  return (
    whole({ id: `${step}`, kind: 'thinking' }) &&
    whole({ id: `${step}a`, kind: 'synthesis' }) &&
    Object.entries(tools).every(([tool, { kind: toolKind = 'external' }]) => {
      return (
        listSensitivePaths({ tool, toolKind }, scene).length === 0 &&
        whole({ id: '', kind: 'tool_call', tool, toolKind })
      );
    })
  );
}

/**
 * Returns a filter: each piece of a step returns the text that may be sent now, or an empty string. `missing` is the
 * number of characters before the piece that were not received.
 */
export function createTokenFilter(
  policy: RedactionPolicy,
  { hidesPrivate }: { readonly hidesPrivate: boolean },
): (step: number, piece: string, missing?: number) => string {
  if ((policy.paths ?? []).length > 0) return () => '';
  // Its own redactor: text that is never sent must not be counted among the chain's marks.
  const redactor = createRedactor(policy);
  let current: TokenFilterState = { ...initialState };
  return (step, piece, missing = 0) => {
    if (step !== current.step) current = { ...initialState, step };
    current.ended ||= missing > 0;
    if (current.ended) return '';
    const isMasked = (text: string) => redactor.text(text) !== text || (hidesPrivate && hasPrivatePart(text));
    return filterPiece(current, piece, isMasked);
  };
}

interface TokenFilterState {
  step: number;
  /** The end of the sent text. */
  emitted: string;
  buffer: string;
  /** Length of `buffer` that was searched for spaces, and the end of the last space; 0 for none. */
  scanned: number;
  wordEnd: number;
  /** Whether the rest of the step is not sent. */
  ended: boolean;
}

const initialState: Readonly<TokenFilterState> = {
  step: 0,
  emitted: '',
  buffer: '',
  scanned: 0,
  wordEnd: 0,
  ended: false,
};

function filterPiece(filterState: TokenFilterState, piece: string, isMasked: (text: string) => boolean): string {
  filterState.buffer += piece;
  for (; filterState.scanned < filterState.buffer.length - delayCharacters; filterState.scanned++) {
    if (/\s/.test(filterState.buffer.charAt(filterState.scanned))) filterState.wordEnd = filterState.scanned + 1;
  }
  if (filterState.wordEnd === 0) return '';
  const near = filterState.emitted + filterState.buffer;
  filterState.ended = isMasked(near);
  if (filterState.ended) return '';
  const now = filterState.buffer.slice(0, filterState.wordEnd);
  filterState.emitted = (filterState.emitted + now).slice(-contextCharacters);
  filterState.buffer = filterState.buffer.slice(filterState.wordEnd);
  filterState.scanned -= filterState.wordEnd;
  filterState.wordEnd = 0;
  return now;
}
