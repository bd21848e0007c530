/**
 * The secrets that this process has handed out lately. Whoever was given one may let it slip where nobody stands between:
 * in a line of the process's log, or in what it prints when it crashes. Both belong to the process, and so does this.
 */

import { LRUCache } from 'lru-cache';
import { createSecretMasker, noSecretMasker, type SecretMasker } from '../core/redact/known-secrets.js';

/** Where each call has other secrets, the oldest are forgotten: each is looked for in every line. */
const maxSecrets = 100;

const knownSecrets = new LRUCache<string, true>({ max: maxSecrets });
let registryMasker: SecretMasker = noSecretMasker;

/** @returns what hides just these */
export function registerSecrets(secrets: readonly string[]): SecretMasker {
  const fresh = secrets.filter((secret) => !knownSecrets.has(secret));
  for (const secret of secrets) knownSecrets.set(secret, true);
  if (fresh.length > 0) registryMasker = createSecretMasker([...knownSecrets.keys()]);
  return createSecretMasker(secrets);
}

/** Hides whatever has been handed out so far. */
export const registeredSecretsMasker: SecretMasker = {
  text: (text) => registryMasker.text(text),
  value: (value) => registryMasker.value(value),
};
