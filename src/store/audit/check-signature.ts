/** Looks at signatures with the public keys at hand, of which those count that somebody trusts. */

import type { CheckSignature } from '../../core/audit/verify.js';
import { own } from '../../core/lib/json.js';
import { isSignedWith, keyIdOf } from './key.js';

/**
 * @param keys public keys in PEM, by the ids that they claim
 * @param trusted ids of the keys that count; null: all that are at hand
 */
export function signatureCheck(
  keys: { readonly [key: string]: string },
  trusted: readonly string[] | null,
): CheckSignature {
  return (key, text, signature) => {
    const publicKey = own(keys, key);
    // A key that goes by another's id is that of somebody else.
    if (publicKey === undefined || keyIdOf(publicKey) !== key) return 'unknown';
    if (trusted !== null && !trusted.includes(key)) return 'unknown';
    return isSignedWith(publicKey, text, signature) ? 'good' : 'bad';
  };
}
