/** The commands of prompts: `list`, `show`, `check`, `diff` and `example`. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { diffPrompts, printExample } from '../../../src/cli/prompts/diff.js';
import { checkPrompts, listPrompts, showPromptFile } from '../../../src/cli/prompts/prompts.js';
import { loadPrompts } from '../../../src/entries/prompts.js';
import { longhandHere } from '../../support/command-here.js';
import { matchError } from '../../support/match-error.js';
import { meteorologistPrompt } from '../../support/prompt-folder.js';

const top = mkdtempSync(join(tmpdir(), 'longhand-prompts-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

function createPrompts(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(top, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

const clerk = '---\nname: clerk\ndescription: Reads bills.\n---\nYou are a clerk.\nYou read bills.\n';
const folder = createPrompts('prompts', {
  'clerk.md': clerk,
  'meteorologist.md': meteorologistPrompt,
  'README.md': 'Our prompts.',
});
const flags = { folder, var: [] };
const chain = fileURLToPath(
  new URL('../../histories/releases/next/exports/parallel-tools.chain.json', import.meta.url),
);

async function print(go: (terminal: Parameters<typeof listPrompts>[0]) => Promise<number>, code = 0): Promise<string> {
  const texts: string[] = [];
  const write = (text: string) => void texts.push(text);
  const terminal = { write, writeRaw: write, report: () => {}, color: false, width: 100, tableWidth: 100 };
  expect(await go(terminal)).toBe(code);
  return texts.join('');
}

const versionOf = (name: string) => loadPrompts(folder).get(name, name === 'clerk' ? {} : { city: 'Oslo' }).version;

describe('longhand prompts list', () => {
  it('has each prompt with its version, its variables and its description', async () => {
    const rows = (await print((terminal) => listPrompts(terminal, flags))).trimEnd().split('\n');
    expect(rows).toHaveLength(3);
    expect(rows[1]).toMatch(new RegExp(`^clerk +${versionOf('clerk')} +Reads bills\\.$`));
    expect(rows[2]).toMatch(
      new RegExp(`^meteorologist +${versionOf('meteorologist')} +city \\[days\\] \\[units\\] \\[b`),
    );
    const json = JSON.parse(await print((terminal) => listPrompts(terminal, { ...flags, json: true }))) as unknown;
    expect(json).toMatchObject([
      { name: 'clerk', variables: [] },
      { name: 'meteorologist', variables: { length: 4 } },
    ]);
  });
});

describe('longhand prompts show', () => {
  it('renders a prompt with values, and shows its version and examples', async () => {
    const values = ['city=Bergen', 'days=2', 'units=kelvin, m/s', 'brief=true'];
    const text = await print((terminal) => showPromptFile(terminal, 'meteorologist', { ...flags, var: values }));
    expect(text).toContain(
      `meteorologist@${versionOf('meteorologist')}\nCompares the weather of cities.\n  city: text\n`,
    );
    expect(text).toContain('  days: number, default 3\n');
    expect(text).toContain('the weather of Bergen for 2 days. Units: kelvin, m/s.\nBrief: true.');
    expect(text).toContain('Call: get_weather\nCall Input: {"city":"Oslo"}');
  });

  it('leaves the place of a variable without a value, and rejects a wrong one', async () => {
    const show = (values: readonly string[]) =>
      print((terminal) => showPromptFile(terminal, 'meteorologist', { ...flags, var: values, json: true }));
    expect(JSON.parse(await show([]))).toMatchObject({ instructions: expect.stringContaining('{{city}} for 3 days') });
    await expect(show(['days=soon'])).rejects.toThrow(matchError('invalid_prompt', 'days must be a finite number'));
    await expect(show(['citty=Oslo'])).rejects.toThrow(matchError('invalid_prompt', 'you may mean city'));
    await expect(show(['city'])).rejects.toThrow(matchError('usage', 'Write --var name=value'));
  });
});

describe('longhand prompts check', () => {
  it('accepts valid prompts', async () => {
    expect(await print((terminal) => checkPrompts(terminal, flags))).toBe('2 prompts, no problems.\n');
  });

  it('prints each problem with its file and line, and exits with 1', async () => {
    const bad = createPrompts('bad', {
      'clerk.md': clerk.replace('Reads bills.', '""').replace('a clerk', '{{role}}'),
      'nameless.md': 'You.',
    });
    const text = await print((terminal) => checkPrompts(terminal, { ...flags, folder: bad }), 1);
    expect(text.replaceAll(bad, 'bad')).toBe(`bad/clerk.md:3: description must be a text that is not empty.
bad/clerk.md:5: {{role}} is not a variable of the prompt; it has none.
bad/nameless.md:1: it must begin with front matter: a line ---, then name and description, then a line ---.
`);
    const json = await print((terminal) => checkPrompts(terminal, { ...flags, folder: bad, json: true }), 1);
    expect(JSON.parse(json)).toMatchObject({ prompts: 0, problems: { length: 3 } });
  });
});

describe('longhand prompts diff', () => {
  it('compares two files line by line', async () => {
    const [first, second] = [
      join(folder, 'clerk.md'),
      join(createPrompts('new', { 'clerk.md': clerk.replace('You read', 'Always\nread') }), 'clerk.md'),
    ];
    const text = await print((terminal) => diffPrompts(terminal, 'clerk', second, flags));
    expect(text).toBe(`--- ${first}
+++ ${second}
 ---
 name: clerk
 description: Reads bills.
 ---
 You are a clerk.
-You read bills.
+Always
+read bills.
${' '}
`);
  });

  it('compares the instructions of a chain with a prompt, for developers and auditors only (L8)', async () => {
    const diff = (as?: string) =>
      print((terminal) =>
        diffPrompts(terminal, 'clerk', undefined, { ...flags, chain, ...(as === undefined ? {} : { as }) }),
      );
    const text = await diff();
    expect(text).toContain(`+++ clerk@${versionOf('clerk')}\n`);
    expect(text).toMatch(/^--- no prompt of chain \S+\n/);
    expect(text).toContain('+You are a clerk.\n+You read bills.\n');
    await expect(diff('end_user')).rejects.toThrow(matchError('not_visible'));
    await expect(print((terminal) => diffPrompts(terminal, 'clerk', undefined, flags))).rejects.toThrow(
      matchError('usage', '--chain'),
    );
  });
});

describe('longhand prompts example', () => {
  it('prints a chain as an example that the front matter of a prompt accepts, as its viewer may see it (L8)', async () => {
    const text = await print((terminal) => printExample(terminal, chain, {}));
    const path = createPrompts('taken', { 'clerk.md': clerk.replace('---\nYou', `${text}---\nYou`) });
    const [taken] = loadPrompts(path).list;
    const json = JSON.parse(await print((terminal) => printExample(terminal, chain, { json: true }))) as object;
    expect(taken?.examples).toEqual([json]);
    expect(json).toMatchObject({ task: expect.any(String), steps: { length: 3 }, answer: expect.any(String) });
    await expect(print((terminal) => printExample(terminal, chain, { as: 'end_user' }))).rejects.toThrow(
      matchError('not_visible'),
    );
  });
});

it('the built command has all of them', async () => {
  const { code, stdout } = await longhandHere(['prompts', 'check', '--folder', folder]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '2 prompts, no problems.\n' });
});
