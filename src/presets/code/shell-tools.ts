/**
 * The built-in tools `shell_exec`, any command with the rights of the worker, and `run_tests`, the one command that the
 * agent's author chose for its tests. A command that fails has been run all the same: its end is a result like any other.
 *
 * 1. L5: the effect of a second run of any command is unknown, so `shell_exec` is unsafe.
 * 2. The model names test files at most, but it may have written them, and the settings of the test runner: so a run of the
 *    tests needs approval as any command does.
 */

import { z } from 'zod';
import { toPlainText } from '../../core/lib/plain-text.js';
import { codeApprovals } from '../../tools/approval/approval.js';
import { findAny } from '../../tools/builtin/files/find-files.js';
import { pathSchema } from '../../tools/builtin/files/root.js';
import { defineTool, type Tool } from '../../tools/define/define-tool.js';
import { NotDone, ToolError } from '../../tools/define/errors.js';
import { type CommandContext, openCommandContext } from './command-context.js';
import { createHeadTailBuffer, runCommand } from './run-command.js';

/** Seconds that a command may ask for. */
const maxCommandSeconds = 600;

export function shellExec(workshop: CommandContext): Tool {
  return defineTool({
    name: 'shell_exec',
    description:
      'Runs a shell command in the top folder and waits for its end. It has no input and no terminal, and what it leaves running in the background is ended with it. Programs read settings from the folder, which you may have written: a person approves each command.',
    inputSchema: z.object({
      command: z
        .string()
        .min(1)
        .max(10_000)
        .refine((command) => !command.includes('\0'), 'a command has no zero bytes')
        .describe('A line for /bin/sh: "npm test -- auth"'),
      seconds: z.int().min(1).max(maxCommandSeconds).default(120).describe('How long it may take'),
    }),
    returns: '{ exitCode, output }; where it was stopped `exitCode` is null and `stopped` says why.',
    effects: 'unsafe',
    timeout: (maxCommandSeconds + 30) * 1_000,
    execute: async ({ command, seconds }, { signal }) => {
      try {
        return await runShell(workshop, { line: command, timeoutMs: seconds * 1_000, signal });
      } catch (error) {
        throw toNotDone(error, 'The command was not run');
      }
    },
  });
}

/** What failed before anything was started is `NotDone`; any other error as it is. */
export function toNotDone(error: unknown, what: string): unknown {
  const before = error instanceof Error && (error.name === 'NotStarted' || error.name === 'ToolError');
  return before ? new NotDone(`${what}: ${error.message}`, { cause: error }) : error;
}

/** @param line the command; the files that are named come behind it */
export function runTests(workshop: CommandContext, line: string): Tool {
  return defineTool({
    name: 'run_tests',
    description: `Runs the tests, with the command ${line}. It runs code and settings from the folder, which you may have written, so a person may have to approve it. Use it to see a fault, and to prove that it is gone.`,
    inputSchema: z.object({
      paths: z
        .array(pathSchema)
        .max(50)
        .default([])
        .describe('Only these files, from the top: ["test/auth.test.js"]; [] for all tests'),
    }),
    returns: '{ exitCode, output }: 0 where all tests passed.',
    // Tests leave caches and reports behind, which a second run leaves as they are.
    effects: 'idempotent',
    approval: codeApprovals.run_tests,
    timeout: (maxCommandSeconds + 30) * 1_000,
    retry: { attempts: 2 },
    execute: async ({ paths }, { signal }) => {
      const places: string[] = [];
      for (const path of paths) {
        const { shown } = await findAny(workshop.root, path, signal);
        if (shown.startsWith('-')) throw new ToolError(`${shown} would be taken for an option: run all tests.`);
        places.push(shown);
      }
      const command = paths.length === 0 ? line : `${line} "$@"`;
      try {
        return await runShell(workshop, { line: command, args: places, timeoutMs: maxCommandSeconds * 1_000, signal });
      } catch (error) {
        if (!(error instanceof Error && error.name === 'NotStarted')) throw error;
        throw new ToolError(`The tests were not run: ${error.message}`, { cause: error });
      }
    },
  });
}

interface ShellCommand {
  readonly line: string;
  /** Given to the line as "$1", "$2" …: nothing in them is shell. */
  readonly args?: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface ShellResult {
  /** Null where it did not end by itself. */
  readonly exitCode: number | null;
  /** Why it did not. */
  readonly stopped?: string;
  /** What it wrote, to standard output and standard error as they came. */
  readonly output: string;
}

/** Bytes of output that are kept; of them the model is shown what fits its observations. */
const outputBytes = 128 * 1024;

/** @throws {NotStarted} when certainly nothing was run */
async function runShell(
  workshop: CommandContext,
  { line, args = [], timeoutMs, signal }: ShellCommand,
): Promise<ShellResult> {
  const { cwd, env, hider } = await openCommandContext(workshop);
  const ends = createHeadTailBuffer(outputBytes);
  const command = {
    file: '/bin/sh',
    args: ['-c', line, 'sh', ...args],
    cwd,
    env,
    timeoutMs,
    signal,
    onOutput: ends.add,
  };
  const end = await runCommand(command);
  const output = hider.text(toPlainText(ends.text()));
  switch (end.by) {
    case 'exit':
      return { exitCode: end.code, output };
    case 'signal':
      return { exitCode: null, stopped: `it was ended by ${end.name}`, output };
    case 'timeout':
      return { exitCode: null, stopped: `it was ended after ${timeoutMs / 1_000} seconds, its time limit`, output };
  }
}
