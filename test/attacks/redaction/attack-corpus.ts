/** Masks a text of the attacker's corpus, and returns the expected result with it. */

import { createRedactor } from '../../../src/core/redact/redactor.js';
import type { RedactionPolicy } from '../../../src/entries/view.js';
import { caseOf } from '../../core/redact/expand.js';
import { optional } from './corpus-optional.js';
import { persons, promised } from './corpus-promised.js';

/** Other tests check the kind and the number of a mask. */
const anyMark = /\[redacted:[a-z-]+(?:#\d+)?\]/g;

export function attack(written: string, seed: number, policy: RedactionPolicy = {}) {
  const { text, masked, secrets } = caseOf('secret', written, seed);
  const shown = createRedactor(policy).text(text);
  return { text, secrets, masked: shown, shown: shown.replace(anyMark, '⟦⟧'), expected: masked.replace(anyMark, '⟦⟧') };
}

/** All texts that are masked by default. */
export const byDefault: readonly string[] = [promised, persons].flatMap((forms) => Object.values(forms).flat());

export const everything: readonly string[] = [...byDefault, ...Object.values(optional).flat()];
