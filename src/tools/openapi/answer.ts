/** What an API answered, for the model: a result, or the error that the server describes. */

import { isObject, type Json, type JsonObject, removeInvisible, shorten, toOneLine } from '../../core/lib/index.js';
import { type Effects, isWithoutEffect } from '../../core/model/index.js';
import { shortenMasked, toRequestResult, toResultBody } from '../builtin/index.js';
import { isToolFile, NotDone, ToolError } from '../define/index.js';
import { HttpFailure, type HttpResponse, parseMediaType } from '../http/index.js';
import type { OperationInput } from './input.js';

const maxMessageLength = 1_500;

/** Statuses with which a server that did nothing asks to try again. */
const laterStatuses: ReadonlySet<number> = new Set([425, 429]);

/** Statuses of a server that ended the request at a time it does not state: it may have had its effect. */
const unknownStatuses: ReadonlySet<number> = new Set([408, 499]);

export interface AnswerContext {
  readonly effects: Effects;
  readonly input: OperationInput;
}

/** @throws {ToolError} @throws {NotDone} @throws {Error} as the effects of the tool demand */
export async function toAnswer(response: HttpResponse, { effects, input }: AnswerContext) {
  const { status, headers } = response;
  if (status >= 400) throw await toStatusError(response, effects);
  const hadEffect = !isWithoutEffect(effects);
  const result = await toRequestResult(response, { contentTypes: undefined, hadEffect }).catch((error: unknown) => {
    throw error instanceof HttpFailure && error.code === 'too_large' ? addSizeHint(error, input) : error;
  });
  const next = findNextPage(headers.link, response.url, input);
  return next === null ? result : { ...result, nextPage: next };
}

/** A client's fault changed nothing. Another attempt may help after the others, if the effects permit one. */
async function toStatusError(response: HttpResponse, effects: Effects): Promise<Error> {
  const { status, url, method } = response;
  const detail = await readDetail(response);
  const place = shorten(`${method} ${url.host}${url.pathname}`, 120);
  const message = `${place} answered with status ${status}${detail === '' ? '.' : `: ${detail}`}`;
  if (status >= 500 || unknownStatuses.has(status)) return new Error(message);
  if (effects === 'unsafe') return new NotDone(message);
  return laterStatuses.has(status) ? new Error(message) : new ToolError(message);
}

async function readDetail(response: HttpResponse): Promise<string> {
  try {
    const body = toResultBody(await response.read(), parseMediaType(response.headers['content-type']), response.url);
    if (body === null || isToolFile(body)) return '';
    return shortenMasked(toOneLine(removeInvisible(describeBody(body))), maxMessageLength);
  } catch {
    return '';
  }
}

/** Members that describe an error: of RFC 9457, JSON:API, OAuth and common habits. */
const messageNames = ['message', 'error_description', 'detail', 'title', 'error', 'reason'] as const;

function describeBody(body: Json): string {
  if (typeof body === 'string') return body;
  if (!isObject(body)) return JSON.stringify(body);
  const message = findMessage(body);
  const details = body.errors ?? body.details ?? body.fields;
  if (message === null) return JSON.stringify(body);
  return details === undefined ? message : `${message} ${JSON.stringify(details)}`;
}

function findMessage(body: JsonObject): string | null {
  for (const name of messageNames) {
    const value = body[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
    const inner = isObject(value) ? findMessage(value) : null;
    if (inner !== null) return inner;
  }
  return null;
}

/** Names of parameters with which a call receives less. */
const sizeNames =
  /^(?:limit|first|top|max|count|size|fields|select|page|offset|cursor|(?:page_?|per_?)(?:size|page|limit))$/i;

function addSizeHint(error: HttpFailure, { parameters }: OperationInput): HttpFailure {
  const names = [...parameters.keys()].filter((name) => sizeNames.test(name));
  const hint = names.length === 0 ? 'Request a smaller part.' : `Request less: set ${names.join(', ')}.`;
  return new HttpFailure(error.code, `${error.message} ${hint}`, error.sent);
}

/**
 * Returns the arguments that differ for the next page, as the header `Link` states it; the URL as a text where they are not those
 * of this operation.
 */
function findNextPage(link: string | undefined, from: URL, { parameters }: OperationInput): Json {
  const target = findNextLink(link ?? '');
  if (target === null || !URL.canParse(target, from.href)) return null;
  const next = new URL(target, from.href);
  const changed: [string, Json][] = [];
  for (const [name, value] of next.searchParams) {
    if (from.searchParams.get(name) === value) continue;
    const entry = [...parameters].find(([, parameter]) => parameter.place === 'query' && parameter.name === name);
    const typed = entry === undefined ? undefined : toArgument(value, entry[1].schema);
    if (entry === undefined || typed === undefined) return shortenMasked(next.href, 500);
    changed.push([entry[0], typed]);
  }
  const isSame = next.origin === from.origin && next.pathname === from.pathname && changed.length > 0;
  return isSame ? Object.fromEntries(changed) : shortenMasked(next.href, 500);
}

/** Reads `<https://…?page=2>; rel="next"` of a list of links. */
function findNextLink(link: string): string | null {
  for (const [, target = '', parameters = ''] of link.slice(0, 8_000).matchAll(/<([^<>]*)>([^<>]*)/g)) {
    if (/;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)/i.test(parameters)) return target;
  }
  return null;
}

function toArgument(value: string, schema: Json): Json | undefined {
  const type = isObject(schema) ? schema.type : undefined;
  if (type === 'string') return value;
  if (type === 'integer' || type === 'number') return Number.isFinite(Number(value)) ? Number(value) : undefined;
  if (type === 'boolean') return value === 'true';
  return undefined;
}
