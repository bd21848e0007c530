/** A real issuer of tokens: its keys, an HTTP server with them, and tokens that it signs. */

import { exportJWK, type GenerateKeyPairResult, generateKeyPair, type JWK, SignJWT } from 'jose';
import { respond, useSite } from './http-site.js';

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: GenerateKeyPairResult['privateKey'];
  readonly jwk: JWK;
}

export async function createSigningKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export const issuerName = 'https://auth.acme.test/';
export const audience = 'longhand';

/** Signs a token that is valid but for what `more` changes. A claim that is undefined is left out. */
export function signToken(
  { privateKey, kid, alg }: SigningKey,
  more: Readonly<Record<string, unknown>> = {},
  header: Record<string, unknown> = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: issuerName, aud: audience, sub: 'ana', org: { id: 'acme' }, exp: now + 600, ...more };
  const given = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
  return new SignJWT(given).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
}

export interface KeySite {
  readonly url: string;
  /** Replaces the keys that the server has. */
  readonly publish: (...keys: readonly SigningKey[]) => void;
  /** Makes the server fail, or answer again. */
  readonly setDown: (down: boolean) => void;
  readonly countLoads: () => number;
}

/** Starts an HTTP server with keys, until the test ends. */
export async function useKeySite(...first: readonly SigningKey[]): Promise<KeySite> {
  let keys = first;
  let down = false;
  const site = await useSite((response, request) => {
    const body = JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
    respond(down ? 503 : 200, 'application/json', down ? 'down' : body)(response, request);
  });
  return {
    url: `http://127.0.0.1:${site.port}/jwks.json`,
    publish: (...next) => {
      keys = next;
    },
    setDown: (next) => {
      down = next;
    },
    countLoads: () => site.requests.length,
  };
}
