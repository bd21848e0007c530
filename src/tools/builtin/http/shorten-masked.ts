/** Shortens a text of a server. Secrets are masked first: a part of one is not found later. */

import { shorten } from '../../../core/lib/index.js';
import { registeredSecretsMasker } from '../../../secrets/index.js';

export function shortenMasked(text: string, maxLength: number): string {
  return shorten(registeredSecretsMasker.text(text), maxLength);
}
