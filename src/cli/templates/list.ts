/** `longhand workflow list`: which workflows there are, and what each takes. */

import { oneLine } from '../../core/lib/plain.js';
import { loadWorkflows } from '../run/load-agents.js';
import { colorsFor } from '../terminal/colors.js';
import { jsonLine } from '../terminal/json-line.js';
import { table } from '../terminal/table.js';
import type { Terminal } from '../terminal/terminal.js';
import { asJson } from './as-json.js';
import { allWorkflows } from './find.js';
import { parametersOf } from './parameters.js';

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
    { text: oneLine(workflow.description) },
  ]);
  terminal.write(table(heads, rows, { width: terminal.width, paintHead: c.dim }));
  return 0;
}
