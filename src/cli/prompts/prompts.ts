/** `longhand prompts list`, `show` and `check`. */

import { renderInstructions } from '../../agents/index.js';
import { formatPlural, parseJsonOrText } from '../../core/lib/index.js';
import { formatPromptRef } from '../../core/model/index.js';
import {
  findPromptFile,
  loadPrompts,
  type PromptFile,
  type PromptValue,
  readPrompts,
  renderPrompt,
} from '../../prompts/index.js';
import { UsageError } from '../flags/usage-error.js';
import { getColors } from '../terminal/colors.js';
import { formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface PromptFlags {
  readonly folder: string;
  readonly var: readonly string[];
  readonly json?: boolean;
}

export async function listPrompts(terminal: Terminal, { folder, json }: PromptFlags): Promise<number> {
  const { list } = loadPrompts(folder);
  const heads = [
    { head: 'prompt', isId: true },
    { head: 'version' },
    { head: 'variables' },
    { head: 'description', cutTo: 24 },
  ];
  const rows = list.map(({ name, version, variables, description }) =>
    [
      name,
      version,
      variables.map((each) => (each.default === undefined ? each.name : `[${each.name}]`)).join(' '),
      description,
    ].map((text) => ({ text })),
  );
  terminal.write(json ? formatJson(list) : formatTable(heads, rows, terminal));
  return 0;
}

export async function showPromptFile(terminal: Terminal, name: string, flags: PromptFlags): Promise<number> {
  const file = findPromptFile(loadPrompts(flags.folder).list, name);
  const prompt = renderPrompt(file, parseVariables(file, flags.var), 'keep');
  const c = getColors(terminal);
  const variables = file.variables.map(({ name: variable, type, default: fallback }) =>
    [`  ${variable}: ${type}`, ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`])].join(', '),
  );
  const about = [c.bold(formatPromptRef(file)), file.description, ...variables];
  const text = `${about.join('\n')}\n\n${renderInstructions({ prompt }, 'tools')}\n`;
  terminal.write(flags.json ? formatJson({ ...file, ...prompt }) : text);
  return 0;
}

/** Parses values by their types. An invalid one remains a text, which the prompt then rejects. */
export function parseVariables({ variables }: PromptFile, assignments: readonly string[]) {
  const parse = (assignment: string) => {
    const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
    if (name === '') throw new UsageError(`Invalid --var ${assignment}. Write --var name=value.`);
    const type = variables.find((variable) => variable.name === name)?.type;
    if (type === 'list') return [name, text.split(',').map((item) => item.trim())] as const;
    return [name, type === 'text' ? text : (parseJsonOrText(text) as PromptValue)] as const;
  };
  return Object.fromEntries<PromptValue>(assignments.map(parse));
}

/** @returns exit code 1 if a prompt has a problem */
export async function checkPrompts(terminal: Terminal, { folder, json }: PromptFlags): Promise<number> {
  const { prompts, problems } = readPrompts(folder);
  const lines = problems.length === 0 ? [`${formatPlural(prompts.length, 'prompt')}, no problems.`] : problems;
  terminal.write(json ? formatJson({ prompts: prompts.length, problems }) : `${lines.join('\n')}\n`);
  return problems.length === 0 ? 0 : 1;
}
