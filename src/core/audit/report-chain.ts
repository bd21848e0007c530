/** One chain of a report: its task, its outcome, its steps as a tree, and tables of what people ask about them. */

import { count, usd } from '../lib/display.js';
import { asText } from '../lib/json.js';
import { code, fence } from '../print/markdown.js';
import type { AuditEntry, EntryWithContents } from './entry.js';
import { type ChainScene, type Of, sceneOf, worded } from './report-scene.js';
import { approvals, basis, hashes, models, people, tools, views } from './report-tables.js';
import { tree } from './report-tree.js';

export function chainBlocks(
  all: readonly EntryWithContents[],
  isErased: (entry: AuditEntry) => boolean,
): readonly string[] {
  const scene = sceneOf(all, isErased);
  const [{ entry: first } = all[0]!] = all;
  return [
    `## Chain ${code(first.chainId ?? '')}`,
    facts(first, scene),
    ...section('What it did, step by step', tree(scene)),
    ...section('What the decision was based on', basis(scene)),
    ...section('Data sources and tools', tools(scene)),
    ...section('Who approved', approvals(scene)),
    ...section('What people said to it', people(scene)),
    ...section('Models and prompts', models(scene)),
    ...section('Who has read it whole, and what was erased', views(scene)),
    ...section('Its entries in the log', hashes(scene)),
  ];
}

function section(title: string, text: string | null): readonly string[] {
  return text === null ? [] : [`### ${title}`, text];
}

function facts(first: AuditEntry, { of, part, value }: ChainScene): string {
  const [started] = of('chain_started');
  const ended = of('chain_ended').at(-1);
  const rows: readonly (readonly [string, string | null])[] = [
    ['task', started === undefined ? null : worded(part(started, 'task'))],
    ['outcome', ended === undefined ? 'not in this report' : code(ended.what.outcome)],
    ['answer', ended === undefined ? null : worded(part(ended, 'answer') ?? part(ended, 'partial'))],
    ['reason', ended === undefined ? null : worded(part(ended, 'reason'))],
    ['agent', first.agent === null ? null : code(first.agent)],
    ['tenant', first.tenant === null ? null : code(first.tenant)],
    ['started', started === undefined ? null : startedText(started)],
    ['ended', ended === undefined ? null : new Date(ended.at).toISOString()],
    ['goes on with', started?.what.origin == null ? null : originText(started.what.origin)],
    [
      'begun by',
      started?.what.parent == null ? null : `${code(started.what.parent.chainId)}, call ${started.what.parent.call}`,
    ],
    ['took', ended === undefined ? null : spentText(ended)],
    ['facts', ended === undefined ? null : `${count(ended.what.facts)}, with the digest ${code(ended.what.head)}`],
  ];
  const lines = rows.flatMap(([name, text]) => (text === null ? [] : [`- ${name}: ${text}`]));
  const whole = ended === undefined ? undefined : value(ended, 'answer');
  const long = whole === undefined ? '' : asText(whole);
  return long.length <= 300 && !long.includes('\n') ? lines.join('\n') : `${lines.join('\n')}\n\n${fence(long)}`;
}

function startedText({ at, who }: Of<'chain_started'>): string {
  const by = who?.by === null || who === null ? '' : `, for ${code(who.by)}`;
  const roles = who === null || who.roles.length === 0 ? '' : ` (${who.roles.map(code).join(', ')})`;
  return `${new Date(at).toISOString()}${by}${roles}`;
}

function originText({ chainId, steps }: { readonly chainId: string; readonly steps: number }): string {
  return `the first ${count(steps)} steps of ${code(chainId)}, which stand in its own entries`;
}

function spentText({ what: { steps, tokens, costUsd } }: Of<'chain_ended'>): string {
  return `${count(steps)} steps, ${count(tokens)} tokens${costUsd === null ? '' : `, ${usd(costUsd)}`}`;
}
