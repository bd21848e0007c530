/** The prompts of a folder, by name. */

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { findNearest, LonghandError, toErrorMessage } from '../core/lib/index.js';
import type { AgentPrompt, ReactExample } from '../core/model/index.js';
import { type PromptFile, type PromptValue, parsePrompt, renderPrompt } from './prompt-file.js';

/** The prompts of a folder. */
export interface Prompts {
  /** Sorted by name. */
  readonly list: readonly PromptFile[];
  /**
   * Returns a prompt with the values of its variables, for `prompt` of an agent's definition.
   *
   * @throws {LonghandError} `invalid_prompt` for an unknown name, or a value that is missing, unknown or of another type
   */
  readonly get: (name: string, values?: { readonly [name: string]: PromptValue }) => AgentPrompt;
}

/**
 * Loads the prompts of a folder: its Markdown files, except README.md.
 *
 * @param folder a path from the current folder, or a URL
 * @throws {LonghandError} `invalid_prompt` with all problems, each with its file and line
 * @example
 * const prompts = loadPrompts(new URL('./prompts', import.meta.url));
 * export const clerk = defineAgent({ name: 'clerk', prompt: prompts.get('clerk', { city: 'Paris' }), tools: [getWeather] });
 */
export function loadPrompts(folder: string | URL): Prompts {
  const { prompts: list, problems } = readPrompts(folder instanceof URL ? fileURLToPath(folder) : folder);
  if (problems.length > 0) throw new LonghandError('invalid_prompt', `Invalid prompts.\n${problems.join('\n')}`);
  return { list, get: (name, values) => renderPrompt(findPromptFile(list, name), values) };
}

/** @throws {LonghandError} `invalid_prompt`, with the nearest name */
export function findPromptFile(prompts: readonly PromptFile[], name: string): PromptFile {
  const names = prompts.map((prompt) => prompt.name);
  const found = prompts[names.indexOf(name)];
  if (found !== undefined) return found;
  const nearest = findNearest(name, names);
  const hint = nearest === null ? `Available: ${names.join(', ') || 'none'}.` : `Did you mean ${nearest}?`;
  throw new LonghandError('invalid_prompt', `Prompt ${name} not found. ${hint}`);
}

/** Reads the prompts of a folder. A problem is a text: `prompts/clerk.md:4: name is …`. @throws as `loadPrompts`, without the folder */
export function readPrompts(folder: string): { readonly prompts: readonly PromptFile[]; readonly problems: string[] } {
  const parsed = readTexts(folder).map(({ file, text }) => ({ file, ...parsePrompt(text, basename(file, '.md')) }));
  const prompts = parsed.flatMap((each) => (each.ok ? [each.prompt] : []));
  const listProblems = (each: (typeof parsed)[number]) =>
    each.ok ? [] : each.problems.map(({ line, problem }) => `${each.file}:${line}: ${problem}.`);
  return { prompts, problems: parsed.flatMap(listProblems) };
}

function readTexts(folder: string): readonly { readonly file: string; readonly text: string }[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
    const files = names.sort().map((name) => join(folder, name));
    return files.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  } catch (error) {
    throw new LonghandError('invalid_prompt', `The prompts cannot be read: ${toErrorMessage(error)}.`);
  }
}

/** Formats an example for the front matter of a prompt. */
export function formatExample(example: ReactExample): string {
  return stringify({ examples: [example] }, { lineWidth: 0 });
}
