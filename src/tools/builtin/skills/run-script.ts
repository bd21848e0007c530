/** The tool that runs the scripts of a skill: one program with arguments, without a shell, as unsafe as any command. */

import { resolve } from 'node:path';
import { z } from 'zod';
import { toSafeErrorMessage } from '../../../core/redact/index.js';
import { type Duration, toMilliseconds } from '../../../options/index.js';
import { registerSecrets } from '../../../secrets/index.js';
import { type Approval, defineTool, NotDone, type Tool, type ToolContext, ToolError } from '../../define/index.js';
import {
  type CapturedCommand,
  type CommandVariables,
  captureCommand,
  createCommandEnvironment,
  createSecretDetector,
  isBeforeStart,
  pickVariables,
} from '../../process/index.js';
import { findFile } from '../files/find-files.js';
import { pathSchema, type Root } from '../files/root.js';

export const scriptsFolder = 'scripts';
const defaultTimeoutMs = 120_000;
/** Milliseconds of an attempt after the time limit of its script. */
const endingMs = 5_000;

/** The arguments of a run of a script. */
export interface SkillScript {
  /** From the skill's folder: `scripts/fill.py`. */
  readonly script: string;
  /** Passed to it one by one, without a shell. */
  readonly args?: readonly string[] | undefined;
  /** Its standard input. */
  readonly input?: string | undefined;
}

interface ScriptOptions {
  readonly approval?: Approval<SkillScript>;
  readonly timeout?: Duration;
  readonly cwd?: string;
  readonly env?: CommandVariables;
  readonly passEnv?: readonly string[];
  readonly roles?: readonly string[];
}

export function defineSkillRunner(root: Root, name: string, options: ScriptOptions): Tool {
  const { timeout = defaultTimeoutMs, approval, roles } = options;
  const timeoutMs = toMilliseconds(timeout);
  return defineTool({
    name: `${name}_run`,
    description: `Runs a script of the skill ${name} and waits until it ends. Read the instructions of the skill first. A person may have to approve it.`,
    inputSchema: z.object({
      script: pathSchema.describe('A file in the scripts of the skill: "scripts/fill.py"'),
      args: z
        .array(
          z
            .string()
            .max(10_000)
            .refine((arg) => !arg.includes('\0'), 'an argument must not contain zero bytes'),
        )
        .max(100)
        .default([])
        .describe('Its arguments, passed without a shell'),
      input: z.string().max(1_000_000).default('').describe('Its standard input'),
    }),
    returns: '{ exitCode, output }; if it was stopped, `exitCode` is null and `stopped` is the reason.',
    effects: 'unsafe',
    kind: 'skill',
    view: {
      response: 'exit code {exitCode}: {output}',
      summary: 'Ran a script (exit code {exitCode})',
    },
    timeout: timeoutMs + endingMs,
    approval: approval ?? { reason: `Runs a script of the skill ${name} with the rights of the worker.`, risk: 'high' },
    ...(roles === undefined ? {} : { roles }),
    execute: async (call, { signal, emit }) => {
      const rejectRun = (cause: unknown): never => {
        throw new NotDone(`The script was not run: ${toSafeErrorMessage(cause)}`, { cause });
      };
      const command = await prepareScript(root, call, { options, timeoutMs, signal, emit }).catch(rejectRun);
      try {
        return await captureCommand(command);
      } catch (error) {
        throw isBeforeStart(error) ? rejectRun(error) : error;
      }
    },
  });
}

interface ScriptRun {
  readonly options: ScriptOptions;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly emit: ToolContext['emit'];
}

async function prepareScript(
  root: Root,
  { script, args = [], input = '' }: SkillScript,
  { options: { cwd, env = {}, passEnv = [] }, ...run }: ScriptRun,
): Promise<CapturedCommand> {
  const place = await findFile(root, script, run.signal);
  if (!place.shown.startsWith(`${scriptsFolder}/`))
    throw new ToolError(`${place.shown} is no script. Scripts are in ${scriptsFolder}/.`);
  const isSecret = createSecretDetector();
  const own = { ...pickVariables(process.env, passEnv), ...env };
  const secrets = Object.entries(own).flatMap(([name, value]) => (isSecret(name, value) ? [value] : []));
  const [file, ...before] = toCommand(place.real);
  return {
    ...{ file, args: [...before, ...args], input, ...run },
    cwd: resolve(cwd ?? root.path),
    env: createCommandEnvironment(process.env, { names: passEnv, given: env }),
    masker: registerSecrets(secrets),
  };
}

/** Programs for scripts that are not executable: archives lose the mode of files. */
const programs: readonly (readonly [RegExp, string])[] = [
  [/\.py$/, 'python3'],
  [/\.sh$/, '/bin/sh'],
  [/\.bash$/, 'bash'],
  [/\.[cm]?js$/, process.execPath],
  [/\.rb$/, 'ruby'],
];

function toCommand(path: string): readonly [string, ...string[]] {
  const program = programs.find(([ending]) => ending.test(path))?.[1];
  return program === undefined ? [path] : [program, path];
}
