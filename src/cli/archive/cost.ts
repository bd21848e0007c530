/** `longhand cost`: what archived chains cost, by tenant, agent, strategy, plan template, prompt, model or tool, and how they ended. Shows names and numbers only. */

import {
  findOwn,
  formatCount,
  formatCsvLine,
  formatLongDuration,
  formatPlural,
  formatUsd,
} from '../../core/lib/index.js';
import { outcomes } from '../../core/model/index.js';
import type {
  ChainFigures,
  ChargeFigures,
  CostGrouping,
  CostPeriod,
  CostReport,
  ModelFigures,
  ToolFigures,
} from '../../core/record/index.js';
import { sumCosts } from '../../store/index.js';
import { getNamespace, withStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { parseTime } from '../flags/values.js';
import { getColors } from '../terminal/colors.js';
import { type Column, formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface CostReportFlags {
  readonly by: CostGrouping;
  readonly since?: string;
  readonly until?: string;
  readonly per?: CostPeriod;
  readonly json?: boolean;
  readonly csv?: boolean;
}

export async function reportCosts(terminal: Terminal, flags: CostReportFlags): Promise<number> {
  const { by, per, json, csv } = flags;
  if (json && csv) throw new UsageError('--json and --csv cannot be combined.');
  const now = Date.now();
  const since = flags.since === undefined ? undefined : parseTime(flags.since, now);
  const until = flags.until === undefined ? undefined : parseTime(flags.until, now, '--until');
  const query = { namespace: getNamespace(), by, per, since, until };
  const report = await withStore((store) => sumCosts(store, query));
  if (json) terminal.write(formatJson({ ...report, per: per ?? null, since: toIso(since), until: toIso(until) }));
  else if (csv) terminal.write(formatCsv(toSheet(report), report.by, per));
  else terminal.write(report.groups.length === 0 ? 'No archived chain matches.\n' : formatText(report, per, terminal));
  return 0;
}

function toIso(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

/** A column of numbers: for people, and as a spreadsheet computes with it. */
interface NumberColumn<F> {
  readonly head: string;
  readonly member: string;
  readonly format: (figures: F) => string;
  readonly read: (figures: F) => number | null;
}

const costColumn: NumberColumn<Pick<ChargeFigures, 'costUsd'>> = {
  head: 'cost',
  member: 'cost_usd',
  format: ({ costUsd }) => formatUsd(costUsd),
  read: ({ costUsd }) => costUsd,
};

const chainColumns: readonly NumberColumn<ChainFigures>[] = [
  { head: 'chains', member: 'chains', ...createCountColumn(({ chains }) => chains) },
  { head: 'steps', member: 'steps', ...createCountColumn(({ steps }) => steps) },
  { head: 'tokens', member: 'tokens', ...createCountColumn(({ tokens }) => tokens) },
  costColumn,
];

/** How chains ended, for reports of what works: the share of those that ended, and each outcome. */
const outcomeColumns: readonly NumberColumn<ChainFigures>[] = [
  ...chainColumns.slice(0, 1),
  {
    head: 'success',
    member: 'success_rate',
    format: (figures) => formatShare(computeSuccessRate(figures)),
    read: computeSuccessRate,
  },
  ...chainColumns.slice(1),
  { head: 'outcomes', member: 'ended', format: ({ outcomes }) => formatOutcomes(outcomes), read: countEnded },
];

/** A column for each outcome, for spreadsheets. */
const outcomeCounts: readonly NumberColumn<ChainFigures>[] = outcomes.map((outcome) => ({
  head: '',
  member: outcome,
  ...createCountColumn((figures) => findOwn(figures.outcomes, outcome) ?? 0),
}));

function countEnded({ outcomes: counts }: ChainFigures): number {
  return Object.values(counts).reduce((sum, chains) => sum + chains, 0);
}

/** Returns the share of the ended chains that succeeded; null while none has ended. */
function computeSuccessRate(figures: ChainFigures): number | null {
  const ended = countEnded(figures);
  return ended === 0 ? null : (findOwn(figures.outcomes, 'success') ?? 0) / ended;
}

function formatShare(share: number | null): string {
  return share === null ? '–' : `${Math.round(100 * share)} %`;
}

/** `failure 3, stalled 1`: the most frequent first, without successes. */
function formatOutcomes(counts: ChainFigures['outcomes']): string {
  const others = Object.entries(counts).filter(([outcome]) => outcome !== 'success');
  return others
    .sort(([, a], [, b]) => b - a)
    .map(([outcome, chains]) => `${outcome} ${formatCount(chains)}`)
    .join(', ');
}

const modelColumns: readonly NumberColumn<ModelFigures>[] = [
  { head: 'chains', member: 'chains', ...createCountColumn(({ chains }) => chains) },
  { head: 'calls', member: 'calls', ...createCountColumn(({ calls }) => calls) },
  { head: 'tokens', member: 'tokens', ...createCountColumn(({ tokens }) => tokens) },
  costColumn,
];

/** Remarks for people, columns for spreadsheets. */
const remarkColumns: readonly NumberColumn<ChargeFigures>[] = [
  { head: '', member: 'reserved_tokens', ...createCountColumn(({ reservedTokens }) => reservedTokens) },
  { head: '', member: 'chains_without_price', ...createCountColumn(({ unpriced }) => unpriced) },
  { head: '', member: 'running_chains', ...createCountColumn(({ running }) => running) },
];

const toolColumns: readonly NumberColumn<ToolFigures>[] = [
  { head: 'calls', member: 'calls', ...createCountColumn(({ calls }) => calls) },
  { head: 'failures', member: 'failures', ...createCountColumn(({ failures }) => failures) },
  {
    head: 'duration',
    member: 'duration_ms',
    format: ({ durationMs }) => formatLongDuration(durationMs),
    read: ({ durationMs }) => durationMs,
  },
  costColumn,
];

function createCountColumn<F>(read: (figures: F) => number): Pick<NumberColumn<F>, 'format' | 'read'> {
  return { format: (figures) => formatCount(read(figures)), read };
}

interface SheetRow {
  readonly period: string | null;
  readonly name: string | null;
  readonly texts: readonly string[];
  readonly numbers: readonly (number | null)[];
}

interface Sheet {
  readonly heads: readonly string[];
  readonly members: readonly string[];
  readonly rows: readonly SheetRow[];
  readonly total: readonly string[];
}

function toSheet(report: CostReport): Sheet {
  switch (report.by) {
    case 'tool':
      return buildSheet(report, toolColumns, []);
    case 'model':
      return buildSheet(report, modelColumns, remarkColumns);
    case 'strategy':
    case 'template':
    case 'prompt':
      return buildSheet(report, outcomeColumns, [...outcomeCounts, ...remarkColumns]);
    default:
      return buildSheet(report, chainColumns, remarkColumns);
  }
}

function buildSheet<F>(
  { groups, total }: { readonly groups: readonly (F & Pick<SheetRow, 'period' | 'name'>)[]; readonly total: F },
  columns: readonly NumberColumn<F>[],
  more: readonly NumberColumn<F>[],
): Sheet {
  return {
    heads: columns.map(({ head }) => head),
    members: [...columns, ...more].map(({ member }) => member),
    rows: groups.map((group) => ({
      period: group.period,
      name: group.name,
      texts: columns.map(({ format }) => format(group)),
      numbers: [...columns, ...more].map(({ read }) => read(group)),
    })),
    total: columns.map(({ format }) => format(total)),
  };
}

/** Without a total, so that a spreadsheet can sum up the columns. */
function formatCsv({ members, rows }: Sheet, by: CostGrouping, per: CostPeriod | undefined): string {
  const lines = rows.map(({ period, name, numbers }) => [
    ...(per === undefined ? [] : [period]),
    name,
    ...numbers.map((value) => (value === null ? null : String(value))),
  ]);
  return [[...(per === undefined ? [] : [per]), by, ...members], ...lines].map(formatCsvLine).join('');
}

const nameless = {
  tenant: 'no tenant',
  model: 'no model',
  agent: '–',
  tool: '–',
  strategy: 'not prepared',
  template: 'no template',
  prompt: 'no prompt',
} as const;

function formatText(report: CostReport, per: CostPeriod | undefined, terminal: Terminal): string {
  const c = getColors(terminal);
  const { heads, rows, total } = toSheet(report);
  const columns: readonly Column[] = [
    ...(per === undefined ? [] : [{ head: per === 'week' ? 'week of' : per }]),
    { head: report.by },
    ...heads.map((head) => ({ head, align: 'right' }) as const),
  ];
  const cells = rows.map(({ period, name, texts }) => [
    ...(period === null ? [] : [{ text: per === 'month' ? period.slice(0, 7) : period }]),
    name === null ? { text: nameless[report.by], paint: c.dim } : { text: name },
    ...texts.map((text) => ({ text })),
  ]);
  const labels = per === undefined ? ['total'] : ['total', ''];
  const sums = [...labels, ...total].map((text) => ({ text, paint: c.bold }));
  const table = formatTable(columns, [...cells, sums], terminal);
  const remarks = report.by === 'tool' ? [] : listRemarks(report.total);
  return [table, ...remarks.map((remark) => `${c.dim(remark)}\n`)].join('');
}

function listRemarks({ unpriced, reservedTokens, running }: ChargeFigures): readonly string[] {
  const chains = (count: number) => formatPlural(count, 'chain');
  return [
    ...(unpriced === 0 ? [] : [`Price unknown: ${chains(unpriced)}. Tokens are included, the cost is not.`]),
    ...(reservedTokens === 0
      ? []
      : [
          `Reservations: ${formatCount(reservedTokens)} tokens, charged for calls that reported no plausible usage. The real cost may be lower.`,
        ]),
    ...(running === 0 ? [] : [`Running: ${chains(running)}. Only archived runs are included.`]),
  ];
}
