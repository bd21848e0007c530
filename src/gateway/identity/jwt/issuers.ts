/** The issuers of tokens that a gateway accepts: their options, checked and completed. */

import { createPublicKey } from 'node:crypto';
import type { JWK } from 'jose';
import { z } from 'zod';
import { findNearest, isLoopbackName, LonghandError } from '../../../core/lib/index.js';
import { type Scope, scopes } from '../../../http/index.js';
import { checkDuration, type Duration, toMilliseconds } from '../../../options/index.js';

/** Names from the outermost claim inwards. */
export type ClaimPath = readonly string[];

export interface TokenIssuer {
  /** The claim `iss`, exactly. */
  readonly issuer: string;
  /** A token needs one of them in `aud`. */
  readonly audience: readonly string[];
  readonly keys: { readonly kind: 'url'; readonly url: URL } | { readonly kind: 'list'; readonly keys: readonly JWK[] };
  readonly algorithms: readonly string[];
  /** Milliseconds by which clocks may differ. */
  readonly clockToleranceMs: number;
  /** Required `typ` of the header, such as `at+jwt`; null for any. */
  readonly type: string | null;
  readonly claims: { readonly [claim in keyof IssuerClaims]: ClaimPath | null };
  /** Where the token has no such claim. */
  readonly defaults: {
    readonly scopes: readonly Scope[];
    readonly roles: readonly string[] | null;
    readonly views: readonly string[];
  };
  /** Start of names of scopes in tokens, `longhand:`. */
  readonly scopePrefix: string;
  /** Tenant of all tokens: null for all tenants, undefined to read the claim. */
  readonly tenant: string | null | undefined;
  /** Null: tokens are of services. Undefined to read the claim. */
  readonly user: null | undefined;
  readonly reach: 'own' | 'all';
  readonly requestsPerMinute: number | null;
}

interface IssuerClaims {
  readonly tenant: unknown;
  readonly user: unknown;
  readonly roles: unknown;
  readonly scopes: unknown;
  readonly views: unknown;
}

/** All have two keys: with a shared secret, every verifier could issue tokens, and public keys would be taken for it. */
const knownAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const;
const defaultAlgorithms = ['RS256', 'ES256', 'EdDSA'] as const;

const name = z.string().min(1).max(200);
const names = z.array(name).max(100);

/** `org.id`; a list for names with dots. A URL is one name, as issuers write claims of their own. */
const claimPath = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)], 'expected a path such as org.id, or a list of names')
  .transform((path): ClaimPath => (typeof path !== 'string' ? path : path.includes('://') ? [path] : path.split('.')))
  .refine((path) => path.every((part) => part !== ''), 'has an empty name: expected a path such as org.id');

const keysUrl = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackName(url.hostname));
  if (url !== null && isSafe) return url;
  context.addIssue('expected an https URL; http is accepted for this machine only: keys could be replaced on the way');
  return z.NEVER;
});

const publicKey = z
  .looseObject({ kty: z.enum(['RSA', 'EC', 'OKP'], 'expected RSA, EC or OKP: a shared secret is not accepted') })
  .superRefine((key, context) => {
    if ('d' in key) context.addIssue('is a private key: list only its public members, without d');
    else if (!isPublicKey(key)) context.addIssue('is not a valid public key in the form of a JWK');
  });

