/** What people ask about a chain, each answered by a list or a table; null where there is nothing to say. */

import { count, usd } from '../lib/display.js';
import { totalTokens } from '../model/usage.js';
import { code, table } from '../print/markdown.js';
import { type ChainScene, worded } from './report-scene.js';

/** All that came back before the answer, and the last thought before it. */
export function basis({ of, part }: ChainScene): string | null {
  const used = of('tool_ended').filter(({ what }) => ['ok', 'answered', 'reused'].includes(what.status));
  const thought = of('model_called').findLast((entry) => part(entry, 'thought') !== null);
  const lines = [
    ...used.map((entry) => {
      const { call, tool, reusedFrom } = entry.what;
      return `- ${call} ${code(tool)}: ${code(part(entry, 'result') ?? (reusedFrom === null ? 'nothing' : `as ${reusedFrom}`))}`;
    }),
    ...(thought === undefined
      ? []
      : [`- last thought, in step ${thought.what.step ?? '?'}: ${code(part(thought, 'thought') ?? '')}`]),
  ];
  return lines.length === 0 ? null : lines.join('\n');
}

export function tools({ of }: ChainScene): string | null {
  const given = of('agent_prepared').at(-1)?.what.tools ?? [];
  const called = of('tool_called');
  const ended = of('tool_ended');
  const names = [...new Set([...given.map(({ name }) => name), ...called.map(({ what }) => what.tool)])];
  if (names.length === 0) return null;
  const rows = names.map((name) => {
    const tool = given.find((each) => each.name === name);
    const calls = called.filter(({ what }) => what.tool === name);
    const good = ended.filter(({ what }) => what.tool === name && ['ok', 'answered', 'reused'].includes(what.status));
    const quiet = tool?.level === 'none';
    return [
      code(name),
      tool?.kind ?? 'not given to the agent',
      tool?.effects ?? '',
      quiet ? 'not kept' : count(calls.length),
      quiet ? '' : count(good.length),
    ];
  });
  return table(['tool', 'kind', 'effects', 'calls', 'that gave a result'], rows);
}

export function approvals({ of, part }: ChainScene): string | null {
  const decided = of('decided');
  const asked = of('approval_asked');
  const open = asked.filter(({ what }) => !decided.some((each) => each.what.call === what.call));
  const rows = [
    ...decided.map((entry) => {
      const { call, tool, decision, request, changed, partly } = entry.what;
      const roles =
        entry.who === null || entry.who.roles.length === 0 ? '' : ` (${entry.who.roles.map(code).join(', ')})`;
      return [
        `${call} ${code(tool)}`,
        `${decision.replaceAll('_', ' ')}${changed ? ', with other arguments' : ''}${partly ? ', with others to follow' : ''}`,
        `${code(entry.who?.by ?? 'nobody known')}${roles}`,
        new Date(entry.at).toISOString(),
        worded(part(entry, 'reason')) ?? '',
        code((request ?? '').slice(0, 16)),
      ];
    }),
    ...open.map(({ what: { call, tool, request } }) => [
      `${call} ${code(tool)}`,
      'not decided',
      '',
      '',
      '',
      code(request.slice(0, 16)),
    ]),
  ];
  if (rows.length === 0) return null;
  return table(['call', 'decision', 'by', 'when', 'reason', 'digest of the request'], rows);
}

export function people({ all, part }: ChainScene): string | null {
  const lines = all.flatMap(({ entry }) => {
    if (entry.type !== 'directed' && entry.type !== 'cancel_requested' && entry.type !== 'not_taken') return [];
    const what = entry.type === 'directed' ? entry.what.direction : entry.type === 'not_taken' ? 'not taken' : 'cancel';
    const words = part(entry, 'text') ?? part(entry, 'reason');
    const by = entry.who?.by == null ? '' : ` by ${code(entry.who.by)}`;
    return [`- ${new Date(entry.at).toISOString()} ${what}${by}${words === null ? '' : `: ${code(words)}`}`];
  });
  return lines.length === 0 ? null : lines.join('\n');
}

export function models({ of }: ChainScene): string | null {
  const prepared = of('agent_prepared').at(-1);
  const calls = of('model_called');
  if (prepared === undefined && calls.length === 0) return null;
  const names = [...new Set(calls.map(({ what }) => what.model))];
  const rows = names.map((name) => {
    const made = calls.filter(({ what }) => what.model === name);
    const tokens = made.reduce((sum, { what: { usage } }) => sum + (usage === null ? 0 : totalTokens(usage)), 0);
    const cost = made.reduce<number | null>(
      (sum, { what }) => (what.costUsd === null || sum === null ? null : sum + what.costUsd),
      0,
    );
    return [code(name), count(made.length), count(tokens), usd(cost)];
  });
  const versions =
    prepared === undefined
      ? []
      : [
          `- prompt version (SHA-256 of the instructions): ${code(prepared.what.instructions)}`,
          `- agent definition (instructions, model, tools, limits): ${code(prepared.what.definition)}`,
          `- strategy: ${code(prepared.what.strategy)}`,
        ];
  const used = rows.length === 0 ? [] : [table(['model', 'calls', 'tokens', 'cost'], rows)];
  return [...used, ...(versions.length === 0 ? [] : [versions.join('\n')])].join('\n\n');
}

export function views({ all }: ChainScene): string | null {
  const lines = all.flatMap(({ entry }) => {
    const at = new Date(entry.at).toISOString();
    const by = code(entry.who?.by ?? 'nobody known');
    if (entry.type === 'content_viewed')
      return [`- ${at} read by ${by} as ${code(entry.what.role)}, with ${code(entry.what.command)}`];
    if (entry.type === 'erased')
      return [`- ${at} ${count(entry.what.contents)} contents erased by ${by} (${entry.what.scope})`];
    return [];
  });
  return lines.length === 0 ? null : lines.join('\n');
}

/** Every one, with the hash that it has in the log. */
export function hashes({ all }: ChainScene): string {
  const rows = all.map(({ entry: { seq, at, type, hash } }) => [
    count(seq),
    new Date(at).toISOString(),
    type.replaceAll('_', ' '),
    code(hash),
  ]);
  return table(['entry', 'time', 'what', 'hash'], rows);
}
