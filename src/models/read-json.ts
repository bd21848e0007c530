/** What a client of the Messages API has sent, for whoever plays the server: the body as JSON, or that it is none. */

import type { IncomingMessage } from 'node:http';
import { isObject, type JsonObject } from '../core/lib/json.js';

export async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Null for what is not one JSON object. */
export function jsonObject(text: string): JsonObject | null {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}
