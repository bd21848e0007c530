/** One secret, from whatever provider: there, not there, or not to be had. */

import type { SecretProvider, SecretScope } from './secret-provider.js';

export type ReadSecret =
  | { readonly kind: 'found'; readonly value: string }
  | { readonly kind: 'missing' }
  /** `why` is a kind of error: what a provider says of it may hold its own keys. */
  | { readonly kind: 'unreadable'; readonly why: string };

/** Never rejects. */
export async function readSecret(provider: SecretProvider, name: string, scope: SecretScope): Promise<ReadSecret> {
  try {
    const value: unknown = await provider.get(name, scope);
    return typeof value === 'string' && value.trim() !== '' ? { kind: 'found', value } : { kind: 'missing' };
  } catch (error) {
    return { kind: 'unreadable', why: kindOf(error) };
  }
}

function kindOf(error: unknown): string {
  const { code, name } = Object(error) as Record<string, unknown>;
  const isKind = (word: unknown): word is string => /^(?:E[A-Z_]{2,20}|[A-Za-z]{0,30}Error)$/.test(String(word));
  return [code, name].find(isKind) ?? 'an error';
}
