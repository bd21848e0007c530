/** Chains as files: exported, imported, verified and replayed without a server. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChainExportFlags, exportChain } from '../../../src/cli/chain/export.js';
import { importFile } from '../../../src/cli/chain/import.js';
import { printReplay } from '../../../src/cli/chain/replay.js';
import { verifyChain } from '../../../src/cli/chain/verify.js';
import { exported, readStoredExports } from '../../histories/exports.js';
import { recorded } from '../../histories/stored.js';
import { matchError } from '../../support/match-error.js';
import { printed } from '../../support/printed.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-files-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const history = (name: string) => new URL(`${name}.history.json`, recorded).pathname;
const chain = (name: string) => new URL(`${name}.chain.json`, exported).pathname;
/** Formats a stored export, which has fewer lines, as the command writes it. */
const formatStoredFile = (path: string) => `${JSON.stringify(JSON.parse(readFileSync(path, 'utf8')), null, 2)}\n`;
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const runExport = (named: string, flags: Partial<ChainExportFlags> = {}) =>
  printed((terminal) => exportChain(terminal, named, { format: 'json', ...flags }));

describe('export', () => {
  it('writes the stored file, from a history and from an export', async () => {
    const stored = formatStoredFile(chain('parallel-tools'));
    expect((await runExport(history('parallel-tools'))).out).toBe(stored);
    expect((await runExport(chain('parallel-tools'))).out).toBe(stored);
  });

  it('writes a history event by event', async () => {
    const { out } = await runExport(history('reuse'), { format: 'history' });
    expect(JSON.parse(out)).toEqual(JSON.parse(readFileSync(history('reuse'), 'utf8')));
  });

  it('rejects the format history for a file of facts, with the fix', async () => {
    await expect(runExport(chain('reuse'), { format: 'history' })).rejects.toThrow(
      matchError('usage', 'facts, not the history'),
    );
  });

  it('accepts a role only for a report', async () => {
    await expect(runExport(chain('reuse'), { as: 'end_user' })).rejects.toThrow(
      matchError('usage', '--as, --visibility and --expand'),
    );
    const { out } = await runExport(chain('reuse'), { format: 'markdown', as: 'end_user' });
    expect(out).not.toContain('I look at it once.');
  });

  it('accepts --json only for the format json', async () => {
    expect((await runExport(chain('reuse'), { json: true })).out).toBe(formatStoredFile(chain('reuse')));
    await expect(runExport(chain('reuse'), { json: true, format: 'markdown' })).rejects.toThrow(
      matchError('usage', '--json and --format markdown'),
    );
  });

  it('replaces a file completely, or leaves it unchanged', async () => {
    const out = file('taken.json', 'before');
    await expect(runExport('/nowhere/at/all.json', { out })).rejects.toThrow(
      matchError('invalid_chain_file', 'no such file'),
    );
    expect(readFileSync(out, 'utf8')).toBe('before');
    const { reported } = await runExport(chain('reuse'), { out });
    expect(readFileSync(out, 'utf8')).toBe(formatStoredFile(chain('reuse')));
    expect(reported).toMatch(/taken\.json: \d+ bytes\n/);
    await expect(runExport(chain('reuse'), { out: join(folder, 'no', 'such.json') })).rejects.toThrow(
      matchError('file_not_written', 'its folder does not exist'),
    );
    await expect(runExport(chain('reuse'), { out: folder })).rejects.toThrow(
      matchError('file_not_written', 'is a folder'),
    );
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});

describe('import and verify', () => {
  it.each(readStoredExports())('accept $file', async ({ path }) => {
    const imported = await printed((terminal) => importFile(terminal, path, { json: true }));
    const verified = await printed((terminal) => verifyChain(terminal, path, { json: true }));
    expect([imported.code, verified.code]).toEqual([0, 0]);
    expect(JSON.parse(imported.out)).toMatchObject({
      digest: JSON.parse(verified.out).digest,
      provenAt: JSON.parse(verified.out).calls,
    });
  });

  it('report where an altered fact differs', async () => {
    const altered = file('altered.json', readFileSync(chain('parallel-tools'), 'utf8').replace('"one"', '"eins"'));
    const { code, out } = await printed((terminal) => verifyChain(terminal, altered, {}), 200);
    expect(code).toBe(1);
    expect(out).toMatch(/agree until model-1 and differ before model-2 \(event \d+\): after step 0/);
    await expect(printed((terminal) => importFile(terminal, altered, {}))).rejects.toThrow(
      matchError('invalid_chain_file', 'it was altered'),
    );
  });

  it('L8: show an altered answer only to an auditor', async () => {
    const parsed = JSON.parse(readFileSync(chain('reuse'), 'utf8'));
    const last = parsed.runs.at(-1);
    const altered = { ...parsed, runs: [{ ...last, result: { ...last.result, answer: 'canary-answer' } }] };
    const path = file('answer.json', JSON.stringify(altered));
    for (const json of [true, false]) {
      const seen = (as?: string) =>
        printed((terminal) => verifyChain(terminal, path, as === undefined ? { json } : { as, json }));
      expect(await seen('auditor')).toMatchObject({ code: 1, out: expect.stringContaining('canary-answer') });
      for (const as of [undefined, 'developer', 'end_user', 'nobody']) {
        const { code, out } = await seen(as);
        expect(code).toBe(1);
        expect(out).toMatch(json ? '"where":"the result"' : "the workflow's result differs");
        expect(out).not.toContain('canary-answer');
      }
    }
  });
});

describe('replay', () => {
  const runReplay = (named: string, flags: Partial<Parameters<typeof printReplay>[2]> = {}) =>
    printed((terminal) => printReplay(terminal, named, { withTool: [], ...flags }));

  it.each(readStoredExports())('$file replays without a difference', async ({ path }) => {
    expect(await runReplay(path)).toMatchObject({ code: 0, reported: '' });
  });

  it('executes a module instead of a tool, and shows the differences', async () => {
    const fake = file('fake.ts', 'export const echo = async (input: { text: string }) => input.text.toUpperCase();');
    const { code, out } = await runReplay(chain('parallel-tools'), { withTool: [`echo=${fake}`] });
    expect(code).toBe(1);
    expect(out).toContain('2 calls were executed again; 3 of 8 turns were not reached');
    expect(out).toContain('Step 1: call 1.1 (echo) has a different result (event 20)\n  recorded: one\n  now: ONE');
    expect(out).toContain('model-2 is a different request to the model, and no reply to it is recorded');
  });

  it('L8: shows only differences that the viewer sees', async () => {
    const fake = file('loud.ts', "export default (input: { text: string }) => input.text + ', aloud';");
    const seen = async (as: string) =>
      (await runReplay(chain('parallel-tools'), { withTool: [`echo=${fake}`], as, json: true })).out;
    expect(await seen('developer')).toContain('one, aloud');
    expect(await seen('auditor')).toContain('one, aloud');
    expect(await seen('end_user')).not.toContain('one, aloud');
  });

  it('uses an error of a tool as the result of its call', async () => {
    const fake = file('fails.ts', "export function echo() { throw new Error('no echo here'); }");
    const { out } = await runReplay(chain('parallel-tools'), { withTool: [`echo=${fake}`], as: 'auditor', json: true });
    expect(JSON.parse(out).differences[0]).toMatchObject({ call: '1.1', now: { failed: 'Error: no echo here' } });
  });

  it('rejects modules that cannot replace a tool', async () => {
    const none = file('none.ts', 'export const city = 1;');
    const several = file('several.ts', 'export const a = () => 1; export const b = () => 2;');
    const rejected = async (withTool: string) => runReplay(chain('parallel-tools'), { withTool: [withTool] });
    await expect(rejected('echo')).rejects.toThrow(matchError('usage', '--with-tool echo'));
    await expect(rejected(`fly=${none}`)).rejects.toThrow(
      matchError('usage', 'no tool fly. It has: echo, shaky, pay, dwell.'),
    );
    await expect(rejected('echo=./nowhere.ts')).rejects.toThrow(matchError('usage', './nowhere.ts not found'));
    await expect(rejected(`echo=${none}`)).rejects.toThrow(matchError('usage', 'no tool or function named echo'));
    await expect(rejected(`echo=${several}`)).rejects.toThrow(matchError('usage', 'no tool or function named echo'));
  });

  it('reports a tool without a call, and exits 1', async () => {
    const fake = file('other.ts', 'export const echo = () => 1; export const pay = () => 2;');
    const twice = [`echo=${fake}`, `pay=${fake}`];
    const { code, out } = await runReplay(chain('parallel-tools'), { withTool: [`pay=${fake}`] });
    expect(code).toBe(1);
    expect(out).toContain('✗ --with-tool pay was not used: no call of it is recorded');
    const json = await runReplay(chain('parallel-tools'), { withTool: [`pay=${fake}`], json: true });
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({ same: true, substitutedCalls: 0, unused: ['pay'] });
    // After the first difference, further calls are unknown.
    const parted = await runReplay(chain('parallel-tools'), { withTool: twice, json: true });
    expect(JSON.parse(parted.out)).toMatchObject({ same: false, unused: [] });
    const late = await runReplay(chain('parallel-tools'), { withTool: [`echo=${fake}`], fromStep: '3' });
    expect(late).toMatchObject({ code: 1, out: expect.stringContaining('from step 3') });
    const fork = await runReplay(chain('forked'), {
      withTool: [`shaky=${file('shaky.ts', 'export default () => 1;')}`],
    });
    expect(fork.out).toContain("no call of it is recorded in the fork's own steps");
  });

  it('reports a module that does not load in one line', async () => {
    const broken = file('broken.ts', 'export const echo = (=> {');
    const rejected = runReplay(chain('parallel-tools'), { withTool: [`echo=${broken}`] });
    await expect(rejected).rejects.toThrow(matchError('usage', /^Module \S+broken\.ts does not load: [^\n]+$/));
  });

  it('reports the existing steps', async () => {
    await expect(runReplay(chain('reuse'), { fromStep: '9' })).rejects.toThrow(matchError('usage', 'steps 1 to 4'));
  });
});
