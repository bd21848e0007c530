/**
 * The built-in tool `shell_exec`: any command, with the rights of the worker. L5: what a second run would do nobody knows,
 * so it is unsafe; that it ended badly is a result like any other, and no doubt.
 */

import { z } from 'zod';
import { defineTool, type Tool } from '../../tools/define/define-tool.js';
import { NotDone } from '../../tools/define/errors.js';
import { runShell } from './shell-command.js';
import type { Workshop } from './workshop.js';

/** Seconds that a command may ask for. */
export const longestCommand = 600;

export function shellExec(workshop: Workshop): Tool {
  return defineTool({
    name: 'shell_exec',
    description:
      'Runs a shell command in the top folder and waits for its end. It has no input and no terminal, and what it leaves running in the background is ended with it. Programs read settings from the folder, which you may have written: a person approves each command.',
    input: z.object({
      command: z
        .string()
        .min(1)
        .max(10_000)
        .refine((command) => !command.includes('\0'), 'a command has no zero bytes')
        .describe('A line for /bin/sh: "npm test -- auth"'),
      seconds: z.int().min(1).max(longestCommand).default(120).describe('How long it may take'),
    }),
    returns: '{ exitCode, output }; where it was stopped `exitCode` is null and `stopped` says why.',
    effects: 'unsafe',
    timeout: (longestCommand + 30) * 1_000,
    run: async ({ command, seconds }, { signal }) => {
      try {
        return await runShell(workshop, { line: command, timeoutMs: seconds * 1_000, signal });
      } catch (error) {
        throw asNotDone(error, 'The command was not run');
      }
    },
  });
}

/** What failed before anything was started is `NotDone`; any other error as it is. */
export function asNotDone(error: unknown, what: string): unknown {
  const before = error instanceof Error && (error.name === 'NotStarted' || error.name === 'ToolError');
  return before ? new NotDone(`${what}: ${error.message}`, { cause: error }) : error;
}
