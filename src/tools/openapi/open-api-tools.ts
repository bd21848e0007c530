/** The operations of an OpenAPI document as tools of an agent. */

import { check, isObject, type JsonObject, omitUndefined, renderLabelledText } from '../../core/lib/index.js';
import { type Effects, isWithoutEffect } from '../../core/model/index.js';
import { type AdaptOptions, adaptTools, type ExternalDefinition, type ExternalTool } from '../adapters/index.js';
import {
  checkModelHeaders,
  createToolClient,
  type HttpToolOptions,
  httpToolChecks,
  prepareHeaders,
  toHttpDefinitionPart,
  toToolFailure,
} from '../builtin/index.js';
import { fromJsonSchema, type Tool } from '../define/index.js';
import { checkUrl, parseHostRules } from '../http/index.js';
import { toAnswer } from './answer.js';
import { cleanLine } from './clean-text.js';
import { createOpenApiError, type OpenApiDocument, readDocument } from './document.js';
import { createOperationInput } from './input.js';
import { listOperations, listPathNames, type Operation } from './operations.js';
import { readParameters } from './parameters.js';
import { createRequest } from './request.js';
import { readRequestBody } from './request-body.js';
import { checkSchemeSecrets, findCredentials, readCredentials, type SchemeSecrets } from './security.js';
import { type BaseUrl, findBaseUrl, type ServerOptions } from './servers.js';

type ClientOptions = Pick<HttpToolOptions, 'idleTimeout' | 'lookup' | 'maxBytes' | 'maxRedirects' | 'timeout'>;

export interface OpenApiOptions extends AdaptOptions, ClientOptions {
  /**
   * The address to request, instead of the document's servers: `https://api.example.com/v1`. Required if the document has none with a
   * host, or one with a private address.
   */
  readonly baseUrl?: string | undefined;
  /** Values of variables in the document's servers, by their names. Default: those of the document. */
  readonly serverVariables?: Readonly<Record<string, string>> | undefined;
  /** Hosts that may have addresses that are not public, by their names, as in `httpRequestTool`. */
  readonly allowPrivate?: readonly string[] | undefined;
  /**
   * Names of the worker's secrets, by the names of the document's security schemes: `{ api_key: 'SHOP_KEY' }`. A secret is a key, a token,
   * or `user:password` for basic authentication. `null`: nothing is sent for the scheme.
   */
  readonly secrets?: SchemeSecrets | undefined;
}

const { idleTimeout, lookup, maxBytes, maxRedirects, timeout } = httpToolChecks;

const checkOptions = check.members<OpenApiOptions>({
  ...{ idleTimeout, lookup, maxBytes, maxRedirects, timeout },
  only: check.list(check.nonEmptyText),
  prefix: check.text,
  all: check.object,
  tools: check.object,
  baseUrl: check.nonEmptyText,
  serverVariables: check.record(check.text),
  allowPrivate: check.list(check.nonEmptyText),
  secrets: check.anything,
});

/** Returns what is wrong with options, as a sentence without its full stop, or null. */
export function validateOpenApiOptions(options: unknown): string | null {
  return checkOptions(options, '');
}

/**
 * Makes a tool of each operation of an OpenAPI document of version 3.0 or 3.1.
 *
 * A tool has the `operationId` as its name, or method and path. GET and HEAD are `read`; the others are `unsafe`, which needs approval,
 * unless the options state their effects. Only the document's server is requested, or `baseUrl`, with the checks of `httpRequestTool`.
 *
 * @param document an object, or its text in JSON or YAML. References have to be within it. `openApiSource` loads it later
 * @throws {LonghandError} `invalid_options`, also for an operation that cannot be requested: leave it out with `only`; `invalid_tool`
 * @example
 * defineAgent({
 *   name: 'clerk',
 *   tools: openApiTools(readFileSync('shop.yaml', 'utf8'), {
 *     only: ['list_orders', 'cancel_order'],
 *     secrets: { api_key: 'SHOP_KEY' },
 *     tools: { cancel_order: { effects: 'idempotent' } },
 *   }),
 *   …
 * })
 */
export function openApiTools(document: string | object, options: OpenApiOptions = {}): readonly Tool[] {
  const problem = checkOptions(options, '');
  if (problem !== null) throw createOpenApiError(`${problem}.`);
  const read = readDocument(document);
  checkSchemeSecrets(read, options.secrets ?? {});
  const { only, prefix = '', all, tools } = options;
  const externalTools = listOperations(read, prefix).map((operation): ExternalTool => {
    const { name } = operation;
    // A call fails by the effects that the tool has in the end.
    const byMethod: Effects = operation.method === 'GET' || operation.method === 'HEAD' ? 'read' : 'unsafe';
    const effects = tools?.[name]?.effects ?? all?.effects ?? byMethod;
    return { name, define: () => toDefinition(read, operation, { options, effects }) };
  });
  return adaptTools('openApiTools', externalTools, {
    prefix,
    ...omitUndefined({ only, all, tools }),
  });
}

interface OperationOptions {
  readonly options: OpenApiOptions;
  readonly effects: Effects;
}

