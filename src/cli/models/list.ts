/** `longhand models`: the aliases, and the models of the price map that a configured provider has. */

import { formatCount, isLonghandError } from '../../core/lib/index.js';
import type { Price, Rates } from '../../core/model/index.js';
import type { ModelDefinition, ModelEntry, Models } from '../../models/index.js';
import { getColors } from '../terminal/colors.js';
import { type Column, formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { wrapText } from '../terminal/text.js';
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
  /** Provider whose price it is in the price map; null for that of the row, or an own price. */
  readonly priceOf: string | null;
  readonly capabilities: readonly string[];
  readonly region: string | null;
  /** Classes of data that it may see, beside data without a class. */
  readonly dataClasses: readonly string[];
  /** Why it cannot be called here; null if it can. */
  readonly problem: string | null;
}

export async function listModels(terminal: Terminal, texts: readonly string[], flags: ModelsFlags): Promise<number> {
  const { models, definitions, names } = await openModels(flags);
  const rows = [
    ...[...definitions].map(([name, definition]) => toRow(models, name, definition)),
    ...names.filter((name) => !definitions.has(name)).flatMap((name) => toListedRow(models, name)),
  ];
  const terms = texts.map((text) => text.toLowerCase());
  const matches = rows.filter(({ name, provider, id }) =>
    terms.every((text) => `${name} ${provider} ${id}`.toLowerCase().includes(text)),
  );
  terminal.write(flags.json ? formatJson(matches) : formatRows(matches, terminal));
  return 0;
}

/** An entry of the price map is listed if its own provider is configured. */
function toListedRow(models: Models, name: string): readonly ModelRow[] {
  try {
    const { provider, entry } = models.resolve(name);
    return entry?.provider === provider.name ? [toRow(models, name, null)] : [];
  } catch (error) {
    if (isLonghandError(error) && error.code === 'model_unclear') return [];
    throw error;
  }
}

/** @param definition of an alias; null for a name of the price map */
function toRow(models: Models, name: string, definition: ModelDefinition | null): ModelRow {
  const isAlias = definition !== null;
  try {
    const { provider, id, entry } = models.resolve(name);
    const isOfProvider = definition?.price !== undefined || entry?.price == null || entry.provider === provider.name;
    return {
      ...{ name, isAlias, provider: provider.name, id },
      contextTokens: entry?.contextTokens ?? null,
      maxOutputTokens: entry?.maxOutputTokens ?? null,
      price: entry?.price ?? null,
      priceOf: isOfProvider ? null : entry.provider,
      capabilities: entry === null ? [] : listCapabilities(entry),
      region: entry?.region ?? null,
      dataClasses: entry?.dataClasses ?? [],
      problem: entry?.needsResponsesApi && entry.provider === provider.name ? responsesProblem : null,
    };
  } catch (error) {
    if (!isLonghandError(error) || !['model_unclear', 'provider_missing'].includes(error.code)) throw error;
    const { provider = '', id = '', region = null, dataClasses = [] } = definition ?? {};
    const unknown = { contextTokens: null, maxOutputTokens: null, price: null, priceOf: null, capabilities: [] };
    return { name, isAlias, provider, id, ...unknown, region, dataClasses, problem: error.message };
  }
}

const responsesProblem = 'It needs the Responses API: use aiSdkProvider, or a proxy such as LiteLLM.';

function listCapabilities(entry: ModelEntry): readonly string[] {
  const { tools, parallelTools, thinking, structuredOutput, takesTemperature, files } = entry;
  const capabilities = {
    [parallelTools === true ? 'parallel tools' : 'tools']: tools,
    thinking,
    schema: structuredOutput,
  };
  return [
    ...Object.entries(capabilities).flatMap(([name, has]) => (has === true ? [name] : [])),
    ...files.map((kind) => (kind === 'image' ? 'images' : 'PDF')),
    ...(takesTemperature ? ['temperature'] : []),
  ];
}

const columns: readonly Column[] = [
  { head: 'model', isId: true },
  { head: 'provider' },
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
    { text: row.contextTokens === null ? '–' : formatCount(row.contextTokens) },
    { text: row.maxOutputTokens === null ? '–' : formatCount(row.maxOutputTokens) },
    { text: formatRates(row.price, ({ input }) => input) },
    { text: formatRates(row.price, ({ output }) => output) },
    { text: row.capabilities.join(', ') },
  ]);
  return formatTable(columns, cells, terminal, (at) => {
    const row = rows[at];
    if (row === undefined) return [];
    const lines = (text: string) => (text === '' ? [] : wrapText(text, terminal.tableWidth - 3));
    const below = [...lines(formatRemarks(row)).map(c.dim), ...lines(row.problem ?? '').map(c.yellow)];
    return below.map((line) => `   ${line}`);
  });
}

/** What the columns do not have. */
function formatRemarks({ name, isAlias, id, region, dataClasses, priceOf }: ModelRow): string {
  return [
    ...(isAlias && id !== name ? [id] : []),
    ...(region === null ? [] : [`region ${region}`]),
    ...(dataClasses.length === 0 ? [] : [`data ${dataClasses.join(', ')}`]),
    ...(priceOf === null ? [] : [`price of ${priceOf}`]),
  ].join(' · ');
}

/** US dollars per million tokens, of the shortest and of the longest requests: `2`, `2–4`. */
function formatRates(price: Price | null, select: (rates: Rates) => number): string {
  if (price === null) return '–';
  const ends = [price, ...(price.tiers ?? []).slice(-1)];
  return [...new Set(ends.map((rates) => Number((select(rates) * 1e6).toPrecision(6))))].join('–');
}