function isPublicKey(key: { readonly [member: string]: unknown }): boolean {
  try {
    createPublicKey({ key: key as import('node:crypto').JsonWebKey, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

const duration = z.union([z.number(), z.string()]).transform((value, context) => {
  if (value === 0) return 0;
  const ms = checkDuration(value, '') === null ? toMilliseconds(value as Duration) : Number.NaN;
  if (ms <= 300_000) return ms;
  context.addIssue('expected milliseconds, or a text such as 10s; 5 minutes at most');
  return z.NEVER;
});

const claimsSchema = z.strictObject({
  tenant: claimPath.optional(),
  user: claimPath.optional(),
  roles: claimPath.optional(),
  scopes: claimPath.optional(),
  views: claimPath.optional(),
});

const issuerSchema = z
  .strictObject({
    issuer: z.string().min(1),
    audience: z
      .union([name, z.array(name).min(1)], 'expected the name of this gateway in aud')
      .transform((audience) => [audience].flat()),
    jwks: keysUrl.optional(),
    keys: z.array(publicKey).min(1).optional(),
    algorithms: z
      .array(z.enum(knownAlgorithms, `expected any of ${knownAlgorithms.join(', ')}`))
      .min(1)
      .default([...defaultAlgorithms]),
    clockTolerance: duration.default(5_000),
    type: z.string().min(1).optional(),
    claims: claimsSchema.default({}),
    defaults: z
      .strictObject({
        scopes: z.array(z.enum(scopes, `expected any of ${scopes.join(', ')}`)).optional(),
        roles: names.optional(),
        views: names.min(1).optional(),
      })
      .default({}),
    scopePrefix: z.string().default(''),
    tenant: name.nullable().optional(),
    user: z
      .null('expected null, for tokens of services; for tokens of users, name the claim in claims.user')
      .optional(),
    reach: z.enum(['own', 'all']).optional(),
    requestsPerMinute: z.number().int().positive().optional(),
  })
  .superRefine(({ jwks, keys, claims, defaults, tenant, user, reach }, context) => {
    const add = (path: readonly string[], message: string) =>
      context.addIssue({ code: 'custom', path: [...path], message });
    if ((jwks === undefined) === (keys === undefined))
      add(['jwks'], 'expected either jwks, the URL of the keys, or keys, a list of them');
    if ((claims.tenant === undefined) === (tenant === undefined))
      add(
        ['tenant'],
        'expected either claims.tenant, the claim with the tenant, or tenant: its name, or null for all tenants',
      );
    if (claims.user !== undefined && user === null)
      add(['user'], 'is null, but claims.user is stated: omit one of them');
    if (claims.scopes === undefined && defaults.scopes === undefined)
      add(
        ['defaults', 'scopes'],
        'expected scopes here or a claim in claims.scopes: without one, a token may do nothing',
      );
    if (user === null && reach === 'own') add(['reach'], 'is own, but tokens have no user: use all');
  });

/** Where issuers are written, for errors. */
export interface IssuerSource {
  readonly name: string;
  readonly code: 'invalid_options' | 'invalid_environment';
  /** Place of an issuer, before the names of its members. */
  readonly toPath: (index: number) => readonly PropertyKey[];
}

const inCode: IssuerSource = {
  name: 'the options',
  code: 'invalid_options',
  toPath: (index) => ['authentication', 'jwt', index],
};

/**
 * Checks and completes issuers.
 *
 * @param entries as `JwtIssuer`, from a file or from code
 * @throws {LonghandError} with the member and the fix
 */
export function toTokenIssuers(entries: readonly unknown[], source: IssuerSource = inCode): readonly TokenIssuer[] {
  const issuers = entries.map((entry, index) => {
    const parsed = issuerSchema.safeParse(entry);
    if (parsed.success) return toIssuer(parsed.data);
    const [issue = { path: [], message: 'is not valid' }] = parsed.error.issues;
    throw createIssuerError(source, { ...issue, path: [...source.toPath(index), ...issue.path] });
  });
  const twice = issuers.findIndex(({ issuer }, at) => issuers.findIndex((other) => other.issuer === issuer) < at);
  if (twice < 0) return issuers;
  throw createIssuerError(source, {
    message: 'is listed twice: list each issuer once',
    path: [...source.toPath(twice), 'issuer'],
  });
}

function toIssuer(config: z.output<typeof issuerSchema>): TokenIssuer {
  const { issuer, audience, jwks, keys, algorithms, clockTolerance, type, claims, defaults, scopePrefix } = config;
  const { tenant, user, reach = 'own', requestsPerMinute } = config;
  return {
    issuer,
    audience,
    algorithms,
    scopePrefix,
    tenant,
    user,
    reach,
    keys: jwks === undefined ? { kind: 'list', keys: (keys ?? []) as readonly JWK[] } : { kind: 'url', url: jwks },
    clockToleranceMs: clockTolerance,
    type: type ?? null,
    claims: {
      tenant: claims.tenant ?? null,
      user: claims.user ?? ['sub'],
      roles: claims.roles ?? null,
      scopes: claims.scopes ?? null,
      views: claims.views ?? null,
    },
    defaults: {
      scopes: defaults.scopes ?? [],
      roles: defaults.roles ?? (user === null ? null : []),
      views: defaults.views ?? ['end_user'],
    },
    requestsPerMinute: requestsPerMinute ?? null,
  };
}

const memberNames = Object.keys(issuerSchema.shape);

const claimNames = Object.keys(claimsSchema.shape);

interface IssuerIssue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
  /** Unknown members. */
  readonly keys?: readonly string[];
}

export function createIssuerError(
  { name: source, code }: Pick<IssuerSource, 'name' | 'code'>,
  { message, path, keys: [unknown] = [] }: IssuerIssue,
): LonghandError {
  const at = path.length === 0 ? '' : ` at ${path.join('.')}`;
  const nearest =
    unknown === undefined ? null : findNearest(unknown, path.at(-1) === 'claims' ? claimNames : memberNames);
  const hint = nearest === null ? '' : ` You may mean ${nearest}.`;
  return new LonghandError(
    code,
    `Invalid issuers of tokens in ${source}${at}: ${message.replace(/\.$/, '')}.${hint} docs/gateway-access.md has an example.`,
  );
}
