/** Text of models, tools and people reaches a terminal as characters, without control sequences. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { getColors } from '../../../src/cli/terminal/colors.js';
import { formatTable } from '../../../src/cli/terminal/table.js';
import { openTerminal } from '../../../src/cli/terminal/terminal.js';
import { createLogger } from '../../../src/logs/create-logger.js';
import { redactingConsole } from '../../../src/models/wire/redacting-provider.js';
import { createTelemetry } from '../../../src/telemetry/create-telemetry.js';
import { hostile, hostileText, isSafe } from './hostile-text.js';

afterEach(() => void vi.restoreAllMocks());

function written(stream: 'stdout' | 'stderr', write: () => void): string {
  const spy = vi.spyOn(process[stream], 'write').mockReturnValue(true);
  write();
  return spy.mock.calls.map(([text]) => String(text)).join('');
}

describe('the output of the command line', () => {
  it.each(Object.entries(hostile))('has no %s', (_, text) => {
    const { write, report } = openTerminal(true);
    for (const out of [written('stdout', () => write(`a${text}b\n`)), written('stderr', () => report(`a${text}b`))]) {
      expect(inspect(out)).toSatisfy(() => isSafe(out));
      expect(out).toMatch(/^a.*b\n/s);
    }
  });

  it('has the colours of its own styling at any depth', () => {
    const c = getColors({ color: true });
    const out = written('stdout', () => openTerminal(true).write(`${c.red(`a ${c.bold('b')} ${c.green('c')} d`)}\n`));
    expect(out).toBe('\u001b[31ma \u001b[1mb\u001b[22m \u001b[32mc\u001b[31m d\u001b[39m\n');
  });

  it('has no colours of a value', () => {
    const c = getColors({ color: true });
    const value = '\u001b[32m✓ approved\u001b[8m';
    const out = written('stdout', () => openTerminal(true).write(`${c.dim(value)} ${value}`));
    expect(out).toBe('\u001b[2m✓ approved\u001b[22m ✓ approved');
  });

  it('has no control sequence that is split into two pieces', () => {
    const { write } = openTerminal(true);
    const out = written('stdout', () => {
      for (const piece of ['\u001b', '[2J', '\u001b]0;', 'owned\u0007', '\u009d0;', 'x\u009c']) write(piece);
    });
    expect(inspect(out)).toSatisfy(() => isSafe(out));
  });

  it('has each row of a table on one line', () => {
    const out = formatTable([{ head: 'ID' }], [[{ text: `one\n✓ forged${hostileText}` }], [{ text: 'two' }]], {
      color: false,
      tableWidth: 100,
    });
    expect(out.trimEnd().split('\n')).toHaveLength(3);
  });
});

describe('a log entry', () => {
  const meta = { workflowId: hostileText, [hostileText]: hostileText, error: new Error(hostileText) };

  it.each(['json', 'text'] as const)('has no control sequences as %s', async (format) => {
    let out = '';
    const write = (text: string) => {
      out += text;
    };
    const logger = await createLogger({ format, write });
    logger.warn(hostileText, meta);
    expect(inspect(out)).toSatisfy(() => isSafe(out));
    const [, ...more] = out.trimEnd().split('\n');
    // As text, the frames of its stack follow: indented, so that none looks like an entry.
    if (format === 'json') expect(more).toEqual([]);
    for (const line of more) expect(line).toMatch(/^ {4}\S/);
    if (format === 'json') expect(JSON.parse(out)).toMatchObject({ msg: hostileText, chainId: hostileText });
  });

  it('of the SDK of a provider has no control sequences', () => {
    for (const level of ['error', 'warn', 'info', 'debug'] as const) {
      const spy = vi.spyOn(console, level).mockImplementation(() => {});
      redactingConsole[level](hostileText, { [hostileText]: hostileText }, hostileText);
      const out = spy.mock.calls.flat().map((each) => (typeof each === 'string' ? each : inspect(each)));
      expect(out.join('\n')).toSatisfy(isSafe);
    }
  });

  it('of telemetry has no control sequences', async () => {
    const spy = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await createTelemetry({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: `\u001b[2J${hostileText}`,
    });
    const out = spy.mock.calls.map(([text]) => String(text)).join('');
    expect(out).toContain('OpenTelemetry');
    expect(inspect(out)).toSatisfy(() => isSafe(out));
  });
});

/**
 * The files that may write to a terminal, by the reason. A new file fails here: let it write through a `Terminal`, or prove
 * above that it removes control sequences.
 */
const outlets: Readonly<Record<string, readonly string[]>> = {
  'the two streams': ['cli/terminal/terminal.ts'],
  'prompts, whose texts are cleaned': ['cli/terminal/prompts.ts'],
  'the drawn view of a plan, whose frames are cleaned': ['cli/print/chain-display.ts'],
  'the lines of interim results, which are cleaned': ['cli/print/live-lines.ts'],
  'a crash, written at once': ['cli/terminal/crash.ts'],
  'logs of libraries': ['logs/create-logger.ts', 'models/wire/redacting-provider.ts', 'telemetry/create-telemetry.ts'],
};

const writes = [
  /process\s*\.\s*(?:stdout|stderr)\s*(?:\.\s*write|[[),;])/,
  /\{[^}]*\b(?:stdout|stderr)\b[^}]*\}\s*=\s*process/,
  /\bfrom 'node:process'/,
  /(?<![-\w])console\s*[.[]/,
  /\bwriteSync\(/,
  /writeFileSync\((?:1|2|'\/dev\/(?:stdout|stderr|tty))/,
  /from 'log-update'|import\('log-update'\)/,
  /from '@clack\/|import\('@clack\//,
  /createColors|from 'picocolors'/,
  /stdio: 'inherit'/,
];

/** One styles texts and writes nothing, one writes a constant text to the pipe of its worker. */
const harmless: readonly string[] = ['cli/terminal/colors.ts', 'tools/isolation/entry.ts'];

describe('the outlets in src', () => {
  it('are all known', () => {
    const source = join(import.meta.dirname, '../../../src');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const found = files.filter((file) => {
      const code = readFileSync(join(source, file), 'utf8')
        .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
        // This waits until both streams are empty.
        .replace('flush(process.stdout, process.stderr)', '');
      return writes.some((pattern) => pattern.test(code));
    });
    expect(found.filter((file) => !harmless.includes(file)).sort()).toEqual(Object.values(outlets).flat().sort());
  });

  it('print JSON by one function, which escapes control characters', () => {
    const source = join(import.meta.dirname, '../../../src/cli');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const found = files.filter((file) =>
      /`\$\{JSON\.stringify\(.*\)\}\\n`/.test(readFileSync(join(source, file), 'utf8')),
    );
    expect(found).toEqual([]);
  });
});
