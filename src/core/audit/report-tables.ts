/** Formats the tables and lists of a chain in a report; null for an empty one. */

import { formatCount, formatUsd } from '../lib/index.js';
import { countTotalTokens, hasResult } from '../model/index.js';
import { formatCode, formatTable } from '../view/index.js';
import { formatOptionalCode, type ReportIndex } from './report-index.js';

/** Lists the results that the chain used, and its last thought. */
export function formatBasis({ listByType, part }: ReportIndex): string | null {
  const used = listByType('tool_ended').filter(({ what }) => hasResult(what.status));
  const thought = listByType('model_called').findLast((entry) => part(entry, 'thought') !== null);
  const lines = [
    ...used.map((entry) => {
      const { call, tool, reusedFrom } = entry.what;
      return `- ${call} ${formatCode(tool)}: ${formatCode(part(entry, 'result') ?? (reusedFrom === null ? 'nothing' : `as ${reusedFrom}`))}`;
    }),
    ...(thought === undefined
      ? []
      : [`- last thought, in step ${thought.what.step ?? '?'}: ${formatCode(part(thought, 'thought') ?? '')}`]),
  ];
  return lines.length === 0 ? null : lines.join('\n');
}

export function formatTools({ listByType }: ReportIndex): string | null {
  const tools = listByType('agent_prepared').at(-1)?.what.tools ?? [];
  const called = listByType('tool_called');
  const ended = listByType('tool_ended');
  const names = [...new Set([...tools.map(({ name }) => name), ...called.map(({ what }) => what.tool)])];
  if (names.length === 0) return null;
  const rows = names.map((name) => {
    const tool = tools.find((candidate) => candidate.name === name);
    const calls = called.filter(({ what }) => what.tool === name);
    const good = ended.filter(({ what }) => what.tool === name && hasResult(what.status));
    const quiet = tool?.level === 'none';
    return [
      formatCode(name),
      tool?.kind ?? 'not a tool of the agent',
      tool?.effects ?? '',
      quiet ? 'not recorded' : formatCount(calls.length),
      quiet ? '' : formatCount(good.length),
    ];
  });
  return formatTable(['tool', 'kind', 'effects', 'calls', 'with a result'], rows);
}

/** Lists the verdicts of models, with their reasons. */
export function formatVerdicts({ listByType, part }: ReportIndex, type: 'policy_checked' | 'judged'): string | null {
  const rows = listByType(type).map((entry) => [
    String(entry.what.step),
    entry.what.verdict,
    formatOptionalCode(part(entry, 'reason')) ?? '',
  ]);
  return rows.length === 0 ? null : formatTable(['step', 'verdict', 'reasons'], rows);
}

export function formatApprovals({ listByType, part }: ReportIndex): string | null {
  const decided = listByType('decided');
  const requests = listByType('approval_requested');
  const open = requests.filter(({ what }) => !decided.some((decision) => decision.what.call === what.call));
  const rows = [
    ...decided.map((entry) => {
      const { call, tool, decision, request, changed, partly } = entry.what;
      const roles =
        entry.who === null || entry.who.roles.length === 0 ? '' : ` (${entry.who.roles.map(formatCode).join(', ')})`;
      return [
        `${call} ${formatCode(tool)}`,
        `${decision.replaceAll('_', ' ')}${changed ? ', with other arguments' : ''}${partly ? ', more approvals needed' : ''}`,
        `${formatCode(entry.who?.by ?? 'unknown')}${roles}`,
        new Date(entry.at).toISOString(),
        formatOptionalCode(part(entry, 'reason')) ?? '',
        formatCode((request ?? '').slice(0, 16)),
      ];
    }),
    ...open.map(({ what: { call, tool, request } }) => [
      `${call} ${formatCode(tool)}`,
      'not decided',
      '',
      '',
      '',
      formatCode(request.slice(0, 16)),
    ]),
  ];
  if (rows.length === 0) return null;
  return formatTable(['call', 'decision', 'by', 'when', 'reason', 'digest of the request'], rows);
}

export function formatCommands({ all, part }: ReportIndex): string | null {
  const lines = all.flatMap(({ entry }) => {
    if (entry.type !== 'command_received' && entry.type !== 'cancel_requested' && entry.type !== 'command_rejected')
      return [];
    const what =
      entry.type === 'command_received'
        ? entry.what.command
        : entry.type === 'command_rejected'
          ? 'rejected'
          : 'cancel';
    const text = part(entry, 'text') ?? part(entry, 'reason');
    const by = entry.who?.by == null ? '' : ` by ${formatCode(entry.who.by)}`;
    return [`- ${new Date(entry.at).toISOString()} ${what}${by}${text === null ? '' : `: ${formatCode(text)}`}`];
  });
  return lines.length === 0 ? null : lines.join('\n');
}

export function formatModels({ listByType }: ReportIndex): string | null {
  const prepared = listByType('agent_prepared').at(-1);
  const calls = listByType('model_called');
  if (prepared === undefined && calls.length === 0) return null;
  const names = [...new Map(calls.map(({ what }) => [`${what.provider} ${what.model}`, what])).values()];
  const rows = names.map(({ provider, model }) => {
    const made = calls.filter(({ what }) => what.provider === provider && what.model === model);
    const tokens = made.reduce((sum, { what: { usage } }) => sum + (usage === null ? 0 : countTotalTokens(usage)), 0);
    const cost = made.reduce<number | null>(
      (sum, { what }) => (what.costUsd === null || sum === null ? null : sum + what.costUsd),
      0,
    );
    return [
      formatCode(model),
      formatCode(provider ?? 'unknown'),
      formatCount(made.length),
      formatCount(tokens),
      formatUsd(cost),
    ];
  });
  const versions =
    prepared === undefined
      ? []
      : [
          ...(prepared.what.version === null ? [] : [`- agent version: ${formatCode(prepared.what.version)}`]),
          `- prompt version (SHA-256 of the instructions): ${formatCode(prepared.what.instructions)}`,
          `- agent definition (instructions, model, tools, limits): ${formatCode(prepared.what.definition)}`,
          `- strategy: ${formatCode(prepared.what.strategy)}`,
        ];
  const used = rows.length === 0 ? [] : [formatTable(['model', 'provider', 'calls', 'tokens', 'cost'], rows)];
  return [...used, ...(versions.length === 0 ? [] : [versions.join('\n')])].join('\n\n');
}

export function formatContentViews({ all }: ReportIndex): string | null {
  const lines = all.flatMap(({ entry }) => {
    const at = new Date(entry.at).toISOString();
    const by = formatCode(entry.who?.by ?? 'unknown');
    if (entry.type === 'content_viewed')
      return [`- ${at} read by ${by} as ${formatCode(entry.what.role)}, with ${formatCode(entry.what.command)}`];
    if (entry.type === 'erased')
      return [`- ${at} ${formatCount(entry.what.contents)} contents erased by ${by} (${entry.what.scope})`];
    return [];
  });
  return lines.length === 0 ? null : lines.join('\n');
}

/** Lists all entries with their hashes. */
export function formatHashes({ all }: ReportIndex): string {
  const rows = all.map(({ entry: { seq, at, type, hash } }) => [
    formatCount(seq),
    new Date(at).toISOString(),
    type.replaceAll('_', ' '),
    formatCode(hash),
  ]);
  return formatTable(['entry', 'time', 'event', 'hash'], rows);
}
