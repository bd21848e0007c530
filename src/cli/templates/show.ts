/** `longhand workflow list` and `show`: the workflows with their parameters, and one of them with its goal and steps. */

import type { Json } from '../../core/lib/json.js';
import { toOneLine } from '../../core/lib/plain-text.js';
import type { PlannedTask } from '../../core/model/plan.js';
import type { PlanDefinition } from '../../presets/plans/define-plan.js';
import { loadWorkflows } from '../run/load-agents.js';
import { type Colors, colorsFor } from '../terminal/colors.js';
import { table } from '../terminal/table.js';
import { jsonLine, type Terminal } from '../terminal/terminal.js';
import { columns, wrapped } from '../terminal/text.js';
import { allWorkflows, findWorkflow, type Parameter, parametersOf, runCommand } from './workflows.js';

export interface ListFlags {
  readonly module?: string;
  readonly json?: boolean;
}

export async function list(terminal: Terminal, { module, json = false }: ListFlags): Promise<number> {
  const all = allWorkflows((await loadWorkflows(module)).workflows);
  if (json) {
    terminal.write(jsonLine(all.map(asJson)));
    return 0;
  }
  const c = colorsFor(terminal);
  const heads = [
    { head: 'WORKFLOW' },
    { head: 'STEPS', align: 'right' as const },
    { head: 'PARAMETERS' },
    { head: 'WHAT IT DOES' },
  ];
  const rows = all.map((workflow) => [
    { text: workflow.name, paint: c.bold },
    { text: String(workflow.steps.length) },
    {
      text: parametersOf(workflow)
        .map(({ name, required }) => (required ? name : `[${name}]`))
        .join(' '),
    },
    { text: toOneLine(workflow.description) },
  ]);
  terminal.write(table(heads, rows, { width: terminal.width, paintHead: c.dim }));
  return 0;
}

export async function show(terminal: Terminal, name: string, { module, json = false }: ListFlags): Promise<number> {
  const workflow = findWorkflow((await loadWorkflows(module)).workflows, name);
  terminal.write(json ? jsonLine(asJson(workflow)) : workflowText(workflow, terminal));
  return 0;
}

function asJson({ name, description, goal, parameters, steps }: PlanDefinition): Json {
  return { name, description, goal, parameters, steps: steps.map((step) => ({ ...step })) };
}

export function workflowText(workflow: PlanDefinition, { width, color }: Pick<Terminal, 'width' | 'color'>): string {
  const c = colorsFor({ color });
  const parameters = parametersOf(workflow);
  const ids = Math.max(...workflow.steps.map(({ id }) => columns(id)), ...parameters.map(({ name }) => columns(name)));
  const put = (head: string, texts: readonly string[]) => rows(head, texts, { indent: 2, head: ids, width });
  const lines = [
    `${c.bold(workflow.name)}  ${toOneLine(workflow.description)}`,
    '',
    c.dim('Goal'),
    ...workflow.goal.split('\n').flatMap((line) => wrapped(line, width - 2).map((each) => `  ${each}`)),
    ...(parameters.length === 0 ? [] : ['', c.dim('Parameters')]),
    ...parameters.flatMap((each) => put(each.name, [parameterText(each)])),
    '',
    c.dim('Steps'),
    ...workflow.steps.flatMap((step, at) => put(step.id, stepTexts(step, workflow.steps[at - 1], c))),
    '',
    ...wrapped(`Run it with: ${runCommand(workflow)}`, width).map((line) => c.dim(line)),
  ];
  return `${lines.join('\n')}\n`;
}

function parameterText({ description, required, type, default: fallback }: Parameter): string {
  const kind = type === 'array' ? 'a list' : type === 'string' ? '' : type;
  const may =
    fallback === undefined ? (required ? 'required' : 'may be left out') : `default ${JSON.stringify(fallback)}`;
  const facts = [kind, may].filter((each) => each !== '').join(', ');
  return description === '' ? facts : `${toOneLine(description)} (${facts})`;
}

function stepTexts(step: PlannedTask, before: PlannedTask | undefined, c: Colors): readonly string[] {
  const usual = step.dependsOn.length === 1 && step.dependsOn[0] === before?.id;
  const waits = usual || (before === undefined && step.dependsOn.length === 0) ? [] : [waitsText(step)];
  const tools = step.tools.length === 0 ? [] : [`tools: ${step.tools.join(', ')}`];
  const confirm = step.confirm.length === 0 ? [] : [c.yellow(`a person approves: ${step.confirm.join(', ')}`)];
  return [toOneLine(step.description), ...[...waits, ...tools].map((text) => c.dim(text)), ...confirm];
}

function waitsText({ dependsOn }: PlannedTask): string {
  return dependsOn.length === 0 ? 'waits for nothing' : `waits for: ${dependsOn.join(', ')}`;
}

/** A head, and texts in a column beside it. In a narrow terminal they stand under it. */
function rows(
  head: string,
  texts: readonly string[],
  room: { readonly indent: number; readonly head: number; readonly width: number },
): readonly string[] {
  const left = room.indent + room.head + 2;
  const beside = room.width - left >= 30;
  const indent = ' '.repeat(beside ? left : room.indent + 2);
  const lines = texts.flatMap((text) => wrapped(text, room.width - indent.length)).map((line) => indent + line);
  const shown = ' '.repeat(room.indent) + head;
  if (!beside) return [shown, ...lines];
  const [first = '', ...rest] = lines;
  return [shown.padEnd(left) + first.trimStart(), ...rest];
}
