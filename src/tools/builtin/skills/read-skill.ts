/** The tool that reads a skill: its instructions, and the files that they name. Paths of the model lead nowhere but into its folder. */

import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, ToolError } from '../../define/index.js';
import { findAny, findFile, walkFiles } from '../files/find-files.js';
import { readLines } from '../files/read-lines.js';
import { readFile } from '../files/read-tools.js';
import { pathSchema, type Root } from '../files/root.js';
import { parseSkill, type Skill } from './front-matter.js';

export const instructionsFile = 'SKILL.md';
export const maxInstructionsBytes = 256 * 1024;
const maxListedFiles = 500;

interface SkillReader {
  readonly root: Root;
  readonly skill: Skill;
  /** Whether a tool runs them. */
  readonly hasScripts: boolean;
  readonly roles: readonly string[] | undefined;
}

export function defineSkillReader({ root, skill, hasScripts, roles }: SkillReader): Tool {
  const reader = readFile(root);
  const needs = skill.compatibility === null ? '' : ` It needs: ${skill.compatibility}`;
  const runs = hasScripts ? ` ${skill.name}_run runs its scripts.` : '';
  return defineTool({
    name: skill.name,
    description: `${skill.description}\nThis is a skill: call it without arguments to read its instructions before such work, and with \`file\` to read a file that they name.${runs}${needs}`,
    inputSchema: z.object({
      file: pathSchema.optional().describe('A file of the skill: "references/forms.md". Default: its instructions'),
      from: z.int().min(1).default(1).describe('The first line of the file, from 1'),
      lines: z.int().min(1).max(10_000).default(500).describe('The most lines to read'),
    }),
    returns:
      'Without `file`: { path, text, files }, the instructions and the names of all files. With it: the lines of the file.',
    effects: 'read',
    kind: 'skill',
    view: { request: '{file}', response: '{path}', summary: 'Read {path}' },
    ...(roles === undefined ? {} : { roles }),
    execute: async ({ file, from, lines }, context) =>
      file === undefined
        ? readInstructions(root, skill.name, context)
        : await reader.parse({ path: file, from, lines })(context as ToolContext<string>),
  });
}

/** Read again for each call: a worker may run for months. */
async function readInstructions(root: Root, name: string, { signal }: Pick<ToolContext, 'signal'>) {
  const place = await findFile(root, instructionsFile, signal);
  const lines: string[] = [];
  const see = (line: string) => lines.push(line) < maxInstructionsBytes;
  const size = await readLines(place.real, signal, see);
  if (size === null || size.bytes > maxInstructionsBytes) throw new ToolError(`${name} has too long instructions.`);
  const parsed = parseSkill(lines.join('\n'), name);
  if (!parsed.ok) throw new ToolError(`The skill ${name} is damaged: ${parsed.problem}.`);
  const files: string[] = [];
  const top = await findAny(root, '.', signal);
  for await (const { path } of walkFiles(root, top, signal)) {
    if (path !== instructionsFile) files.push(path);
    if (files.length === maxListedFiles) break;
  }
  return { path: instructionsFile, text: parsed.skill.instructions, files };
}