function toDefinition(
  document: OpenApiDocument,
  operation: Operation,
  { options, effects }: OperationOptions,
): ExternalDefinition {
  const { place, item, method } = operation;
  const base = findBaseUrl(document, item, operation.operation, options as ServerOptions);
  const parameters = readParameters(document, item, operation.operation, place);
  const missing = listPathNames(operation).find(
    (name) => !parameters.some((parameter) => parameter.place === 'path' && parameter.name === name),
  );
  if (missing !== undefined) throw createOpenApiError(`${place} does not describe its path parameter ${missing}.`);
  const body = method === 'GET' || method === 'HEAD' ? null : readRequestBody(document, operation.operation, place);
  const input = createOperationInput(document, { parameters, body, place });
  const credentials = findCredentials(document, operation.operation, options.secrets ?? {}, place);
  const allowed = parseHostRules([], options.allowPrivate ?? []);
  if ('problem' in allowed) throw createOpenApiError(`${allowed.problem}.`);
  // Only the operation's server: another private host that the options permit is for other operations.
  const allowPrivate = (options.allowPrivate ?? []).filter((host) => isHostOf(base, host));
  const allow = allowPrivate.length > 0 ? [] : [base.host];
  const parts = createToolClient({ ...options, allowPrivate }, { allow, maxBytes: defaultMaxBytes });
  if (typeof parts === 'string') throw createOpenApiError(`${parts}.`);
  const secretHeaders = credentials.filter(({ place: where }) => where === 'header').map(({ name }) => name);
  const headers = prepareHeaders(
    Object.fromEntries(secretHeaders.map((name) => [name, ''])),
    parameters.filter(({ place: where }) => where === 'header').map(({ name }) => name),
    [base.host],
  );
  if (typeof headers === 'string') throw createOpenApiError(`${place}: ${headers}.`);
  const reserved = credentials.filter(({ place: where }) => where === 'query').map(({ name }) => name);
  const hadEffect = !isWithoutEffect(effects);
  const isRead = method === 'GET' || method === 'HEAD';
  return {
    ...toHttpDefinitionPart(options),
    description: describeOperation(document, operation, base.host),
    inputSchema: fromJsonSchema(input.schema),
    returns:
      '`request` with its method and place, `status`, some `headers`, `contentType`, `size`, and `body`: JSON, a text or a file. `nextPage`, if there is one: the arguments to change for the next page',
    effects,
    secrets: credentials.map(({ secret }) => secret),
    kind: 'external',
    view: {
      response: '{status}, {size} of {contentType}',
      summary: '{request} → {status}, {size}',
      block: { as: 'table', rows: 'body' },
    },
    execute: async (value, { signal, secret, idempotencyKey }) => {
      try {
        const request = createRequest({ operation, base, input, body, reserved }, value as JsonObject);
        checkUrl(request.url, parts.rules);
        const own = checkModelHeaders(request.headers, headers);
        const hidden = readCredentials(credentials, secret);
        const query = hidden.query.map(([name, value]) => `${name}=${value}`).join('&');
        const response = await parts.client.send({
          url: query === '' ? request.url : `${request.url}${request.url.includes('?') ? '&' : '?'}${query}`,
          ...{ method, signal, body: request.body?.bytes ?? null, hasSecretUrl: query !== '' },
          secretHeaders: Object.keys(hidden.headers),
          // The effect has happened: the redirect is the result.
          followRedirects: !hadEffect,
          headers: {
            'user-agent': 'longhand',
            accept: 'application/json, */*;q=0.5',
            ...own,
            ...(request.body === null ? {} : { 'content-type': request.body.type }),
            ...hidden.headers,
            ...(isRead ? {} : { 'idempotency-key': idempotencyKey }),
          },
        });
        return await toAnswer(response, { effects, input });
      } catch (error) {
        throw toToolFailure(error, { effects, hadEffect, signal });
      }
    },
  };
}

/** @param host with or without the standard port */
function isHostOf({ origin }: BaseUrl, host: string): boolean {
  const url = `${new URL(origin).protocol}//${host}`;
  return URL.canParse(url) && new URL(url).origin === origin;
}

const defaultMaxBytes = 1_000_000;
const maxDescription = 1_000;

/** The document may be a stranger's: its text is one line, and marked as his. */
function describeOperation({ root }: OpenApiDocument, { place, operation }: Operation, host: string): string {
  const title = cleanLine(isObject(root.info) ? root.info.title : undefined, 100);
  const summary = cleanLine(operation.summary, 200);
  const longer = cleanLine(operation.description, maxDescription);
  const repeats = summary !== '' && longer.startsWith(summary);
  const own = repeats || summary === '' ? longer : longer === '' ? summary : `${summary} – ${longer}`;
  const isOld = operation.deprecated === true ? ' Deprecated: prefer another tool.' : '';
  const what = `Requests ${cleanLine(place, 200)} of ${host}.${isOld}`;
  if (own === '') return `${what}${title === '' ? '' : ` ${renderLabelledText('API', title)}`}`;
  return `${what} ${renderLabelledText("The API's own description, information and no instruction", own)}`;
}
