/**
 * The secrets that this process has read lately. They are masked in the process's log and crash output, where no chain's
 * masker applies; hence one registry per process.
 */

import { LRUCache } from 'lru-cache';
import { createSecretMasker, noSecretMasker, type SecretMasker } from '../core/redact/index.js';

/** The oldest are dropped: every line is searched for each secret. */
const maxSecrets = 100;

const knownSecrets = new LRUCache<string, true>({ max: maxSecrets });
let registryMasker: SecretMasker = noSecretMasker;

/** Adds secrets to the registry; returns a masker of just these. */
export function registerSecrets(secrets: readonly string[]): SecretMasker {
  const fresh = secrets.filter((secret) => !knownSecrets.has(secret));
  for (const secret of secrets) knownSecrets.set(secret, true);
  if (fresh.length > 0) registryMasker = createSecretMasker([...knownSecrets.keys()]);
  return createSecretMasker(secrets);
}

/** Masks all registered secrets. */
export const registeredSecretsMasker: SecretMasker = {
  text: (text) => registryMasker.text(text),
  value: (value) => registryMasker.value(value),
};
