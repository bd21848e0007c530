/**
 * A program as a tool: the arguments of a call are JSON on its standard input, its standard output is the result.
 *
 * 1. No shell, and the command line is the definition's: nothing that a model writes becomes an argument or a variable.
 * 2. The program gets no variable of the worker but `PATH` and those that the definition names.
 * 3. L5: only exit codes that state so mean that nothing happened.
 */

import { resolve } from 'node:path';
import { check, isObject, type Json, omitUndefined, toPlainText } from '../../core/lib/index.js';
import { defaults, type Effects } from '../../core/model/index.js';
import type { SecretMasker } from '../../core/redact/index.js';
import { toMilliseconds } from '../../options/index.js';
import { registerSecrets } from '../../secrets/index.js';
import {
  defineTool,
  listExplicitOptions,
  markRunsIn,
  NotDone,
  prepareNotDone,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolSchema,
} from '../define/index.js';
import {
  type CommandEnd,
  type CommandVariables,
  createHeadTailBuffer,
  createLineLog,
  createSecretDetector,
  type HeadTailBuffer,
  pickVariables,
  runCommand,
} from '../process/index.js';
import type { ToolOverrides } from './adapt-tools.js';

export interface CommandToolOptions<S extends ToolSchema = ToolSchema>
  extends Pick<ToolDefinition<S>, 'name' | 'description' | 'inputSchema' | 'outputSchema' | 'returns' | 'effects'>,
    Omit<ToolOverrides, 'description' | 'effects'> {
  /** The program: a name in `PATH`, or a path. */
  readonly command: string;
  /** Its arguments, the same for each call. */
  readonly args?: readonly string[];
  /** The folder in which it runs. Default: that of the worker. */
  readonly cwd?: string;
  /** Variables of its environment, in addition to `PATH` and `LONGHAND_IDEMPOTENCY_KEY`. */
  readonly env?: CommandVariables;
  /** Names of variables of the worker that it gets too. */
  readonly passEnv?: readonly string[];
  /** Variables whose values are secrets, with the names of the secrets: `{ API_KEY: 'CRM_KEY' }`. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Bytes of its output that are kept, 1 MB by default. A longer output is a text without its middle. */
  readonly maxOutputBytes?: number;
}

type CommandPart = Pick<
  CommandToolOptions,
  'command' | 'args' | 'cwd' | 'env' | 'passEnv' | 'secrets' | 'maxOutputBytes'
>;

const keyVariable = 'LONGHAND_IDEMPOTENCY_KEY';

const checkArgument = check.define(
  (value) => typeof value === 'string' && !value.includes('\0'),
  'must be a text without zero bytes',
);

const checkPath = check.refine(checkArgument, (value) => value !== '', 'must not be empty');

const checkVariable = check.refine(
  check.pattern(
    /^[A-Za-z_]\w*$/,
    (name) => `must name variables of letters, digits and _, not ${JSON.stringify(name)}`,
  ),
  (name) => name !== keyVariable,
  `must not contain ${keyVariable}: each call has its own`,
);

const checkVariables: check.ValueCheck = (value, at) =>
  isObject(value)
    ? check.findFirst(
        Object.entries(value),
        ([name, content]) => checkVariable(name, at) ?? checkArgument(content, `${at}.${name}`),
      )
    : `${at} must be an object of texts, for example { LANG: 'C.UTF-8' }`;

const checkPart = check.members<CommandPart>({
  command: checkPath,
  args: check.list(checkArgument),
  cwd: checkPath,
  env: checkVariables,
  passEnv: check.list(checkVariable),
  secrets: checkVariables,
  maxOutputBytes: check.integerWithin(1, 100_000_000),
});

const defaultMaxOutputBytes = 1_000_000;
/** Bytes of standard error that are kept for the message of a failure. */
const errorBytes = 64 * 1024;
/** Characters of it that the message has. */
const errorCharacters = 1_000;
/** Milliseconds of an attempt after the time limit of its program, to end it and to report it. */
const endingMs = 5_000;

/**
 * Makes a tool of a program: a call writes its arguments to standard input as one JSON object, and reads the result from standard
 * output, JSON or text. Standard error is logged, and its end is part of the message of a failure.
 *
 * Exit code 0 is success. With 65 (the arguments are wrong) and 75 (try later) the program states that nothing happened. With any
 * other code, at a signal and at the time limit, an unsafe call has an unknown outcome, and other calls are retried.
 *
 * @throws {LonghandError} `invalid_options`; `invalid_tool` for an option that all tools have
 * @example
 * commandTool({
 *   name: 'forecast',
 *   description: 'Forecasts the sales of a product',
 *   command: 'python3',
 *   args: ['-m', 'forecast'],
 *   cwd: '/srv/forecast',
 *   inputSchema: z.object({ product: z.string(), days: z.int().max(90) }),
 *   effects: 'read',
 * })
 */
