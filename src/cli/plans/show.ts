/** `longhand plan list` and `show`: lists plan templates, and shows one with its goal, parameters and steps. */

import { type Json, toOneLine } from '../../core/lib/index.js';
import type { PlannedTask } from '../../core/model/index.js';
import type { PlanDefinition } from '../../plans/index.js';
import { loadPlans } from '../run/load-definitions.js';
import { type Colors, getColors } from '../terminal/colors.js';
import { formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { measureColumns, wrapText } from '../terminal/text.js';
import { formatRunCommand, getPlan, listAllPlans, listParameters, type PlanParameter } from './plan-parameters.js';

export interface PlanListFlags {
  readonly module?: string;
  readonly json?: boolean;
}

export async function printPlans(terminal: Terminal, { module, json = false }: PlanListFlags): Promise<number> {
  const all = listAllPlans((await loadPlans(module)).plans);
  if (json) {
    terminal.write(formatJson(all.map(toPlanJson)));
    return 0;
  }
  const c = getColors(terminal);
  const heads = [
    { head: 'plan template', isId: true },
    { head: 'steps', align: 'right' as const },
    { head: 'parameters' },
    { head: 'description', cutTo: 24 },
  ];
  const rows = all.map((template) => [
    { text: template.name, paint: c.bold },
    { text: String(template.steps.length) },
    {
      text: listParameters(template)
        .map(({ name, required }) => (required ? name : `[${name}]`))
        .join(' '),
    },
    { text: template.description },
  ]);
  terminal.write(formatTable(heads, rows, terminal));
  return 0;
}

export async function showPlan(
  terminal: Terminal,
  name: string,
  { module, json = false }: PlanListFlags,
): Promise<number> {
  const template = getPlan((await loadPlans(module)).plans, name);
  terminal.write(json ? formatJson(toPlanJson(template)) : formatPlan(template, terminal, module));
  return 0;
}

function toPlanJson({ name, description, goal, parameters, steps }: PlanDefinition): Json {
  return { name, description, goal, parameters, steps: steps.map((step) => ({ ...step })) };
}

/** @param module the module that the plan template was loaded from, for the command that runs it */
export function formatPlan(
  template: PlanDefinition,
  { width, color }: Pick<Terminal, 'width' | 'color'>,
  module?: string,
): string {
  const c = getColors({ color });
  const parameters = listParameters(template);
  const ids = Math.max(
    ...template.steps.map(({ id }) => measureColumns(id)),
    ...parameters.map(({ name }) => measureColumns(name)),
  );
  const put = (head: string, texts: readonly string[]) => formatColumns(head, texts, { indent: 2, head: ids, width });
  const lines = [
    `${c.bold(template.name)}  ${toOneLine(template.description)}`,
    '',
    c.dim('Goal'),
    ...template.goal.split('\n').flatMap((line) => wrapText(line, width - 2).map((part) => `  ${part}`)),
    ...(parameters.length === 0 ? [] : ['', c.dim('Parameters')]),
    ...parameters.flatMap((parameter) => put(parameter.name, [formatParameter(parameter)])),
    '',
    c.dim('Steps'),
    ...template.steps.flatMap((step, at) => put(step.id, formatStep(step, template.steps[at - 1], c))),
    '',
    ...wrapText(`To run it: ${formatRunCommand(template, module)}`, width).map((line) => c.dim(line)),
  ];
  return `${lines.join('\n')}\n`;
}

function formatParameter({ description, required, type, default: fallback }: PlanParameter): string {
  const kind = type === 'array' ? 'a list' : type === 'string' ? '' : type;
  const may = fallback === undefined ? (required ? 'required' : 'optional') : `default ${JSON.stringify(fallback)}`;
  const facts = [kind, may].filter((fact) => fact !== '').join(', ');
  return description === '' ? facts : `${toOneLine(description)} (${facts})`;
}

function formatStep(step: PlannedTask, before: PlannedTask | undefined, c: Colors): readonly string[] {
  const usual = step.dependsOn.length === 1 && step.dependsOn[0] === before?.id;
  const waits = usual || (before === undefined && step.dependsOn.length === 0) ? [] : [formatDependencies(step)];
  const tools = step.tools.length === 0 ? [] : [`tools: ${step.tools.join(', ')}`];
  const complexity = step.complexity === undefined ? [] : [`${step.complexity} complexity`];
  const confirm = step.confirm.length === 0 ? [] : [c.yellow(`needs approval: ${step.confirm.join(', ')}`)];
  return [toOneLine(step.description), ...[...waits, ...tools, ...complexity].map((text) => c.dim(text)), ...confirm];
}

function formatDependencies({ dependsOn }: PlannedTask): string {
  return dependsOn.length === 0 ? 'starts at once' : `waits for: ${dependsOn.join(', ')}`;
}

/** Formats a head with texts in a column to its right; in a narrow terminal, below it. */
function formatColumns(
  head: string,
  texts: readonly string[],
  room: { readonly indent: number; readonly head: number; readonly width: number },
): readonly string[] {
  const left = room.indent + room.head + 2;
  const isWide = room.width - left >= 30;
  const indent = ' '.repeat(isWide ? left : room.indent + 2);
  const lines = texts.flatMap((text) => wrapText(text, room.width - indent.length)).map((line) => indent + line);
  const headLine = ' '.repeat(room.indent) + head;
  if (!isWide) return [headLine, ...lines];
  const [first = '', ...rest] = lines;
  return [headLine.padEnd(left) + first.trimStart(), ...rest];
}
