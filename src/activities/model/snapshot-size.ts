/** A snapshot is a fact of the history, so it has to fit into a payload of Temporal's. Strangers list the tools of sources. */

import { failureTypes, type PrepareAgentResult } from '../../contract/index.js';
import { type AgentSnapshot, defaults, type ToolSnapshot } from '../../core/model/index.js';
import { createFailure } from '../context/failures.js';

/** Tools that a message names. */
const maxNames = 3;

/** @throws a failure that names what is too large, and ends the chain */
export function checkSize<T extends PrepareAgentResult>(agent: string, prepared: T): T {
  const bytes = countBytes(prepared);
  if (bytes <= defaults.payloadBytes) return prepared;
  const snapshot: AgentSnapshot = 'tools' in prepared ? prepared : prepared.agent;
  const fix = findLargeSource(snapshot, bytes) ?? formatLargeTools(snapshot);
  throw createFailure(
    failureTypes.badDefinition,
    `The definition of agent ${agent} has ${formatBytes(bytes)} with its tools and first steps; Temporal's limit is ${formatBytes(defaults.payloadBytes)}. ${fix}`,
  );
}

/** Returns a sentence about the source that has most of all bytes; null without one. */
function findLargeSource({ tools }: AgentSnapshot, all: number): string | null {
  const sources = [...new Set(tools.map(({ source }) => source?.name ?? null))];
  const sizes = sources.map((source) => {
    const listed = tools.filter((tool) => (tool.source?.name ?? null) === source);
    return { source, count: listed.length, bytes: countBytes(listed) };
  });
  const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
  if (largest === undefined || largest.source === null || largest.bytes < all / 2) return null;
  const { source, count, bytes } = largest;
  return `${formatBytes(bytes)} are ${count} tools of the source ${source}. List those that the agent needs in its options: only: ['…'].`;
}

function formatLargeTools({ tools }: AgentSnapshot): string {
  const sizes = tools.map((tool: ToolSnapshot) => ({ name: tool.name, bytes: countBytes(tool) }));
  const largest = sizes.sort((a, b) => b.bytes - a.bytes).slice(0, maxNames);
  const names = largest.map(({ name, bytes }) => `${name} (${formatBytes(bytes)})`).join(', ');
  const largestTools = names === '' ? '' : ` The largest of ${tools.length} tools: ${names}.`;
  return `Use fewer tools (only: ['…'] of openApiTools), shorten the instructions or the descriptions and schemas of the tools, or branch earlier.${largestTools}`;
}

/** Returns the bytes of a value in a payload. */
export function countBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function formatBytes(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} bytes`;
}
