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
import { sensitivePaths } from './chain-masker.js';
import { levelOf, seesAll } from './level-of.js';
import type { Scene } from './visibility.js';

/** Characters that are held back; longer than anything with spaces in it that is hidden by how it looks. */
const behind = 80;
/** Characters before it by which a secret is known for one: `the password of the database is …`. */
const before = 400;

export function mayHear(step: number, scene: Scene): boolean {
  if (seesAll(scene)) return true;
  const { tools, descent } = scene.chain;
  if (tools === null || (descent?.sensitive ?? []).length > 0) return false;
  const whole = (seen: Parameters<typeof levelOf>[0]) => levelOf(seen, scene).level === 'full';
  return (
    whole({ id: `${step}`, kind: 'thinking' }) &&
    whole({ id: `${step}a`, kind: 'synthesis' }) &&
    Object.entries(tools).every(([tool, { kind: toolKind = 'external' }]) => {
      return (
        sensitivePaths({ tool, toolKind }, scene).length === 0 && whole({ id: '', kind: 'tool_call', tool, toolKind })
      );
    })
  );
}

/** Gives back what may be told after each piece; empty where that is nothing yet. */
export function speech(policy: RedactionPolicy): (step: number, piece: string) => string {
  if ((policy.paths ?? []).length > 0) return () => '';
  // Its own: what is never told must not be counted among the marks of the chain.
  const redactor = createRedactor(policy);
  let current: Spoken = { ...silence };
  return (step, piece) => {
    if (step !== current.step) current = { ...silence, step };
    return current.ended ? '' : hear(current, piece, redactor);
  };
}

interface Spoken {
  step: number;
  /** The end of what was told. */
  told: string;
  held: string;
  /** How far it was looked for spaces in `held`, and where the last one ends; 0 for none. */
  looked: number;
  words: number;
  /** Whether the rest is not told. */
  ended: boolean;
}

const silence: Readonly<Spoken> = { step: 0, told: '', held: '', looked: 0, words: 0, ended: false };

function hear(spoken: Spoken, piece: string, redactor: Redactor): string {
  spoken.held += piece;
  for (; spoken.looked < spoken.held.length - behind; spoken.looked++) {
    if (/\s/.test(spoken.held.charAt(spoken.looked))) spoken.words = spoken.looked + 1;
  }
  if (spoken.words === 0) return '';
  const near = spoken.told + spoken.held;
  spoken.ended = redactor.text(near) !== near;
  if (spoken.ended) return '';
  const now = spoken.held.slice(0, spoken.words);
  spoken.told = (spoken.told + now).slice(-before);
  spoken.held = spoken.held.slice(spoken.words);
  spoken.looked -= spoken.words;
  spoken.words = 0;
  return now;
}
