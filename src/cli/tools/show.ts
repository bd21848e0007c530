/** `longhand tools show`: each setting of a tool's calls, its value and where the value is from. */

import { formatExactDuration, formatExactUsd } from '../../core/lib/index.js';
import { getKindDefaults, type ToolConcurrency, type ToolSnapshot } from '../../core/model/index.js';
import type { Tool, ToolDefinition } from '../../tools/define/index.js';
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
  const tool = selectTool(await loadTools(await loadDefinitions(module), terminal.report), name, agent);
  terminal.write(json ? formatJson(toJson(tool)) : formatTool(tool, terminal));
  return 0;
}

function toJson(moduleTool: ModuleTool) {
  const { tool, approval, agents } = moduleTool;
  const { snapshot, cache = null, secrets = [] } = tool;
  const origins = Object.fromEntries(listSettings(moduleTool).map(({ name, origin }) => [name, origin]));
  return { snapshot, approval, cache, secrets, agents, place: describePlace(tool), origins };
}

/** Who decided a value: the tool's definition, its kind, Longhand, or an agent or the platform. */
type Origin = 'tool' | 'kind' | 'longhand' | 'above';

interface Setting {
  readonly name: string;
  readonly value: string;
  readonly origin: Origin;
}

function listSettings(moduleTool: ModuleTool): readonly Setting[] {
  const { tool, approval } = moduleTool;
  const { snapshot, cache, secrets = [], explicitOptions = [] } = tool;
  const { kind, effects, attempts, view, queue, dataClasses = [] } = snapshot;
  const find = (member: keyof ToolDefinition<never>): Origin =>
    explicitOptions.includes(member) ? 'tool' : 'longhand';
  const byKind = getKindDefaults(kind);
  const set = (name: string, value: string, origin: Origin): Setting => ({ name, value, origin });
  return [
    set('kind', kind, find('kind')),
    set('effects', effects, 'tool'),
    set('approval', approval, findApprovalOrigin(moduleTool)),
    set(
      'timeout',
      formatExactDuration(snapshot.timeoutMs),
      find('timeout') === 'longhand' && byKind.timeoutMs === snapshot.timeoutMs ? 'kind' : find('timeout'),
    ),
    set('heartbeat', formatExactDuration(snapshot.heartbeatMs), find('heartbeatTimeout')),
    set('attempts', effects === 'unsafe' ? '1, because it is unsafe' : String(attempts), find('retry')),
    ...(attempts > 1 ? [set('backoff', formatExactDuration(snapshot.backoffMs), find('retry'))] : []),
    set(
      'cache',
      cache === undefined ? 'none' : `${formatExactDuration(cache.ttlMs)}, version ${cache.version}`,
      find('cacheTtl'),
    ),
    ...(snapshot.reuse === undefined ? [] : [set('reuse', formatReuse(snapshot.reuse), find('reuse'))]),
    set('secrets', secrets.join(', ') || 'none', find('secrets')),
    set('roles', snapshot.roles.join(', ') || 'all chains', find('roles')),
    set('audit', snapshot.audit ?? "the worker's level", find('audit')),
    set('level', view.level ?? 'by the rules', view.level === undefined ? 'longhand' : 'tool'),
    set(
      'line',
      view.summary ?? byKind.view?.summary ?? 'a general sentence',
      view.summary !== undefined ? 'tool' : byKind.view === undefined ? 'longhand' : 'kind',
    ),
    set('sensitive', view.sensitive?.join(', ') ?? 'none', view.sensitive === undefined ? 'longhand' : 'tool'),
    set('concurrency', formatConcurrency(snapshot.concurrency), find('concurrency')),
    set('cost', formatCost(tool), snapshot.cost === undefined && tool.bindModels === undefined ? 'longhand' : 'tool'),
    set('data class', dataClasses.join(', ') || 'none', find('dataClass')),
    set('queue', queue?.name ?? "the chain's", find('taskQueue')),
    ...(queue === undefined
      ? []
      : [set('queue wait', formatExactDuration(queue.queueTimeoutMs), find('queueTimeout'))]),
  ];
}

function formatConcurrency(limit: ToolConcurrency | undefined): string {
  if (limit === undefined) return 'no limit';
  const { group, perWorker, slotTimeoutMs } = limit;
  return `${perWorker} per worker of the group ${group}, waits ${formatExactDuration(slotTimeoutMs)} at most`;
}

/** Models are known only to a worker. */
function formatCost({ snapshot: { cost }, bindModels }: Tool): string {
  if (bindModels !== undefined) return 'that of the models it asks';
  return cost?.kind === 'fee' ? `up to ${formatExactUsd(cost.usd)} a call` : 'free';
}

function findApprovalOrigin({ tool, approval, ownApproval }: ModuleTool): Origin {
  if (approval !== ownApproval) return 'above';
  return tool.approval === undefined ? 'longhand' : 'tool';
}

/** What executes a call. */
function describePlace({ snapshot, runsIn, bindModels }: Tool): string {
  const { runs, queue, source, delegates, question, waits } = snapshot;
  if (runs?.kind === 'activity') return `the activity ${runs.activity} of your workers of ${queue?.name}`;
  if (runs?.kind === 'workflow') return `the workflow ${runs.workflow} of your workers of ${queue?.name}`;
  if (delegates !== null) return `a sub-chain of the agent ${delegates.agent || 'itself'}`;
  if (question !== null) return 'nothing: a person answers';
  if (waits) return 'nothing: the chain waits';
  const worker = queue === undefined ? 'the worker' : `a worker of the task queue ${queue.name}`;
  if (source !== undefined) return `the MCP server ${source.name}, called by ${worker}`;
  if (runsIn !== undefined) return `${runsIn}, started by ${worker}`;
  return bindModels === undefined ? worker : `a model, asked by ${worker}`;
}

function formatTool(moduleTool: ModuleTool, { width, color }: Terminal): string {
  const c = getColors({ color });
  const { tool, agents } = moduleTool;
  const { name, kind, description, inputSchema, returns } = tool.snapshot;
  const wrap = (text: string) => wrapText(text, width - 2).map((line) => `  ${line}`);
  const rows: readonly (readonly [string, string])[] = [
    ['agents', agents.join(', ')],
    ['runs in', describePlace(tool)],
    ...listSettings(moduleTool).map(
      ({ name: setting, value, origin }) => [setting, `${value} ${formatOrigin(origin, kind)}`] as const,
    ),
    ...listRest(tool.snapshot),
  ];
  const lines = [
    c.bold(name),
    ...wrap(description),
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

function formatOrigin(origin: Origin, kind: string): string {
  switch (origin) {
    case 'tool':
      return '(stated)';
    case 'kind':
      return `(default of ${kind})`;
    case 'longhand':
      return '(default)';
    case 'above':
      return '(agent or platform)';
  }
}

/** What most tools do not have. */
function listRest({ view, question, delegates, runs }: ToolSnapshot): readonly (readonly [string, string])[] {
  const { level: _, summary: __, sensitive: ___, ...lines } = view;
  const rest: Readonly<Record<string, unknown>> = {
    view: Object.keys(lines).length === 0 ? null : lines,
    ...{ question, delegates, runs: runs ?? null },
  };
  return Object.entries(rest).flatMap(([name, value]) =>
    value === null ? [] : [[name, JSON.stringify(value)] as const],
  );
}

function formatReuse(reuse: NonNullable<ToolSnapshot['reuse']>): string {
  return reuse === 'until_effect' ? 'until a call with an effect' : formatExactDuration(reuse.ms);
}