export function commandTool<S extends ToolSchema>(options: CommandToolOptions<S>): Tool {
  const { command, args, cwd, env, passEnv, secrets, maxOutputBytes, ...definition } = options;
  const part: CommandPart = { command, ...omitUndefined({ args, cwd, env, passEnv, secrets, maxOutputBytes }) };
  check.assertNoProblem(
    checkPart(part, '') ?? (command === undefined ? 'command must be a program, such as python3' : null),
    'commandTool',
  );
  const timeoutMs = toMilliseconds(definition.timeout ?? defaults.toolTimeoutMs);
  const tool = defineTool({
    kind: 'command',
    ...definition,
    timeout: timeoutMs + endingMs,
    secrets: Object.values(secrets ?? {}),
    execute: markRunsIn((input: unknown, { signal, secret, idempotencyKey, log }: ToolContext<string>) => {
      const prepare = (): ProgramRun => {
        const values = Object.entries(secrets ?? {}).map(([name, of]) => [name, secret(of)] as const);
        const commandVariables: CommandVariables = { ...pickVariables(process.env, passEnv ?? []), ...env };
        return {
          ...{ name: definition.name, effects: definition.effects, timeoutMs, signal },
          input: JSON.stringify(input),
          cwd: resolve(part.cwd ?? '.'),
          env: {
            ...pickVariables(process.env, ['PATH', 'SystemRoot']),
            ...commandVariables,
            ...Object.fromEntries(values),
            [keyVariable]: idempotencyKey,
          },
          masker: maskCredentials(commandVariables, values),
          log: (line) => log.info(line),
        };
      };
      return run(part, prepareNotDone(definition.name, prepare));
    }, `the program ${command}`),
  });
  return { ...tool, explicitOptions: listExplicitOptions(options) };
}

/** Credentials may also be in plain variables: the worker's own, or those of the definition. */
function maskCredentials(
  commandVariables: CommandVariables,
  secrets: readonly (readonly [string, string])[],
): SecretMasker {
  const isSecret = createSecretDetector();
  const credentials = Object.entries(commandVariables).filter(([name, value]) => isSecret(name, value));
  return registerSecrets([...credentials, ...secrets].map(([, value]) => value));
}

interface ProgramRun {
  readonly name: string;
  readonly effects: Effects;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly input: string;
  readonly cwd: string;
  readonly env: CommandVariables;
  readonly masker: SecretMasker;
  readonly log: (line: string) => void;
}

async function run(part: CommandPart, { masker, log, ...call }: ProgramRun): Promise<Json | undefined> {
  const output = createHeadTailBuffer(part.maxOutputBytes ?? defaultMaxOutputBytes);
  const errors = createHeadTailBuffer(errorBytes);
  const lines = createLineLog((line) => log(masker.text(line)));
  const end = await runCommand({
    ...{ file: part.command, args: part.args ?? [], env: call.env, input: `${call.input}\n` },
    cwd: call.cwd,
    ...{ timeoutMs: call.timeoutMs, signal: call.signal },
    onOutput: (chunk, from) => {
      if (from === 'stdout') return output.add(chunk);
      errors.add(chunk);
      lines.add(chunk);
    },
  }).catch((error: unknown) => {
    throw error instanceof Error && error.name === 'NotStarted'
      ? new NotDone(`${call.name} did not run: ${part.command}: ${error.message}`, { cause: error })
      : error;
  });
  lines.end();
  const problem = describeEnd(end, call);
  if (problem === null) return toResult(output, masker);
  const reported = takeEnd(masker.text(toPlainText(errors.text())).trim());
  const message = `${call.name} ${problem}.${reported === '' ? '' : `\n${reported}`}`;
  throw isNotDone(end, call) ? new NotDone(message) : new Error(message);
}

/** Returns null for success. */
function describeEnd(end: CommandEnd, { timeoutMs }: Pick<ProgramRun, 'timeoutMs'>): string | null {
  switch (end.by) {
    case 'exit':
      return end.code === 0 ? null : `failed with exit code ${end.code}`;
    case 'signal':
      return `was ended by ${end.name}`;
    case 'timeout':
      return `was ended by its time limit of ${timeoutMs / 1_000} seconds`;
  }
}

/** As in sysexits.h. */
const exitCodes = { invalidData: 65, temporary: 75 };

/** A temporary failure of a call that may be repeated is retried. */
function isNotDone(end: CommandEnd, { effects }: Pick<ProgramRun, 'effects'>): boolean {
  if (end.by !== 'exit') return false;
  return end.code === exitCodes.invalidData || (end.code === exitCodes.temporary && effects === 'unsafe');
}

function toResult(output: HeadTailBuffer, { text, value }: SecretMasker): Json | undefined {
  const outputText = output.text().trim();
  if (outputText === '') return undefined;
  try {
    if (!output.isClipped()) return value(JSON.parse(outputText) as Json);
  } catch {
    // A text.
  }
  return text(toPlainText(outputText));
}

/** Returns the last lines: errors are at the end. */
function takeEnd(text: string): string {
  if (text.length <= errorCharacters) return text;
  const end = text.slice(-errorCharacters);
  return end.slice(end.indexOf('\n') + 1);
}
