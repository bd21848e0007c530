/** Options of an issuer of tokens, as code and files state them: `longhand gateway --jwt FILE`. */

import type { JWK } from 'jose';
import { parse } from 'yaml';
import { toErrorMessage } from '../../../core/lib/index.js';
import type { Scope } from '../../../http/index.js';
import type { Duration } from '../../../options/index.js';
import { createIssuerError, type IssuerSource, toTokenIssuers } from './issuers.js';

/** `org.id`: the member `id` of the claim `org`. A list for names with dots; a URL is one name. */
export type JwtClaimPath = string | readonly string[];

export interface JwtIssuer {
  /** The claim `iss` of its tokens, exactly. */
  readonly issuer: string;
  /** The name of this gateway in `aud`; a token needs one of them. */
  readonly audience: string | readonly string[];
  /** URL of its keys. Either this or `keys`. */
  readonly jwks?: string;
  /** Its public keys. They change only with a restart. */
  readonly keys?: readonly JWK[];
  /** Default: RS256, ES256 and EdDSA. */
  readonly algorithms?: readonly string[];
  /** Time by which clocks may differ. Default: 5 s. */
  readonly clockTolerance?: Duration | 0;
  /** Required `typ` of a token's header, such as `at+jwt` for access tokens. Default: any. */
  readonly type?: string;
  /** Where the token has what. Without `user`: `sub`. */
  readonly claims?: {
    readonly tenant?: JwtClaimPath;
    readonly user?: JwtClaimPath;
    readonly roles?: JwtClaimPath;
    readonly scopes?: JwtClaimPath;
    readonly views?: JwtClaimPath;
  };
  /** For tokens without the claim. Default: no scopes, no roles, the view `end_user`. */
  readonly defaults?: {
    readonly scopes?: readonly Scope[];
    readonly roles?: readonly string[];
    readonly views?: readonly string[];
  };
  /** Start of the names of scopes in tokens, such as `longhand:`. Default: none. */
  readonly scopePrefix?: string;
  /** Tenant of all its tokens; null for all tenants. Either this or `claims.tenant`. */
  readonly tenant?: string | null;
  /** Null for tokens of services, which state the user. */
  readonly user?: null;
  /** Chains that a user reaches: only its own, or all of the tenant. Default: own. */
  readonly reach?: 'own' | 'all';
  /** Default: the gateway's. */
  readonly requestsPerMinute?: number;
}

/**
 * Parses a YAML or JSON file: one issuer, or several as `issuers`.
 *
 * @param source names the file in errors
 * @throws {LonghandError} `invalid_environment` with the member and the fix
 * @example
 * createGateway({ authentication: { jwt: parseJwtFile(readFileSync('tokens.yaml', 'utf8'), 'tokens.yaml') } })
 */
export function parseJwtFile(text: string, source: string): readonly JwtIssuer[] {
  const value = parseText(text, source);
  const isList = typeof value === 'object' && value !== null && 'issuers' in value && Array.isArray(value.issuers);
  const issuers: readonly unknown[] = isList ? (value.issuers as readonly unknown[]) : [value];
  const other = isList ? Object.keys(value).find((name) => name !== 'issuers') : undefined;
  const file: IssuerSource = {
    ...toFileSource(source),
    toPath: (index) => (isList ? ['issuers', index] : []),
  };
  if (other !== undefined)
    throw createIssuerError(file, { message: 'is unknown next to issuers: state it in an issuer', path: [other] });
  if (issuers.length === 0) throw createIssuerError(file, { message: 'lists no issuer', path: ['issuers'] });
  toTokenIssuers(issuers, file);
  return issuers as readonly JwtIssuer[];
}

function toFileSource(name: string): Pick<IssuerSource, 'name' | 'code'> {
  return { name, code: 'invalid_environment' };
}

function parseText(text: string, source: string): unknown {
  try {
    // An alias may expand to more than the file contains.
    return parse(text, { maxAliasCount: 100 });
  } catch (error) {
    const [what = ''] = toErrorMessage(error).split('\n');
    const message = `expected YAML or JSON (${what.replace(/:$/, '')})`;
    throw createIssuerError(toFileSource(source), { message, path: [] });
  }
}
