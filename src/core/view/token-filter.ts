/**
 * What a model is saying, for who may hear it: nobody knows yet what of it will be thought, arguments or answer, nor what
 * will have to be hidden in it.
 *
 * 1. Heard only by who sees all that it can become: thoughts, answers and the calls of all the agent's tools, none of
 *    which has anything sensitive; in a sub-chain that was given nothing sensitive.
 * 2. Told some words late, so that a secret is known for one before its beginning is told. From the first thing on that
 *    has to be hidden, nothing more is told: the step will say it.
 * 3. Where fields are hidden by their place, nothing is told: a place is known of a value alone, when it is whole.
 */

import type { RedactionPolicy } from '../redact/policy.js';
import { createRedactor, type Redactor } from '../redact/redactor.js';
import { listSensitivePaths } from './chain-masker.js';
import type { ViewScene } from './visibility.js';
import { canSeeAll, computeLevel } from './visibility-level.js';

/** Characters that are held back; longer than anything with spaces in it that is hidden by how it looks. */
const delayCharacters = 80;
/** Characters before it by which a secret is known for one: `the password of the database is …`. */
const contextCharacters = 400;

export function canReadTokens(step: number, scene: ViewScene): boolean {
  if (canSeeAll(scene)) return true;
  const { tools, ancestry } = scene.chain;
  if (tools === null || (ancestry?.sensitive ?? []).length > 0) return false;
  const whole = (seen: Parameters<typeof computeLevel>[0]) => computeLevel(seen, scene).level === 'full';
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

/** Gives back what may be told after each piece; empty where that is nothing yet. */
export function createTokenFilter(policy: RedactionPolicy): (step: number, piece: string) => string {
  if ((policy.paths ?? []).length > 0) return () => '';
  // Its own: what is never told must not be counted among the marks of the chain.
  const redactor = createRedactor(policy);
  let current: TokenFilterState = { ...initialState };
  return (step, piece) => {
    if (step !== current.step) current = { ...initialState, step };
    return current.ended ? '' : filterPiece(current, piece, redactor);
  };
}

interface TokenFilterState {
  step: number;
  /** The end of what was told. */
  emitted: string;
  buffer: string;
  /** How far it was looked for spaces in `held`, and where the last one ends; 0 for none. */
  scanned: number;
  wordEnd: number;
  /** Whether the rest is not told. */
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

function filterPiece(spoken: TokenFilterState, piece: string, redactor: Redactor): string {
  spoken.buffer += piece;
  for (; spoken.scanned < spoken.buffer.length - delayCharacters; spoken.scanned++) {
    if (/\s/.test(spoken.buffer.charAt(spoken.scanned))) spoken.wordEnd = spoken.scanned + 1;
  }
  if (spoken.wordEnd === 0) return '';
  const near = spoken.emitted + spoken.buffer;
  spoken.ended = redactor.text(near) !== near;
  if (spoken.ended) return '';
  const now = spoken.buffer.slice(0, spoken.wordEnd);
  spoken.emitted = (spoken.emitted + now).slice(-contextCharacters);
  spoken.buffer = spoken.buffer.slice(spoken.wordEnd);
  spoken.scanned -= spoken.wordEnd;
  spoken.wordEnd = 0;
  return now;
}
