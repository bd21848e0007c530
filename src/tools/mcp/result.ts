/** Converts the result of an MCP tool: text, JSON and files. */

import { isObject, type Json, type JsonObject, type JsonValidator } from '../../core/lib/index.js';
import { file } from '../define/index.js';

export interface McpResult {
  readonly isError: boolean;
  /** JSON with files anywhere in it. */
  readonly value: unknown;
  /** What is wrong with it; null if nothing is. */
  readonly problem: string | null;
}

/** Parts of a result that are converted. */
const maxParts = 200;

export function readResult(result: JsonObject, validateOutput: JsonValidator | null): McpResult {
  const { content = [], structuredContent, isError } = result;
  if (!Array.isArray(content)) return malformed('its content is not a list');
  if (structuredContent === undefined && !('content' in result)) return malformed('it has no content');
  const parts = content.slice(0, maxParts).map(toPart);
  const left = content.length - maxParts;
  if (left > 0) parts.push(`[${left} more parts were left out]`);
  if (isError === true) return { isError: true, value: joinParts(parts), problem: null };
  if (structuredContent === undefined) {
    const problem = validateOutput === null ? null : 'it has no structured content, which its schema describes';
    return { isError: false, value: joinParts(parts), problem };
  }
  if (!isObject(structuredContent)) return malformed('its structured content is not an object');
  // By the protocol, the texts repeat the structured content.
  const files = parts.filter((part) => typeof part !== 'string');
  const problems = validateOutput?.(structuredContent) ?? [];
  return {
    isError: false,
    value: files.length === 0 ? structuredContent : { result: structuredContent, files },
    problem:
      problems.length === 0
        ? null
        : `its structured content does not match its schema: ${problems.join(' ').replace(/\.$/, '')}`,
  };
}

function malformed(problem: string): McpResult {
  return { isError: false, value: null, problem };
}

function joinParts(parts: readonly unknown[]): unknown {
  if (parts.every((part) => typeof part === 'string')) return parts.join('\n');
  return parts.length === 1 ? parts[0] : parts;
}

/** A part of a result or of a prompt: a text, or a file. */
export function toPart(part: Json, index: number): unknown {
  if (!isObject(part)) return '[a part of the result is malformed]';
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? part.text : '[a text of the result is malformed]';
    case 'image':
    case 'audio':
      return toFile(part.data, part.mimeType, `${part.type}-${index + 1}`);
    case 'resource_link':
      return `[resource ${[part.uri, part.name, part.description].filter((text) => typeof text === 'string').join(' · ')}]`;
    case 'resource':
      return toResource(part.resource, index);
    default:
      return `[a part of the unknown type ${JSON.stringify(part.type)} was left out]`;
  }
}

/** An embedded resource, or one that was read: its text after its URI, or a file. */
export function toResource(resource: Json | undefined, index: number): unknown {
  if (!isObject(resource)) return '[a resource of the result is malformed]';
  const { uri, text, blob, mimeType } = resource;
  const place = typeof uri === 'string' ? uri : 'without a URI';
  if (typeof text === 'string') return `[resource ${place}]\n${text}`;
  if (typeof blob !== 'string') return `[the resource ${place} has no content]`;
  return toFile(blob, mimeType, findFileName(place) ?? `resource-${index + 1}`);
}

function toFile(data: Json | undefined, mediaType: Json | undefined, name: string): unknown {
  if (typeof data !== 'string' || !/^[A-Za-z0-9+/_-]+=*\s*$/.test(data)) return `[the content of ${name} is malformed]`;
  const known = typeof mediaType === 'string' && /^[\w.+-]{1,60}\/[\w.+-]{1,80}$/.test(mediaType) ? mediaType : null;
  const end = known === null || name.includes('.') ? '' : `.${known.split('/')[1]?.split(/[+.]/)[0] ?? 'bin'}`;
  return file({
    name: `${name}${end}`,
    data: Buffer.from(data, 'base64'),
    ...(known === null ? {} : { mediaType: known }),
  });
}

function findFileName(uri: string): string | null {
  return /([\w.-]{1,80})$/.exec(uri)?.[1] ?? null;
}
