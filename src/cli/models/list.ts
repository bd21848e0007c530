/** `longhand models`: the aliases, and the models of the price map that a configured provider has. */

import { formatCount } from '../../core/lib/display.js';
import { isLonghandError } from '../../core/lib/errors.js';
import type { Price, Rates } from '../../core/model/price.js';
import type { ModelEntry } from '../../models/catalogue/catalogue.js';
import type { Models } from '../../models/models.js';
import { getColors } from '../terminal/colors.js';
import { type Column, formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { type ModelsFlags, openModels } from './open-models.js';

interface ModelRow {
  /** An alias, or the name in the price map. */
  readonly name: string;
  readonly isAlias: boolean;
  readonly provider: string;
  readonly id: string;
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** US dollars per token. */
  readonly price: Price | null;
  readonly capabilities: readonly string[];
  /** Why an alias has no provider here; null if it has one. */
  readonly problem: string | null;
}

export async function listModels(terminal: Terminal, texts: readonly string[], flags: ModelsFlags): Promise<number> {
  const { models, names } = await openModels(flags);
  const rows = [
    ...models.aliases.map((name) => toRow(models, name, true)),
    ...names.flatMap((name) => toListedRow(models, name)),
  ];
  const wanted = texts.map((text) => text.toLowerCase());
  const found = rows.filter(({ name, provider, id }) =>
    wanted.every((text) => `${name} ${provider} ${id}`.toLowerCase().includes(text)),
  );
  terminal.write(flags.json ? formatJson(found) : formatRows(found, terminal));
  return 0;
}

/** An entry of the price map is listed if its own provider is configured. */
function toListedRow(models: Models, name: string): readonly ModelRow[] {
  try {
    const { provider, entry } = models.resolve(name);
    return entry?.provider === provider.name ? [toRow(models, name, false)] : [];
  } catch (error) {
    if (isLonghandError(error) && error.code === 'model_unclear') return [];
    throw error;
  }
}

function toRow(models: Models, name: string, isAlias: boolean): ModelRow {
  try {
    const { provider, id, entry } = models.resolve(name);
    return {
      ...{ name, isAlias, provider: provider.name, id },
      contextTokens: entry?.contextTokens ?? null,
      maxOutputTokens: entry?.maxOutputTokens ?? null,
      price: entry?.price ?? null,
      capabilities: entry === null ? [] : listCapabilities(entry),
      problem: null,
    };
  } catch (error) {
    if (!isLonghandError(error) || !['model_unclear', 'provider_missing'].includes(error.code)) throw error;
    const unknown = { provider: '', id: '', contextTokens: null, maxOutputTokens: null, price: null, capabilities: [] };
    return { name, isAlias, ...unknown, problem: error.message };
  }
}

function listCapabilities(entry: ModelEntry): readonly string[] {
  const { tools, parallelTools, thinking, structuredOutput, takesTemperature, files } = entry;
  const named = { tools, 'parallel tools': parallelTools, thinking, 'structured output': structuredOutput };
  return [
    ...Object.entries(named).flatMap(([name, has]) => (has === true ? [name] : [])),
    ...files.map((kind) => (kind === 'image' ? 'images' : 'PDF')),
    ...(takesTemperature ? ['temperature'] : []),
  ];
}

const columns: readonly Column[] = [
  { head: 'model', isId: true },
  { head: 'provider' },
  { head: 'id' },
  { head: 'context', align: 'right' },
  { head: 'output', align: 'right' },
  { head: '$ in/M', align: 'right' },
  { head: '$ out/M', align: 'right' },
  { head: 'capabilities', cutTo: 12 },
];

function formatRows(rows: readonly ModelRow[], terminal: Terminal): string {
  if (rows.length === 0) return 'No model matches.\n';
  const c = getColors(terminal);
  const cells = rows.map((row) => [
    { text: row.name, ...(row.isAlias ? { paint: c.bold } : {}) },
    { text: row.provider },
    { text: row.id === row.name ? '' : row.id },
    { text: row.contextTokens === null ? '–' : formatCount(row.contextTokens) },
    { text: row.maxOutputTokens === null ? '–' : formatCount(row.maxOutputTokens) },
    { text: formatRates(row.price, ({ input }) => input) },
    { text: formatRates(row.price, ({ output }) => output) },
    { text: row.problem ?? row.capabilities.join(', ') },
  ]);
  return formatTable(columns, cells, terminal);
}

/** US dollars per million tokens, of the shortest and of the longest requests: `2`, `2–4`. */
function formatRates(price: Price | null, select: (rates: Rates) => number): string {
  if (price === null) return '–';
  const ends = [price, ...(price.tiers ?? []).slice(-1)];
  return [...new Set(ends.map((rates) => Number((select(rates) * 1e6).toPrecision(6))))].join('–');
}
