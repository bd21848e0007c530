/** The context of a call outside of a chain: nothing is logged, reported or stored. */

import type { ToolContext } from './tool-definition.js';

const ignore = () => {};

/** @param members those that replace the default ones */
export function createStandaloneContext(members: Partial<ToolContext<string>>): ToolContext<string> {
  return {
    signal: new AbortController().signal,
    idempotencyKey: crypto.randomUUID(),
    attempt: 1,
    chainId: 'no-chain',
    tenant: null,
    user: null,
    roles: [],
    step: 1,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    heartbeat: ignore,
    emit: ignore,
    visibility: ignore,
    secret: (name) => {
      throw new TypeError(`No secret ${name} outside of a chain. Pass \`secret\`: tool.execute(input, { secret }).`);
    },
    ask: async () => {
      throw new TypeError('Nobody answers outside of a chain. Pass `ask`: tool.execute(input, { ask }).');
    },
    artifact: async (name, content, { mediaType = 'application/octet-stream' } = {}) => {
      const bytes = await collectBytes(content);
      const digest = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
      return { name, digest: `sha256:${digest}`, bytes: bytes.length, mediaType };
    },
    ...members,
  };
}

async function collectBytes(content: Parameters<ToolContext['artifact']>[1]): Promise<Buffer<ArrayBuffer>> {
  if (typeof content === 'string') return Buffer.from(content);
  if (content instanceof Uint8Array) return Buffer.from(content);
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}
