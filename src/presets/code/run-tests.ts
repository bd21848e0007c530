/**
 * The built-in tool `run_tests`: the one command that the agent's author chose for its tests. The model names files at most,
 * but it may have written them, and the settings of the test runner: so a run needs approval as any command does.
 */

import { z } from 'zod';
import { codeApprovals } from '../../tools/approval/code-approvals.js';
import { readable } from '../../tools/builtin/files/input.js';
import { findAny } from '../../tools/builtin/files/near.js';
import { defineTool, type Tool } from '../../tools/define/define-tool.js';
import { ToolError } from '../../tools/define/errors.js';
import { runShell } from './shell-command.js';
import { longestCommand } from './shell-exec.js';
import type { Workshop } from './workshop.js';

/** @param line the command; the files that are named come behind it */
export function runTests(workshop: Workshop, line: string): Tool {
  return defineTool({
    name: 'run_tests',
    description: `Runs the tests, with the command ${line}. It runs code and settings from the folder, which you may have written, so a person may have to approve it. Use it to see a fault, and to prove that it is gone.`,
    input: z.object({
      paths: z
        .array(readable)
        .max(50)
        .default([])
        .describe('Only these files, from the top: ["test/auth.test.js"]; [] for all tests'),
    }),
    returns: '{ exitCode, output }: 0 where all tests passed.',
    // Tests leave caches and reports behind, which a second run leaves as they are.
    effects: 'idempotent',
    approval: codeApprovals.run_tests,
    timeout: (longestCommand + 30) * 1_000,
    retry: { attempts: 2 },
    run: async ({ paths }, { signal }) => {
      const places: string[] = [];
      for (const path of paths) {
        const { shown } = await findAny(workshop.root, path, signal);
        if (shown.startsWith('-')) throw new ToolError(`${shown} would be taken for an option: run all tests.`);
        places.push(shown);
      }
      const command = paths.length === 0 ? line : `${line} "$@"`;
      try {
        return await runShell(workshop, { line: command, args: places, timeoutMs: longestCommand * 1_000, signal });
      } catch (error) {
        if (!(error instanceof Error && error.name === 'NotStarted')) throw error;
        throw new ToolError(`The tests were not run: ${error.message}`, { cause: error });
      }
    },
  });
}
