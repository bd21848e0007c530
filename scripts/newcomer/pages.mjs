/** What the pages for newcomers show: their code, and what their commands print. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../child.mjs';
import { SetupError } from '../stage.mjs';

const guide = await readFile(join(root, 'docs/getting-started.md'), 'utf8');
const readme = await readFile(join(root, 'README.md'), 'utf8');

/** Returns the code block with a text. */
export function findBlock(text) {
  const blocks = [...`${readme}\n${guide}`.matchAll(/```\w*\n([\s\S]*?)```/g)].map(([, block]) => block);
  const found = blocks.find((block) => block.includes(text));
  if (found === undefined)
    throw new SetupError(`No code block of the README or docs/getting-started.md has "${text}".`);
  return found;
}

/** Compares what a command printed with what the page shows below it. @throws {SetupError} at the first difference */
export function compareOutput(command, printed) {
  const block = findBlock(`$ ${command}\n`);
  const [shown] = block.slice(block.indexOf(`$ ${command}\n`) + command.length + 3).split('\n$ ');
  const [expected, found] = [shown, printed].map((text) => omitAccidents(text).split('\n'));
  const at = Array.from({ length: Math.max(expected.length, found.length) }, (_, line) => line).find(
    (line) => expected[line] !== found[line],
  );
  if (at === undefined) return;
  const lines = [`shown    ${expected[at] ?? '(nothing)'}`, `printed  ${found[at] ?? '(nothing)'}`];
  throw new SetupError(`"${command}" prints another line ${at + 1}:\n${lines.join('\n')}\n\n${printed}`);
}

/** Replaces what differs from run to run: times, ids, amounts, addresses, users. */
function omitAccidents(text) {
  return (
    text
      // A longer name of the provider wraps the line.
      .replace(/ out\n[│ ]+\$/g, ' out · $')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, '<date>')
      .replace(/\b[\d.]+ ?(ms|s|min)\b/g, '<time>')
      .replace(/\$[\d.]+/g, '<usd>')
      .replace(/[\d,]+ (tokens|out)\b/g, '<n> $1')
      // The provider is named after the host of the test.
      .replace(/(\[LLM: .*\] +from )\S+/g, '$1<provider>')
      .replace(/\b(for|user|by) [\w-]+/g, '$1 <user>')
      .replace(/127\.0\.0\.1:\d+/g, '<address>')
      .replace(/^(Model +).*/gm, '$1<model>')
      .replace(/sqlite:[^,]+/g, 'sqlite:<file>')
      .replace(/[^\S\n]+$/gm, '')
      .trim()
  );
}
