/** How an operation is authorized: with which secrets, in which header or parameter. The model sees none of it. */

import { findOwn, isObject, type Json, type JsonObject, toList } from '../../core/lib/index.js';
import { isSecretName } from '../../secrets/index.js';
import { NotDone } from '../define/index.js';
import { createOpenApiError, type OpenApiDocument, resolvePart } from './document.js';
import { encode, type QueryPair } from './serialize.js';

/** Names of secrets by the names of the document's security schemes. Null: nothing is sent for the scheme. */
export type SchemeSecrets = Readonly<Record<string, string | null>>;

export interface Credential {
  readonly place: 'header' | 'query';
  /** Of the header, in lower case, or of the parameter. */
  readonly name: string;
  readonly secret: string;
  readonly form: 'plain' | 'bearer' | 'basic';
}

/**
 * Returns the credentials of an operation: the first alternative whose schemes all have secrets.
 *
 * @throws {LonghandError} `invalid_options` where no alternative has
 */
export function findCredentials(
  document: OpenApiDocument,
  operation: JsonObject,
  secrets: SchemeSecrets,
  place: string,
): readonly Credential[] {
  const required = operation.security ?? document.root.security;
  const alternatives = toList(required).map((requirement) => Object.keys(isObject(requirement) ? requirement : {}));
  if (alternatives.length === 0) return [];
  // With credentials before without.
  const chosen =
    alternatives.find((schemes) => schemes.length > 0 && schemes.every((name) => Object.hasOwn(secrets, name))) ??
    alternatives.find((schemes) => schemes.length === 0);
  if (chosen === undefined) {
    const [first = []] = alternatives;
    const names = first.filter((name) => !Object.hasOwn(secrets, name));
    const example = names.map((name) => `${JSON.stringify(name)}: 'NAME_OF_THE_SECRET'`).join(', ');
    throw createOpenApiError(`${place} needs credentials. Set secrets: { ${example} }, or null to send none.`);
  }
  return chosen.flatMap((name) => {
    const secret = findOwn<string | null>(secrets, name);
    return typeof secret === 'string' ? [readScheme(document, name, secret)] : [];
  });
}

function readScheme(document: OpenApiDocument, name: string, secret: string): Credential {
  const at = `the security scheme ${JSON.stringify(name)}`;
  const scheme = resolvePart(document, findScheme(document, name), at);
  const { type } = scheme;
  if (type === 'apiKey' && (scheme.in === 'header' || scheme.in === 'query') && typeof scheme.name === 'string')
    return {
      place: scheme.in,
      name: scheme.in === 'header' ? scheme.name.toLowerCase() : scheme.name,
      ...{ secret, form: 'plain' },
    };
  const form = type === 'http' ? String(scheme.scheme).toLowerCase() : 'bearer';
  const isToken = type === 'oauth2' || type === 'openIdConnect' || type === 'http';
  if (isToken && (form === 'bearer' || form === 'basic'))
    return { place: 'header', name: 'authorization', secret, form };
  const kind = type === 'apiKey' ? `apiKey in ${String(scheme.in)}` : `${String(type)} ${String(scheme.scheme ?? '')}`;
  const supported = 'apiKey in header or query, http bearer and basic, oauth2 and openIdConnect with a token';
  throw createOpenApiError(`${at} is ${kind.trim()}, which is not supported. Supported: ${supported}.`);
}

function findScheme({ root }: OpenApiDocument, name: string): Json | undefined {
  const schemes = isObject(root.components) ? root.components.securitySchemes : undefined;
  return isObject(schemes) ? findOwn(schemes, name) : undefined;
}

/** @throws {LonghandError} `invalid_options` for a name that is not a secret's, or that no scheme has */
export function checkSchemeSecrets({ root }: OpenApiDocument, secrets: SchemeSecrets): void {
  const schemes = isObject(root.components) && isObject(root.components.securitySchemes);
  const known = schemes ? Object.keys((root.components as JsonObject).securitySchemes as JsonObject) : [];
  for (const [name, secret] of Object.entries(secrets)) {
    if (!known.includes(name)) {
      const hint = known.length === 0 ? 'It has none' : `It has: ${known.join(', ')}`;
      throw createOpenApiError(`the document has no security scheme ${JSON.stringify(name)}. ${hint}.`);
    }
    if (secret !== null && !isSecretName(secret))
      throw createOpenApiError(`secrets.${name} must be the name of a secret, such as 'API_KEY', or null.`);
  }
}

export interface ReadCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly QueryPair[];
}

/** @throws {NotDone} for a secret that cannot be in a header */
export function readCredentials(credentials: readonly Credential[], secret: (name: string) => string): ReadCredentials {
  const headers: Record<string, string> = {};
  const query: QueryPair[] = [];
  for (const { place, name, secret: secretName, form } of credentials) {
    const value = secret(secretName);
    if (place === 'query') {
      query.push([encode(name), encode(value)]);
      continue;
    }
    const basic = () => `Basic ${Buffer.from(value).toString('base64')}`;
    const headerValue = form === 'plain' ? value : form === 'bearer' ? `Bearer ${value}` : basic();
    if (!/^[\t\x20-\x7e]*$/.test(headerValue))
      throw new NotDone(`The secret ${secretName} cannot be sent: it has characters that a header must not have.`);
    headers[name] = headerValue;
  }
  return { headers, query };
}
