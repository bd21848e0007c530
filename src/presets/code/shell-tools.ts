/**
 * The built-in tools `shell_exec` (any command, with the rights of the worker) and `run_tests` (the command in `tests`). A
 * non-zero exit code is a result, not an error.
 *
 * 1. L5: the effect of running a command twice is unknown, so `shell_exec` is unsafe.
 * 2. The model only names test files, but it may have written them and the settings of the test runner. So `run_tests` needs
 *    approval like any command.
 */

import { z } from 'zod';
import { findAny, pathSchema } from '../../tools/builtin/index.js';
import {
  codeApprovals,
  defineTool,
  NotDone,
  type Tool,
  type ToolContext,
  ToolError,
} from '../../tools/define/index.js';
import { type CommandResult, captureCommand, isBeforeStart } from '../../tools/process/index.js';
import { type CommandContext, openCommandContext } from './command-context.js';

/** Upper limit of `seconds`. */
const maxCommandSeconds = 600;

export function shellExec(context: CommandContext): Tool {
  return defineTool({
    name: 'shell_exec',
    description:
      'Runs a shell command in the top folder and waits until it ends. It has no input and no terminal; its background processes are ended with it. A person approves each command.',
    inputSchema: z.object({
      command: z
        .string()
        .min(1)
        .max(10_000)
        .refine((command) => !command.includes('\0'), 'a command must not contain zero bytes')
        .describe('A command line for /bin/sh: "npm test -- auth"'),
      seconds: z.int().min(1).max(maxCommandSeconds).default(120).describe('Timeout in seconds'),
    }),
    returns: '{ exitCode, output }; if it was stopped, `exitCode` is null and `stopped` is the reason.',
    effects: 'unsafe',
    kind: 'shell',
    view: {
      request: '{command}',
      response: 'exit code {exitCode}: {output}',
      summary: 'Ran a command (exit code {exitCode})',
    },
    timeout: (maxCommandSeconds + 30) * 1_000,
    execute: async ({ command, seconds }, { signal, emit }) => {
      try {
        return await runShell(context, { line: command, timeoutMs: seconds * 1_000, signal, emit });
      } catch (error) {
        throw toNotDone(error, 'The command was not run');
      }
    },
  });
}

/** Converts an error from before the start to `NotDone`; returns any other error unchanged. */
export function toNotDone(error: unknown, what: string): unknown {
  return isBeforeStart(error) ? new NotDone(`${what}: ${error.message}`, { cause: error }) : error;
}

/** @param line the command, to which test files are appended */
export function runTests(context: CommandContext, line: string): Tool {
  return defineTool({
    name: 'run_tests',
    description: `Runs the tests with the command ${line}. Use it to reproduce a bug and to verify its fix. A person may have to approve it.`,
    inputSchema: z.object({
      paths: z
        .array(pathSchema)
        .max(50)
        .default([])
        .describe('Only these files, relative to the top folder: ["test/auth.test.js"]; [] for all tests'),
    }),
    returns: '{ exitCode, output }: `exitCode` is 0 if all tests passed.',
    // Tests write only caches and reports, which a second run may replace.
    effects: 'idempotent',
    kind: 'shell',
    view: {
      response: 'exit code {exitCode}: {output}',
      summary: 'Ran the tests (exit code {exitCode})',
    },
    approval: codeApprovals.run_tests,
    timeout: (maxCommandSeconds + 30) * 1_000,
    retry: { attempts: 2 },
    execute: async ({ paths }, { signal, emit }) => {
      const places: string[] = [];
      for (const path of paths) {
        const { shown } = await findAny(context.root, path, signal);
        if (shown.startsWith('-')) throw new ToolError(`${shown} would be read as an option. Run all tests instead.`);
        places.push(shown);
      }
      const command = paths.length === 0 ? line : `${line} "$@"`;
      const timeoutMs = maxCommandSeconds * 1_000;
      try {
        return await runShell(context, { line: command, args: places, timeoutMs, signal, emit });
      } catch (error) {
        if (!(error instanceof Error && error.name === 'NotStarted')) throw error;
        throw new ToolError(`The tests were not run: ${error.message}`, { cause: error });
      }
    },
  });
}

interface ShellCommand {
  readonly line: string;
  /** Passed to the line as "$1", "$2" …, so that the shell does not interpret them. */
  readonly args?: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly emit: ToolContext['emit'];
}

/** @throws {NotStarted} if certainly nothing was run */
async function runShell(
  context: CommandContext,
  { line, args = [], ...command }: ShellCommand,
): Promise<CommandResult> {
  const { cwd, env, masker } = await openCommandContext(context);
  return captureCommand({ file: '/bin/sh', args: ['-c', line, 'sh', ...args], cwd, env, masker, ...command });
}
