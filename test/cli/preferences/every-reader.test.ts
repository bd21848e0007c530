/** The stored preferences of a user apply in every command that shows steps. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { program } from '../../../src/cli/main.js';
import { longhandHere } from '../../support/command-here.js';
import { storedFile } from '../../support/stored-chain.js';
import { type Fresh, freshFile } from '../../support/stores.js';

interface NamedCommand {
  readonly name: string;
  readonly options: readonly string[];
}

function listCommands(command: Command, path: readonly string[] = []): readonly NamedCommand[] {
  const options = command.options.flatMap(({ long }) => long ?? []);
  const own = command.commands.length === 0 ? [{ name: path.join(' '), options }] : [];
  return [...own, ...command.commands.flatMap((each) => listCommands(each, [...path, each.name()]))];
}

const commands = listCommands(program);

/** Commands with a viewer that show no step, or only an open request, which no switch hides. */
const withoutSwitches = ['chain verify', 'approve', 'deny', 'answer'];

const file = storedFile('parallel-tools');
const readers: readonly (readonly [command: string, args: readonly string[]])[] = [
  ['chain show', [file]],
  ['chain at', [file, '1']],
  ['chain watch', [file]],
  ['chain diff', [file, storedFile('reuse')]],
  ['chain explain', [file, '--step', '1']],
  ['chain export', [file, '--format', 'markdown']],
];
/** Readers of a chain whose names work without `chain`. */
const short = ['show', 'watch', 'explain'];
/** Commands that show rows, costs, contents or differences: the walk finds their options. */
const others = [
  'chain list',
  'chain cost',
  'chain blob',
  'chain import',
  'chain replay',
  'archive list',
  'inbox',
  'prompts diff',
  'prompts example',
];

describe('the stored preferences of a user apply in every reader', () => {
  it('each command with a viewer takes --user and --tenant, and so does each that runs a chain', () => {
    const viewing = commands.filter(({ options }) => options.includes('--as'));
    const lacking = viewing.filter(({ options }) => !options.includes('--user') || !options.includes('--tenant'));
    expect(lacking.map(({ name }) => name).sort()).toEqual([...withoutSwitches].sort());
    const known = [...withoutSwitches, ...others, ...short, ...readers.map(([name]) => name)];
    expect(viewing.map(({ name }) => name).sort()).toEqual(known.sort());
    const running = commands.filter(({ options }) => ['--model', '--limit'].every((each) => options.includes(each)));
    expect(running.map(({ name }) => name)).toEqual(expect.arrayContaining(['run', 'start', 'chain fork', 'plan run']));
    // A reply has the tenant of its thread.
    const choosing = running.filter(({ name }) => name !== 'reply');
    for (const { options } of choosing) expect(options).toEqual(expect.arrayContaining(['--user', '--tenant']));
    expect(running.find(({ name }) => name === 'reply')?.options).toContain('--user');
  });

  it('each command that shows content through a viewer records who reads it unmasked', () => {
    const folder = fileURLToPath(new URL('../../../src/cli/', import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const silent = files.filter((name) => {
      const text = readFileSync(`${folder}${name}`, 'utf8');
      return text.includes('await createChainViewer(') && !text.includes('await recordView(');
    });
    // A signal shows no content, a cost no text; an import and a trace read a file or the chain of this command.
    const withoutContent = ['approvals/signal.ts', 'chain/cost.ts', 'chain/import.ts', 'run/print-trace.ts'];
    expect(silent.toSorted(), 'Call recordView (cli/access/record-view.ts) before anything is printed').toEqual(
      withoutContent,
    );
  });

  it('no command creates a viewer in another place, or views a chain without one', () => {
    const folder = fileURLToPath(new URL('../../../src/cli/', import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const creating = files.filter((name) =>
      /\bcreateViewer\(|core\/view\/view\.js'/.test(readFileSync(folder + name, 'utf8')),
    );
    expect(creating.map((name) => name.replaceAll('\\', '/')).sort()).toEqual([
      'access/chain-viewer.ts',
      // An open request, in full.
      'approvals/handle-requests.ts',
      // An auditor's export is complete.
      'audit/export-prompts.ts',
      // Only the switches.
      'run/run-chain.ts',
      // A chain that the command itself started, with the switches.
    ]);
  });

  describe('of a user who switched everything off', () => {
    let fresh: Fresh;
    beforeEach(async () => {
      fresh = await freshFile();
      const off = ['thinking', 'externalCalls', 'internalCalls', 'finalReasoning'].map((name) => `${name}=off`);
      await longhandHere(['preferences', 'set', ...off, '--user', 'ana'], { LONGHAND_STORE: fresh.where });
    });
    afterEach(() => fresh.remove());

    it.each(readers)('%s shows less', async (name, args) => {
      const read = async (user: string) => {
        const all = [...name.split(' '), ...args, '--as', 'developer', '--user', user];
        const { code, stdout } = await longhandHere(all, { LONGHAND_STORE: fresh.where });
        expect(code).toBe(0);
        return stdout;
      };
      expect((await read('ana')).length).toBeLessThan((await read('bob')).length);
    });
  });
});
