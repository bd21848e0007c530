/** Skills: their instructions, files and scripts, the checks of SKILL.md, and paths that lead out of their folder. */

import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SkillToolsOptions, skillTools } from '../../../src/entries/tools.js';
import { callOf } from '../../support/call-tool.js';
import { isAlive } from '../../support/is-alive.js';
import { matchError } from '../../support/match-error.js';
import { createFolder, invoiceSkill } from '../../support/skill-folder.js';

let top: string;
const folders: string[] = [];
const makeFolder = async (files: Readonly<Record<string, string>>) => {
  const made = await createFolder(files);
  folders.push(made);
  return made;
};
const { find, call, failure } = callOf(() => skillTools({ folder: top }));

beforeAll(async () => {
  top = await makeFolder(invoiceSkill);
});
afterAll(() => Promise.all(folders.map((each) => rm(each, { recursive: true, force: true }))));

describe('a skill', () => {
  it('is a tool that reads, and another one that runs its scripts with approval', () => {
    expect(find('invoices').snapshot).toMatchObject({ effects: 'read', kind: 'skill' });
    expect(find('invoices_run').snapshot).toMatchObject({ effects: 'unsafe', attempts: 1, kind: 'skill' });
    expect(find('invoices_run').approval).toMatchObject({ risk: 'high' });
    expect(skillTools({ folder: top, scripts: false }).map(({ name }) => name)).toEqual(['invoices']);
    expect(skillTools({ folder: join(top, 'invoices'), roles: ['clerk'] })[1]?.snapshot.roles).toEqual(['clerk']);
  });

  it('shows its description only, and its instructions when it is called', async () => {
    expect(JSON.stringify(find('invoices').snapshot)).toContain('Reads and adds up invoices.');
    expect(JSON.stringify(find('invoices').snapshot)).not.toContain('Run scripts/sum.sh');
    expect(await call('invoices', {})).toEqual({
      path: 'SKILL.md',
      text: '# Invoices\n\nRun scripts/sum.sh with the amounts.',
      files: [
        'outside-scripts.sh',
        'references/rules.md',
        'scripts/plain.sh',
        'scripts/show-env.sh',
        'scripts/sleep.sh',
        'scripts/sum.sh',
      ],
    });
  });

  it('reads its files', async () => {
    expect(await call('invoices', { file: 'references/rules.md', from: 2 })).toMatchObject({
      ...{ path: 'references/rules.md', from: 2, text: 'Always in EUR.' },
    });
    expect(await failure('invoices', { file: 'references/rule.md' })).toContain('Did you mean references/rules.md?');
  });

  it('runs its scripts, executable or not, in its folder', async () => {
    const sum = { script: 'scripts/sum.sh', args: ['1', '2'], input: 'in' };
    expect(await call('invoices_run', sum)).toEqual({ exitCode: 0, output: 'sum 3\nin' });
    expect(await call('invoices_run', { script: 'scripts/plain.sh', args: ['a b'] })).toEqual({
      ...{ exitCode: 0, output: `<a b>${join(top, 'invoices')}\n` },
    });
  });

  it('reads changed instructions', async () => {
    const folder = await makeFolder({ 'a/SKILL.md': '---\nname: a\ndescription: d\n---\none' });
    const tools = callOf(() => [tool!]);
    const [tool] = skillTools({ folder });
    await writeFile(join(folder, 'a/SKILL.md'), '---\nname: a\ndescription: d\n---\ntwo');
    expect(await tools.call('a', {})).toMatchObject({ text: 'two' });
    await writeFile(join(folder, 'a/SKILL.md'), 'two');
    expect(await tools.failure('a', {})).toMatch(/^ToolError: The skill a is damaged: it must begin with front matter/);
  });
});

