/** A prompt as its file has it: front matter with variables and examples, then the instructions with `{{variable}}`. */

import { checkExamples } from '../agents/index.js';
import { check, computeDigest, findNearest, findOwn, isObject, LonghandError } from '../core/lib/index.js';
import { type AgentPrompt, checkName, type PromptRef, type ReactExample } from '../core/model/index.js';
import { parseFrontMatter } from '../options/index.js';

export type PromptValue = string | number | boolean | readonly string[];

export interface PromptVariable {
  readonly name: string;
  readonly type: 'text' | 'number' | 'boolean' | 'list';
  /** The value where none is given. Absent for a variable that needs one. */
  readonly default?: PromptValue;
}

export interface PromptFile extends PromptRef {
  readonly description: string;
  readonly variables: readonly PromptVariable[];
  readonly examples: readonly ReactExample[];
  /** The body of the file, with its placeholders. */
  readonly template: string;
}

interface PromptProblem {
  /** In the file, from 1. */
  readonly line: number;
  /** A sentence without its full stop. */
  readonly problem: string;
}

export type ParsedPrompt =
  | { readonly ok: true; readonly prompt: PromptFile }
  | { readonly ok: false; readonly problems: readonly PromptProblem[] };

/** Characters of the front matter, examples included. */
const maxFrontMatter = 64_000;

const valueChecks: { readonly [type in PromptVariable['type']]: check.Check } = {
  ...{ text: check.text, number: check.finite, boolean: check.boolean, list: check.texts },
};

const checkType = check.oneOf(Object.keys(valueChecks) as PromptVariable['type'][]);
const checkOptions = check.members({ type: checkType, default: check.anything });
const variableName = /^[A-Za-z_]\w*$/;

/** `{{city}}`; `\{{` for the braces themselves; `{{` without an end in its line, which has no name. */
const placeholders = /\\\{\{|\{\{(?:([^{}\n]*)\}\})?/g;

/** Returns the prompt, or all problems of its file. @param base name of the file without its extension */
export function parsePrompt(text: string, base: string): ParsedPrompt {
  const matter = parseFrontMatter(text, maxFrontMatter);
  if (!matter.ok) return { ok: false, problems: [matter] };
  const { data, body, findLine } = matter;
  const { name, description, variables = {}, examples = [], ...others } = data;
  const options = Object.entries(isObject(variables) ? variables : {});
  const names = options.map(([variable]) => variable);
  const found = [
    checkName(name, 'name') ??
      (name === base ? null : `name is ${name}, but its file is ${base}.md: they must be equal`),
    check.nonEmptyText(description, 'description'),
    check.object(variables, 'variables'),
    ...options.map(([variable, value]) => checkVariable(value, `variables.${variable}`)),
    checkExamples(examples, 'examples'),
    check.members(check.elsewhere())(others, ''),
  ].flatMap((problem) => (problem === null ? [] : [{ line: findLine(problem.replace(/\s.*/s, '')), problem }]));
  const bodyLine = text.slice(0, text.length - body.length).split('\n').length;
  const misused = [...body.matchAll(placeholders)].flatMap(({ index, 0: whole, 1: inner = '' }) => {
    const problem = whole.startsWith('\\') ? null : checkPlaceholder(whole, inner.trim(), names);
    return problem === null ? [] : [{ line: bodyLine + body.slice(0, index).split('\n').length - 1, problem }];
  });
  if (body.trim() === '') misused.push({ line: bodyLine, problem: 'it has no instructions after the front matter' });
  if (found.length + misused.length > 0) return { ok: false, problems: [...found, ...misused] };
  const version = computeDigest(text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')).slice(0, 12);
  const prompt = { name, version, description, variables: options.map(toVariable), examples, template: body.trim() };
  return { ok: true, prompt: prompt as unknown as PromptFile };
}

/** `city: text` is short for `city: { type: text }`. */
function toVariable([name, value]: readonly [string, unknown]): PromptVariable {
  return { name, ...((isObject(value) ? value : { type: value }) as unknown as Omit<PromptVariable, 'name'>) };
}

function checkVariable(value: unknown, at: string): string | null {
  if (!variableName.test(at.replace('variables.', ''))) return `${at} must be a name of letters, digits and _`;
  if (!isObject(value)) return checkType(value, at);
  const { type, default: fallback } = toVariable([at, value]);
  const problem = checkOptions(value, at) ?? checkType(type, `${at}.type`);
  return problem ?? (fallback === undefined ? null : valueChecks[type](fallback, `${at}.default`));
}

function checkPlaceholder(whole: string, name: string, names: readonly string[]): string | null {
  if (names.includes(name)) return null;
  return variableName.test(name)
    ? `{{${name}}} is not a variable of the prompt; ${suggestName(name, names)}`
    : `${whole} must be the name of one variable between {{ and }}. For the braces themselves, write \\{{`;
}

function suggestName(name: string, names: readonly string[]): string {
  const nearest = findNearest(name, names);
  return nearest === null ? `it has ${names.join(', ') || 'none'}` : `you may mean ${nearest}`;
}

/**
 * Puts values in place of the variables. A `{{name}}` in a value is text. The items of a list are joined by commas.
 *
 * @param missing whether a variable without a value is an error, or its placeholder remains
 * @throws {LonghandError} `invalid_prompt` for a value that is missing, unknown or of another type
 */
export function renderPrompt(
  { name, version, variables, examples, template }: PromptFile,
  values: { readonly [name: string]: PromptValue | undefined } = {},
  missing: 'reject' | 'keep' = 'reject',
): AgentPrompt {
  const reject = (problem: string) => new LonghandError('invalid_prompt', `Prompt ${name}: ${problem}.`);
  const names = variables.map((variable) => variable.name);
  const unknown = Object.keys(values).find((each) => !names.includes(each));
  if (unknown !== undefined) throw reject(`${unknown} is not a variable; ${suggestName(unknown, names)}`);
  const texts = new Map<string, string>();
  for (const { name: variable, type, default: fallback } of variables) {
    const value = findOwn<PromptValue | undefined>(values, variable) ?? fallback;
    if (value === undefined && missing === 'keep') continue;
    if (value === undefined) throw reject(`the variable ${variable} (${type}) has no value`);
    const problem = valueChecks[type](value, variable);
    if (problem !== null) throw reject(`${problem}, not ${JSON.stringify(value)}`);
    texts.set(variable, Array.isArray(value) ? value.join(', ') : String(value));
  }
  const instructions = template.replace(placeholders, (whole, inner = '') =>
    whole.startsWith('\\') ? '{{' : (texts.get(inner.trim()) ?? whole),
  );
  return { name, version, instructions, examples };
}
