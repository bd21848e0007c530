/** `longhand tools list`: a row for each tool. */

import { formatExactDuration } from '../../core/lib/index.js';
import { loadDefinitions } from '../run/load-definitions.js';
import { getColors } from '../terminal/colors.js';
import { type Column, formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { wrapText } from '../terminal/text.js';
import { loadTools, type ModuleTool } from './module-tools.js';

export interface ToolsFlags {
  readonly module?: string;
  readonly json?: boolean;
}

export async function listTools(terminal: Terminal, { module, json = false }: ToolsFlags): Promise<number> {
  const tools = await loadTools(await loadDefinitions(module), terminal.report);
  terminal.write(json ? formatJson(tools.map(toRow)) : formatRows(tools, terminal));
  return 0;
}

function toRow({ tool, approval, agents }: ModuleTool) {
  const { name, kind, effects, timeoutMs, attempts, roles } = tool.snapshot;
  return { name, kind, effects, approval, timeoutMs, attempts, roles, agents };
}

const columns: readonly Column[] = [
  { head: 'tool', isId: true },
  { head: 'kind', cutTo: 11 },
  { head: 'effects' },
  { head: 'approval' },
  { head: 'timeout', align: 'right' },
  { head: 'attempts', align: 'right' },
  { head: 'roles', cutTo: 10 },
];

function formatRows(tools: readonly ModuleTool[], terminal: Terminal): string {
  if (tools.length === 0) return 'The agents of this module have no tools.\n';
  const c = getColors(terminal);
  const rows = tools.map(toRow);
  const cells = rows.map(({ name, kind, effects, approval, timeoutMs, attempts, roles }) => [
    { text: name, paint: c.bold },
    { text: kind },
    { text: effects },
    { text: approval },
    { text: formatExactDuration(timeoutMs) },
    { text: String(attempts) },
    { text: roles.join(', ') },
  ]);
  return formatTable(columns, cells, terminal, (at) => {
    const row = rows[at];
    // Only where rows would look alike.
    if (row === undefined || rows.filter(({ name }) => name === row.name).length === 1) return [];
    const text = `of ${row.agents.join(', ')}`;
    return wrapText(text, terminal.tableWidth - 3).map((line) => c.dim(`   ${line}`));
  });
}