describe('attacks on a skill', () => {
  beforeAll(async () => {
    const skill = join(top, 'invoices');
    await writeFile(join(dirname(top), `${basename(top)}-secret.txt`), 'canary');
    folders.push(join(dirname(top), `${basename(top)}-secret.txt`));
    await symlink('/etc/passwd', join(skill, 'references/link.md'));
    await symlink('/bin', join(skill, 'scripts/bin'));
    await symlink('/bin/echo', join(skill, 'scripts/echo.sh'));
    await symlink('../outside-scripts.sh', join(skill, 'scripts/inside.sh'));
    await writeFile(join(skill, 'references/huge.md'), '');
    await truncate(join(skill, 'references/huge.md'), 5_000_000_000);
    await writeFile(join(skill, 'references/long.md'), 'x'.repeat(5_000_000));
  });

  it.each([
    '../secret.txt',
    '../../etc/passwd',
    '/etc/passwd',
    'references/../../../etc/passwd',
    'references/link.md',
    'scripts/bin/sh',
    'references\\..\\..\\secret',
    '%2e%2e/%2e%2e/etc/passwd',
    '.git/config',
    'references/huge.md',
    'references',
  ])('the file %j is not read', async (file) => {
    expect(await failure('invoices', { file })).toMatch(/^ToolError: /);
  });

  it('a long file is read in part', async () => {
    const { text } = (await call('invoices', { file: 'references/long.md' })) as { text: string };
    expect(text.length).toBeLessThan(201_000);
  });

  it.each([
    '../../bin/sh',
    '/bin/sh',
    'scripts/../../../bin/sh',
    'scripts/bin/sh',
    'scripts/echo.sh',
    'outside-scripts.sh',
    'SKILL.md',
    'scripts',
    'scripts/missing.sh',
  ])('%j is not run', async (script) => {
    expect(await failure('invoices_run', { script, args: ['-c', 'touch pwned'] })).toMatch(
      /^NotDone: The script was not run/,
    );
    expect(existsSync(join(top, 'invoices/pwned'))).toBe(false);
  });

  it.each(['$(touch pwned)', '; touch pwned', '--exec=touch pwned', '`touch pwned`', '\n touch pwned'])(
    'the argument %j is one argument',
    async (arg) => {
      expect(await call('invoices_run', { script: 'scripts/plain.sh', args: [arg] })).toMatchObject({
        output: `<${arg}>${join(top, 'invoices')}\n`,
      });
      expect(existsSync(join(top, 'invoices/pwned'))).toBe(false);
    },
  );

  it('a script has none of the keys of the worker, and what it gets is masked', async () => {
    process.env.LONGHAND_TEST_API_KEY = 'canary-of-the-worker-0123456789';
    try {
      const own = callOf(() => skillTools({ folder: top, env: { CRM_TOKEN: 'canary-of-the-crm-0123456789' } }));
      const { output } = (await own.call('invoices_run', { script: 'scripts/show-env.sh' })) as { output: string };
      expect(output).toContain('CRM_TOKEN=[redacted:secret]');
      expect(output).not.toMatch(/canary|LONGHAND_TEST/);
    } finally {
      delete process.env.LONGHAND_TEST_API_KEY;
    }
  });

  it('a script ends with what it started at its time limit', async () => {
    const own = callOf(() => skillTools({ folder: top, timeout: 500 }));
    const ended = (await own.call('invoices_run', { script: 'scripts/sleep.sh' })) as { output: string };
    expect(ended).toMatchObject({ exitCode: null, stopped: 'it was ended by its timeout of 0.5 seconds' });
    await expect.poll(() => isAlive(Number(ended.output))).toBe(false);
  });

  it('a script ends with what it started when its call is cancelled', async () => {
    const stop = new AbortController();
    let pid = Number.NaN;
    const emit = (value: unknown) => {
      pid = Number((JSON.parse(JSON.stringify(value)) as { readonly output: string }).output);
    };
    const running = call('invoices_run', { script: 'scripts/sleep.sh' }, { signal: stop.signal, emit });
    await expect.poll(() => isAlive(pid)).toBe(true);
    stop.abort(new Error('cancelled'));
    await expect(running).rejects.toThrow('cancelled');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

const valid = { name: 'my-skill', description: 'Does it' };
const write = (front: object | string, body = 'Do it.') =>
  `---\n${
    typeof front === 'string'
      ? front
      : Object.entries(front)
          .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
          .join('')
  }---\n${body}`;

describe('SKILL.md', () => {
  it.each([
    ['only what is required', write(valid)],
    ['line breaks of Windows', write(valid).replaceAll('\n', '\r\n')],
    ['a byte order mark', `\ufeff${write(valid)}`],
    ['no instructions', write(valid, '')],
    ['members of other programs', write({ ...valid, version: '1.0', model: 'x' })],
    ['a line --- in its instructions', write(valid, 'a\n---\nb')],
  ])('may have %s', async (_, text) => {
    const folder = await makeFolder({ 'my-skill/SKILL.md': text });
    expect(skillTools({ folder }).map(({ name }) => name)).toEqual(['my-skill']);
  });

  it.each([
    ['no front matter', 'Do it.', /must begin with front matter/],
    ['no end of the front matter', '---\nname: my-skill\n', /must begin with front matter/],
    ['a front matter that is a list', write('- a\n'), /front matter must have members/],
    ['invalid YAML', write('name: [\n'), /not valid YAML/],
    ['an alias', write('a: &a [x]\nname: *a\n'), /not valid YAML/],
    ['no name', write({ description: 'd' }), /name must be 1 to 64 lowercase letters/],
    ['a name with capitals', write({ ...valid, name: 'My-Skill' }), /not "My-Skill"/],
    ['a name with two hyphens', write({ ...valid, name: 'my--skill' }), /not "my--skill"/],
    ['a name that ends in a hyphen', write({ ...valid, name: 'my-skill-' }), /not "my-skill-"/],
    ['a name that is a path', write({ ...valid, name: '../my-skill' }), /name must be/],
    ['a long name', write({ ...valid, name: 'a'.repeat(65) }), /name must be 1 to 64/],
    ['another name than its folder', write({ ...valid, name: 'other' }), /name is other, but its folder is my-skill/],
    ['no description', write({ name: 'my-skill' }), /description must be a text/],
    ['a long description', write({ ...valid, description: 'x'.repeat(1_025) }), /1025 characters; the limit is 1024/],
    ['a long compatibility', write({ ...valid, compatibility: 'x'.repeat(501) }), /the limit is 500/],
    ['metadata that are a text', write({ ...valid, metadata: 'x' }), /metadata must have members/],
    ['allowed-tools as a list', write({ ...valid, 'allowed-tools': ['a'] }), /allowed-tools must be a text/],
    ['a huge front matter', write({ ...valid, x: 'x'.repeat(20_000) }), /more than 16000 characters/],
    ['huge instructions', write(valid, 'x'.repeat(300_000)), /the limit is 262144/],
  ])('may not have %s', async (_, text, message) => {
    const folder = await makeFolder({ 'my-skill/SKILL.md': text });
    expect(() => skillTools({ folder })).toThrow(matchError('invalid_options', message));
  });

  it('may not be a link', async () => {
    const folder = await makeFolder({ 'elsewhere.md': write(valid), 'my-skill/x': '' });
    await symlink('../elsewhere.md', join(folder, 'my-skill/SKILL.md'));
    expect(() => skillTools({ folder })).toThrow(matchError('invalid_options', /must be a file, not a link/));
  });
});

it.each([
  [{ folder: '' }, /folder must be a text that is not empty/],
  [{ folder: '/missing' }, /cannot be read/],
  [{ only: ['invoice'] }, /skill "invoice" not found; you may mean invoices/],
  [{ scipts: false }, /scipts is unknown; you may mean scripts/],
] as const)('the options %j are rejected', (options, message) => {
  expect(() => skillTools({ folder: top, ...options } as SkillToolsOptions)).toThrow(
    matchError('invalid_options', message),
  );
});

it('a folder without a skill is rejected', async () => {
  const folder = await makeFolder({ 'a/README.md': '' });
  await mkdir(join(folder, 'b'));
  expect(() => skillTools({ folder })).toThrow(matchError('invalid_options', /has no SKILL.md/));
});
