/** Where an operation is requested: one of the document's servers with its variables, or the address that the options name. */

import { isIP } from 'node:net';
import { findOwn, isObject, type JsonObject, toList } from '../../core/lib/index.js';
import { classifyAddress, describeAddressKind } from '../http/index.js';
import { createOpenApiError, type OpenApiDocument } from './document.js';

export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The host, with the port if it is not that of the scheme: an entry of `allow`. */
  readonly host: string;
  /** Without a slash at its end. */
  readonly path: string;
}

export interface ServerOptions {
  readonly baseUrl?: string | undefined;
  readonly serverVariables?: Readonly<Record<string, string>> | undefined;
  readonly allowPrivate?: readonly string[] | undefined;
}

/** @throws {LonghandError} `invalid_options` */
export function findBaseUrl(
  { root }: OpenApiDocument,
  item: JsonObject,
  operation: JsonObject,
  options: ServerOptions,
): BaseUrl {
  if (options.baseUrl !== undefined) return parseBaseUrl(options.baseUrl, 'baseUrl');
  const [server] = [operation, item, root].flatMap(({ servers }) => toList(servers).slice(0, 1));
  if (!isObject(server) || typeof server.url !== 'string')
    throw createOpenApiError('the document names no server. Set baseUrl, such as https://api.example.com/v1.');
  const url = fillVariables(server.url, server, options.serverVariables ?? {});
  if (!/^[a-z]+:/i.test(url))
    throw createOpenApiError(
      `the server ${JSON.stringify(url)} has no host. Set baseUrl, such as https://api.example.com/v1.`,
    );
  const base = parseBaseUrl(url, 'the server');
  // An address in the options is a permission for it. One in a document gives no permission: a stranger may have written it.
  const address = new URL(base.origin).hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && classifyAddress(address) !== 'public' && !options.allowPrivate?.includes(base.host)) {
    const kind = describeAddressKind(classifyAddress(address));
    throw createOpenApiError(`the server ${base.host} is ${kind}. If it is meant, set baseUrl: '${url}'.`);
  }
  return base;
}

/** A value has no character with which a host would end, or another one begin. */
const valuePattern = /^[\w.~-]+(?:\/[\w.~-]+)*$/;

function fillVariables(url: string, server: JsonObject, values: Readonly<Record<string, string>>): string {
  const variables = isObject(server.variables) ? server.variables : {};
  const start = url.indexOf('/', url.indexOf('://') + 3);
  return url.replace(/\{([^{}]*)\}/g, (_, name: string, at: number) => {
    const variable = findOwn(variables, name);
    const value = findOwn(values, name) ?? (isObject(variable) ? variable.default : undefined);
    const where = `the variable ${JSON.stringify(name)} of the server ${url}`;
    if (typeof value !== 'string')
      throw createOpenApiError(`${where} has no value. Set serverVariables: { ${name}: '…' }.`);
    const allowed = isObject(variable) ? toList(variable.enum) : [];
    if (allowed.length > 0 && !allowed.includes(value))
      throw createOpenApiError(`${where} is ${JSON.stringify(value)}; expected ${allowed.join(', ')}.`);
    const isInHost = start === -1 || at < start;
    const isPlain = valuePattern.test(value) && !value.split('/').some((part) => part === '.' || part === '..');
    if (!isPlain || (isInHost && value.includes('/')))
      throw createOpenApiError(`${where} is ${JSON.stringify(value)}; write letters, digits, dots, - and _.`);
    return value;
  });
}

function parseBaseUrl(text: string, at: string): BaseUrl {
  const invalid = (why: string) => createOpenApiError(`${at} is ${JSON.stringify(text.slice(0, 200))}: ${why}.`);
  if (!/^https?:\/\/[^/?#@\\\s{}%]+(?:\/[^?#\\\s{}]*)?$/i.test(text))
    throw invalid('write it in full, without user name, query and blanks: https://api.example.com/v1');
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw invalid('it has no valid host');
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (text.replace(/^https?:\/\/[^/]*/i, '').replace(/\/+$/, '') !== path)
    throw invalid('write its path without . and .., and encoded');
  return { origin: url.origin, host: url.host, path };
}
