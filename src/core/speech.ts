/**
 * What a model is saying, for who may hear it: nobody knows yet what of it will be thought, arguments or answer, nor what
 * will have to be hidden in it.
 *
 * 1. Heard only by who sees all that it can become: thoughts, answers and the calls of all the agent's tools, none of
 *    which has anything sensitive.
 * 2. Told some words late, so that a secret is known for one before its beginning is told. From the first thing on that
 *    has to be hidden, nothing more is told: the step will say it.
 */

import { levelOf, seesAll } from './level-of.js';
import type { RedactionPolicy } from './redact/policy.js';
import { createRedactor } from './redact/redactor.js';
import { sensitivePaths } from './secrets.js';
import type { Scene } from './visibility.js';

/** Characters that are held back; longer than anything with spaces in it that is hidden by how it looks. */
const behind = 80;
/** Characters before it by which a secret is known for one: `the password of the database is …`. */
const before = 400;

export function mayHear(step: number, scene: Scene): boolean {
  if (seesAll(scene)) return true;
  const { tools } = scene.chain;
  if (tools === null) return false;
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
  // Its own: what is never told must not be counted among the marks of the chain.
  const redactor = createRedactor(policy);
  let current = 0;
  let said = '';
  let told = 0;
  let silent = false;
  return (step, piece) => {
    if (step !== current) {
      current = step;
      said = '';
      told = 0;
      silent = false;
    }
    said += piece;
    const end = said.slice(0, Math.max(told, said.length - behind)).search(/\s\S*$/) + 1;
    if (silent || end <= told) return '';
    const near = said.slice(Math.max(0, told - before));
    silent = redactor.text(near) !== near;
    if (silent) return '';
    const now = said.slice(told, end);
    told = end;
    return now;
  };
}
