/** `longhand tools show`: a tool's definition as chains record it, with what only its worker knows. */

import { formatExactDuration } from '../../core/lib/display.js';
import { defaults } from '../../core/model/defaults.js';
import { loadDefinitions } from '../run/load-definitions.js';
import { getColors } from '../terminal/colors.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { wrapText } from '../terminal/text.js';
import { formatSchema } from './format-schema.js';
import { loadTools, type ModuleTool, selectTool } from './module-tools.js';

export interface ShowFlags {
  readonly module?: string;
  readonly agent?: string;
  readonly json?: boolean;
}

/** @throws {UsageError} where the module has no such tool, or several */
export async function showTool(
  terminal: Terminal,
  name: string,
  { module, agent, json = false }: ShowFlags,
): Promise<number> {
  const found = selectTool(await loadTools(await loadDefinitions(module), terminal.report), name, agent);
  terminal.write(json ? formatJson(toJson(found)) : formatTool(found, terminal));
  return 0;
}

function toJson({ tool, approval, agents }: ModuleTool) {
  const { snapshot, cache = null, secrets = [] } = tool;
  return { snapshot, approval, cache, secrets, agents };
}

function formatTool({ tool, approval, agents }: ModuleTool, { width, color }: Terminal): string {
  const c = getColors({ color });
  const { snapshot, cache, secrets = [] } = tool;
  const { name, view, effects, attempts, inputSchema, returns } = snapshot;
  const wrap = (text: string) => wrapText(text, width - 2).map((line) => `  ${line}`);
  const rows: readonly (readonly [string, string])[] = [
    ['agents', agents.join(', ')],
    ['kind', view.kind ?? 'external (default)'],
    ['effects', effects],
    ['approval', `${approval}${tool.approval === undefined && approval === toDefault(effects) ? ' (default)' : ''}`],
    ['timeout', formatTime(snapshot.timeoutMs, defaults.toolTimeoutMs)],
    ['heartbeat', formatTime(snapshot.heartbeatMs, defaults.toolHeartbeatMs)],
    ['attempts', effects === 'unsafe' ? '1 (unsafe)' : mark(String(attempts), attempts === defaults.toolAttempts)],
    ...(attempts > 1 ? [['backoff', formatTime(snapshot.backoffMs, defaults.toolBackoffMs)] as const] : []),
    ['cache', cache === undefined ? 'none (default)' : `${formatExactDuration(cache.ttlMs)}, version ${cache.version}`],
    ['secrets', secrets.join(', ') || 'none (default)'],
    ['roles', snapshot.roles.join(', ') || 'all chains (default)'],
    ['audit', snapshot.audit ?? "the worker's level (default)"],
    ...formatRest(snapshot),
  ];
  const lines = [
    c.bold(name),
    ...wrap(snapshot.description),
    '',
    ...rows.flatMap(([head, text]) => {
      const [first = '', ...rest] = wrapText(text, Math.max(20, width - 15));
      return [`  ${c.dim(head.padEnd(11))}  ${first}`, ...rest.map((line) => `${' '.repeat(15)}${line}`)];
    }),
    '',
    c.dim('Input'),
    ...formatSchema(inputSchema, { width, dim: c.dim }),
    '',
    c.dim('Output'),
    ...wrap(returns === '' ? 'not described (default)' : returns),
  ];
  return `${lines.join('\n')}\n`;
}

/** What most tools do not have. */
function formatRest({
  view,
  waits,
  question,
  delegates,
  dataClasses,
  cost,
  queue,
  runs,
  source,
}: ModuleTool['tool']['snapshot']) {
  const { kind: _, ...seen } = view;
  const rest: Readonly<Record<string, unknown>> = {
    view: Object.keys(seen).length === 0 ? null : seen,
    ...{
      waits: waits || null,
      question,
      delegates,
      data: dataClasses ?? null,
      cost: cost ?? null,
      queue: queue ?? null,
      runs: runs ?? null,
      source: source ?? null,
    },
  };
  return Object.entries(rest).flatMap(([name, value]) =>
    value === null ? [] : [[name, value === true ? 'yes' : JSON.stringify(value)] as const],
  );
}

function toDefault(effects: string): string {
  return effects === 'unsafe' ? 'yes' : 'no';
}

function formatTime(ms: number, usual: number): string {
  return mark(formatExactDuration(ms), ms === usual);
}

function mark(text: string, isDefault: boolean): string {
  return isDefault ? `${text} (default)` : text;
}
