/**
 * Reads the body of a request as JSON. Its size, levels and values are bounded before it is parsed, and the gateway answers other
 * requests between the parts of the work on a large one: one caller must not hold up all others.
 */

import { setImmediate } from 'node:timers/promises';
import { formatCount, type Json, parseJson } from '../../core/lib/index.js';
import { bodyBounds, type Operation } from '../../http/index.js';
import { JsonCounter } from './json-counter.js';
import { GatewayError } from './problems.js';
import { readBodyText } from './read-body.js';

/**
 * @param maxBytes of a body with files
 * @throws {GatewayError} `media_type_unsupported`, `request_too_large`, `request_invalid`
 */
export async function readJson(request: Request, { files }: Pick<Operation, 'files'>, maxBytes: number) {
  checkMediaType(request);
  const counter = new JsonCounter();
  const max = files === true ? maxBytes : Math.min(maxBytes, bodyBounds.bytes);
  const text = await readBodyText(request, max, (chunk) => {
    counter.add(chunk);
    checkCounts(counter);
  });
  if (text.length <= bodyBounds.bytes) return parseBody(text);
  await setImmediate();
  const value = parseBody(text);
  await setImmediate();
  return value;
}

/** JSON only: a page of another site can send forms and texts without a preflight, but not this media type. */
function checkMediaType({ headers }: Request): void {
  if (/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')) return;
  throw new GatewayError('media_type_unsupported', 'Send the body as JSON, with `content-type: application/json`.');
}

/** The rest of the body is not read: the connection cannot be used again. */
function checkCounts({ levels, values }: JsonCounter): void {
  if (levels > bodyBounds.levels)
    throw createExcess(levels, 'levels of lists and objects', bodyBounds.levels, 'Send a flatter value.');
  if (values > bodyBounds.values)
    throw createExcess(values, 'members and items', bodyBounds.values, 'Send fewer, or send them as a text.');
}

function createExcess(count: number, what: string, max: number, fix: string): GatewayError {
  const message = `The body has ${formatCount(count)} ${what} or more; the limit is ${formatCount(max)}. ${fix}`;
  return new GatewayError('request_invalid', message, { headers: { connection: 'close' } });
}

function parseBody(text: string): Json {
  if (text === '')
    throw new GatewayError('request_invalid', 'The body is empty. Send JSON: `{}` where all is optional.');
  const value = parseJson(text);
  if (value === undefined) throw new GatewayError('request_invalid', 'The body is not valid JSON.');
  return value;
}
