/** `longhand models update`: writes a project's own price map, and reports what changed. */

import { existsSync, readFileSync } from 'node:fs';
import { isObject, type JsonObject, LonghandError, toErrorMessage } from '../../core/lib/index.js';
import { createCatalogue, parsePriceMap, readPriceMap, readShippedMap } from '../../models/index.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { writeOutputFile } from '../terminal/write-out.js';

export interface UpdateFlags {
  readonly from: string;
  readonly out: string;
}

export interface DownloadLimits {
  /** Bytes, uncompressed. */
  readonly bytes: number;
  readonly ms: number;
}

/** LiteLLM's map has about 3 MB. */
export const mapLimits: DownloadLimits = { bytes: 30_000_000, ms: 60_000 };

/** Names of changed models that are printed. */
const shownNames = 8;

export async function updatePrices(terminal: Terminal, { from, out }: UpdateFlags): Promise<number> {
  const models = keepChatModels(parsePriceMap(await readSource(from), from));
  const catalogue = createCatalogue(models);
  // Rejects the map if one of its prices is not an amount per token.
  for (const name of catalogue.names) catalogue.find(name);
  const before = existsSync(out) ? readPriceMap(out) : readShippedMap();
  writeOutputFile(terminal, formatJson(models, 2), out);
  terminal.report(
    [
      ...describeChanges(before, models),
      `Use it with \`--prices ${out}\`, \`createWorker({ prices: '${out}' })\` or LONGHAND_PRICES=${out}.`,
    ].join('\n'),
  );
  return 0;
}

async function readSource(from: string): Promise<string> {
  try {
    return /^https?:\/\//.test(from) ? await downloadText(from, mapLimits) : readFileSync(from, 'utf8');
  } catch (error) {
    const message = `Cannot read the price map ${from} (${toErrorMessage(error)}). Name a file or an address of LiteLLM's map.`;
    throw new LonghandError('invalid_prices', message, { cause: error });
  }
}

/** Downloads a text, with a limit of its size and of the time until its last byte (L7). @throws {Error} with the cause as a clause */
export async function downloadText(address: string, { bytes: max, ms }: DownloadLimits): Promise<string> {
  const signal = AbortSignal.timeout(ms);
  try {
    const response = await fetch(address, { signal });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`the server answered with status ${response.status}`);
    }
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    // Leaving the loop closes the connection.
    for await (const piece of response.body ?? []) {
      bytes += piece.byteLength;
      if (bytes > max) throw new Error(`it has more than ${max} bytes`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  } catch (error) {
    if (signal.aborted) throw new Error(`it did not arrive within ${ms / 1000} s`, { cause: error });
    throw error;
  }
}

/** LiteLLM's map has prices of 0 for models whose prices it does not know. These providers run on the user's own machines. */
const freeProviders: readonly unknown[] = [
  'ollama',
  'ollama_chat',
  'lemonade',
  'lm_studio',
  'llamafile',
  'vllm',
  undefined,
];

/** Removes prices that are only placeholders: an unknown price must not count as free. */
function dropPlaceholders(entry: JsonObject): JsonObject {
  const { input_cost_per_token: input, output_cost_per_token: output, ...rest } = entry;
  const isPlaceholder = input === 0 && output === 0 && !freeProviders.includes(entry.litellm_provider);
  return isPlaceholder ? rest : entry;
}

/** Models that chains can call. An entry without a mode is one of a project's own map. */
function keepChatModels(map: JsonObject): JsonObject {
  const modes: readonly unknown[] = ['chat', 'responses', undefined];
  return Object.fromEntries(
    Object.entries(map).flatMap(([name, entry]) =>
      name !== 'sample_spec' && isObject(entry) && modes.includes(entry.mode) ? [[name, dropPlaceholders(entry)]] : [],
    ),
  );
}

function describeChanges(before: JsonObject, after: JsonObject): readonly string[] {
  const [old, now] = [createCatalogue(before), createCatalogue(after)];
  const added = now.names.filter((name) => !Object.hasOwn(before, name));
  const removed = old.names.filter((name) => !Object.hasOwn(after, name));
  const changed = now.names.filter((name) => {
    const price = JSON.stringify(now.find(name)?.price);
    return Object.hasOwn(before, name) && JSON.stringify(old.find(name)?.price) !== price;
  });
  const groups = { 'new models': added, 'models that are gone': removed, 'changed prices': changed };
  return Object.entries(groups).map(([title, names]) => {
    const more = names.length > shownNames ? `, and ${names.length - shownNames} more` : '';
    const list = names.length === 0 ? '' : `: ${names.slice(0, shownNames).join(', ')}${more}`;
    return `${names.length} ${title}${list}`;
  });
}
