/**
 * The headers of a request: those that the tool's author sets, secrets among them, and the few that the model may set.
 *
 * S1 A secret goes only to the hosts that its header is for, and never through the model.
 */

import { isObject } from '../../../core/lib/index.js';
import { isSecretName } from '../../../secrets/index.js';
import { NotDone } from '../../define/index.js';
import {
  type CheckedUrl,
  type HostRule,
  listFittingRules,
  listMatchingRules,
  parseHostRules,
} from '../../http/index.js';

/** A header whose value is a secret of the worker. */
export interface SecretHeader {
  /** Name of the secret, as in `secrets` of `defineTool`. */
  readonly secret: string;
  /** Written before the secret, such as `'Bearer '`. */
  readonly prefix?: string | undefined;
  /** The hosts that get it, as in `allow`. Required if `allow` has several entries. Default: the one entry of `allow`. */
  readonly hosts?: readonly string[] | undefined;
}

export type RequestHeaders = Readonly<Record<string, string | SecretHeader>>;

interface PreparedSecret {
  readonly header: string;
  readonly secret: string;
  readonly prefix: string;
  readonly rules: readonly HostRule[];
}

export interface PreparedHeaders {
  readonly plain: Readonly<Record<string, string>>;
  readonly secrets: readonly PreparedSecret[];
  /** Names that the model may set. */
  readonly open: ReadonlySet<string>;
}

/** Headers that describe what the model wants or sends. */
export const defaultOpenHeaders = ['accept', 'accept-language', 'content-type', 'if-modified-since', 'if-none-match'];

/** Headers that frame the message or route it: the client alone sets them. */
const reservedHeaders: ReadonlySet<string> = new Set([
  ...['accept-encoding', 'connection', 'content-length', 'expect', 'forwarded', 'host', 'http2-settings', 'keep-alive'],
  ...['proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'via'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-http-method-override', 'x-original-url'],
  ...['x-http-method', 'x-method-override', 'x-rewrite-url', 'x-real-ip'],
]);

const namePattern = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Visible ASCII, blanks and tabs: no line break can begin another header. */
const valuePattern = /^[\t\x20-\x7e]*$/;
const maxValueLength = 4_096;

/**
 * Returns the headers, or what is wrong with them, without a full stop.
 *
 * @param allowed all hosts that the tool may request
 */
export function prepareHeaders(
  headers: unknown,
  openHeaders: readonly string[],
  allowed: readonly string[],
): PreparedHeaders | string {
  if (!isObject(headers)) return "headers must be an object, such as { authorization: { secret: 'API_KEY' } }";
  const plain: Record<string, string> = {};
  const secrets: PreparedSecret[] = [];
  for (const [written, value] of Object.entries<unknown>(headers)) {
    const name = written.toLowerCase();
    if (!namePattern.test(name))
      return `headers contains ${JSON.stringify(written)}, which is not the name of a header`;
    if (reservedHeaders.has(name)) return `headers contains ${written}, which the client sets itself`;
    if (typeof value === 'string') {
      if (!isHeaderValue(value)) return `headers.${written} has characters that a header must not have`;
      plain[name] = value;
      continue;
    }
    const prepared = prepareSecret(name, value, allowed);
    if (typeof prepared === 'string') return `headers.${written} ${prepared}`;
    secrets.push(prepared);
  }
  const open = openHeaders.map((name) => name.toLowerCase());
  const reserved = open.find((name) => reservedHeaders.has(name) || !namePattern.test(name));
  if (reserved !== undefined) return `modelHeaders contains ${reserved}, which a model must not set`;
  const fixed = new Set([...Object.keys(plain), ...secrets.map(({ header }) => header)]);
  return { plain, secrets, open: new Set(open.filter((name) => !fixed.has(name))) };
}

function prepareSecret(header: string, value: unknown, allowed: readonly string[]): PreparedSecret | string {
  if (!isObject(value) || !isSecretName(value.secret))
    return "must be a text, or { secret: 'NAME' } with the name of a secret";
  const { secret, prefix = '', hosts = allowed, ...others } = value as unknown as SecretHeader;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return `has the unknown member ${unknown}; expected secret, prefix, hosts`;
  if (typeof prefix !== 'string' || !isHeaderValue(prefix)) return 'has an invalid prefix';
  const isList = Array.isArray(hosts) && hosts.length > 0 && hosts.every((host) => typeof host === 'string');
  if (!isList || hosts.some((host) => /^\*(?::|$)/.test(host)) || (hosts === allowed && hosts.length > 1))
    return `needs the hosts that get the secret: { secret: '${secret}', hosts: ['api.example.com'] }`;
  const parsed = parseHostRules(hosts, []);
  return 'problem' in parsed ? `has invalid hosts: ${parsed.problem}` : { header, secret, prefix, rules: parsed.rules };
}

function isHeaderValue(value: string): boolean {
  return value.length <= maxValueLength && valuePattern.test(value);
}

/** @throws {NotDone} for a header that the model must not set */
export function checkModelHeaders(
  headers: Readonly<Record<string, string>>,
  { open }: PreparedHeaders,
): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const [name, value] of entries) {
    if (!open.has(name)) {
      const allowed = open.size === 0 ? 'none' : [...open].join(', ');
      throw new NotDone(
        `The header ${JSON.stringify(name.slice(0, 100))} cannot be set. Allowed: ${allowed}. Nothing was sent.`,
      );
    }
    if (!isHeaderValue(value))
      throw new NotDone(
        `The header ${name} is invalid: write at most ${maxValueLength} ASCII characters in one line. Nothing was sent.`,
      );
  }
  return Object.fromEntries(entries);
}

/** Returns the secret headers for a URL (S1). @throws {NotDone} for a secret that cannot be in a header */
export function readSecretHeaders(
  { secrets }: PreparedHeaders,
  target: CheckedUrl,
  secret: (name: string) => string,
): Readonly<Record<string, string>> {
  const fitting = secrets.filter(
    ({ rules }) => listFittingRules(listMatchingRules(rules, target.host), target).length > 0,
  );
  const entries = fitting.map(({ header, prefix, secret: name }) => {
    const value = `${prefix}${secret(name)}`;
    if (!isHeaderValue(value))
      throw new NotDone(`The secret ${name} cannot be sent: it has characters that a header must not have.`);
    return [header, value] as const;
  });
  return Object.fromEntries(entries);
}
