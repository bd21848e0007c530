/** The `longhand` command. Modules are loaded when their command is called: parsing a reply needs no Temporal. */

import { Command, CommanderError, Help, Option } from 'commander';
import { toNoSuchNamespaceError } from '../contract/index.js';
import { type ErrorCode, isLonghandError, type LonghandError, toErrorMessage } from '../core/lib/index.js';
import { readPackageVersion } from '../package/index.js';

import { addPeopleCommands } from './approvals/program.js';
import { addArchiveCommands } from './archive/program.js';
import { addAuditCommands } from './audit/program.js';
import { addBudgetCommands } from './budget/program.js';
import { addChainCommands } from './chain/program.js';
import { addConnectionFlags, isConnectionFlag, toConnectionVariables } from './flags/connection-flags.js';
import type { CommandLoggerOptions } from './flags/logger.js';
import { createModuleOption } from './flags/module-option.js';
import { addAwaitAgentFlag, addContextFlags, addRunFlags, addStartFlags } from './flags/start-flags.js';
import { UsageError, usageExitCode } from './flags/usage-error.js';
import { collectValues, rejectEmptyOptions } from './flags/values.js';
import { addGatewayCommands } from './gateway/program.js';
import { addKeysCommands } from './keys/program.js';
import { addMemoryCommands } from './memory/program.js';
import { addModelsCommands } from './models/program.js';
import type { ParseOptions } from './parse.js';
import { addPlanCommands } from './plans/program.js';
import { addPreferenceCommands } from './preferences/program.js';
import { addPromptsCommands } from './prompts/program.js';
import { addReplyCommand } from './run/program.js';
import { addScheduleCommands } from './schedules/program.js';
import { maskCrashes } from './terminal/crash.js';
import { formatWithStack } from './terminal/error-text.js';
import { stopWhenOutputCloses } from './terminal/shutdown.js';
import {
  type CommandLoader,
  flush,
  isErrorRead,
  moveConsoleToErrors,
  openTerminal,
  type Terminal,
  writeError,
} from './terminal/terminal.js';
import { addToolsCommands } from './tools/program.js';

export const program: Command = new Command('longhand')
  .description('Durable reasoning for AI agents, on Temporal.')
  .version(readPackageVersion())
  .option('--no-color', 'print without colours, as in a pipe')
  .option('--debug', 'print errors with their stacks and causes')
  // Without `[options]`, which nearly all have, descriptions have room in a terminal of 80 columns.
  .configureHelp({
    showGlobalOptions: true,
    visibleGlobalOptions: (command) =>
      command === program ? [] : program.options.filter((option) => !isConnectionFlag(option)),
    subcommandTerm: (command) => formatTerm(command),
  })
  .hook('preAction', (_program, command) => {
    rejectEmptyOptions(program);
    rejectEmptyOptions(command);
    setVariables(toConnectionVariables(program));
  })
  // Commander repeats arguments in its messages. Commands that are added below inherit this setting.
  .configureOutput({
    writeErr: writeError,
    outputError: (message, write) => write(nameSubcommands(message).replace(/^error: /, 'longhand: ')),
  })
  .exitOverride();

addConnectionFlags(program).addHelpText('afterAll', ({ command }) =>
  command === program ? '' : '\nFlags of the connection to Temporal, such as --address: longhand --help',
);

let exitCode = 0;
const act = <A extends unknown[]>(load: CommandLoader<A>) => {
  return async (...args: unknown[]) => {
    const terminal = openTerminal(program.opts().color !== false);
    const command = await load();
    // Commander adds the command itself.
    exitCode = await command(terminal, ...(args.slice(0, -1) as A));
  };
};

// Groups of the help, in its order.
program.commandsGroup('Run:');

addRunFlags(addTaskArguments(program.command('run')))
  .description('run an agent on a task with a worker in this process, and follow the chain')
  .addOption(createModuleOption())
  .action(act(async () => (await loadCommands('chain')).runAgent));

addAwaitAgentFlag(addContextFlags(addStartFlags(addTaskArguments(program.command('start')))))
  .description('start a chain for a worker in another process and print its id')
  .option('--wait', 'follow the chain until it ends')
  .option('--join', 'if a chain with this id exists, use it instead of starting one')
  .option('--again', 'if the chain with this id has ended, start it again')
  .option('--json', 'print JSON')
  .action(act(async () => (await loadCommands('chain')).startAgent));

addReplyCommand(program, act);
addScheduleCommands(program, act);

addWorkerFlags(program.command('worker'))
  .description('run a worker for the agents of a module')
  .option('--health <host:port>', 'serve /health and /ready there, for probes of containers (default: not at all)')
  .action(act(async () => (await loadCommands('worker')).runWorker));

program
  .command('demo')
  .argument('[task]', 'a question about these files (default: what the three longest ones do)')
  .description('run the demo agent on the files of the current folder, or on those of Longhand where it has none')
  .action(act(async () => (await loadCommands('chain')).runDemo));

addPlanCommands(program, act, async () => (await loadCommands('chain')).runTask);

program.commandsGroup('Read chains:');
addChainCommands(program, act);

program.commandsGroup('Decide and steer:');
addPeopleCommands(program, act);

program.commandsGroup('Store and audit:');
addArchiveCommands(program, act);
addPreferenceCommands(program, act);
addMemoryCommands(program, act);
addAuditCommands(program, act);

program.commandsGroup('Set up:');

addWorkerFlags(program.command('dev'))
  .description('run a local Temporal server, and a worker if agents and a model are configured, until stopped')
  .option('--db <file>', 'store the chains in this file (default: they are lost when the server stops)')
  .action(act(async () => (await loadCommands('dev')).runDev));

program
  .command('doctor')
  .description('check the environment and suggest fixes')
  .option('--limits', 'print the limits and other defaults instead')
  .option('--json', 'print JSON')
  .action(
    act(() => async (terminal, { json = false, limits = false }: { json?: boolean; limits?: boolean }) => {
      const { printLimits, runDoctor } = await import('./doctor/doctor.js');
      const { write, color } = terminal;
      return limits ? printLimits({ write, json }) : runDoctor({ write, env: process.env, color, json });
    }),
  );

addGatewayCommands(program, act);
addBudgetCommands(program, act);
addModelsCommands(program, act);
addPromptsCommands(program, act);
addToolsCommands(program, act, async () => (await loadCommands('chain')).callTool);
addKeysCommands(program, act);

program
  .command('codec')
  .description("run a codec server, with which Temporal's Web UI and CLI decrypt payloads, until stopped")
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--port <number>', 'port to listen on', '8234')
  .addOption(
    new Option('--origin <url>', 'origin of the Web UI as the browser sends it; repeatable')
      .argParser(collectValues)
      .default([], 'http://127.0.0.1:8233 and http://localhost:8233'),
  )
  .option(
    '--auth <file>',
    'file with the token that requests must carry (default: LONGHAND_CODEC_TOKEN, or none on this machine)',
  )
  .action(act(async () => (await import('./server/codec.js')).runCodec));

program
  .command('redact')
  .description('mask secrets and personal data in a text from standard input')
  .option('--jsonl', 'read one {"id", "text"} or {"id", "object", "paths"?} per line')
  .action(
    act(() => async (terminal, { jsonl = false }: { jsonl?: boolean }) => {
      const { redact } = await import('./redact.js');
      return redact(
        { jsonl },
        { input: process.stdin, write: terminal.writeRaw, writeError: createLineReporter(terminal) },
      );
    }),
  );

program
  .command('parse')
  .description('show how a strategy parses a reply from standard input')
  .addOption(
    new Option('--strategy <name>', 'strategy that parses the reply')
      .choices(['react', 'tools', 'autonomous', 'plan'])
      .default('react'),
  )
  .option('--no-require-thought', 'accept react replies without a thought')
  .option('--jsonl', 'read one {"id", "text", "tools"?} per line')
  .action(
    act(
      () =>
        async (
          terminal,
          { strategy, requireThought, jsonl = false }: Omit<ParseOptions, 'jsonl'> & { jsonl?: boolean },
        ) => {
          const { parseInput: parse } = await import('./parse.js');
          const write = (line: string) => terminal.write(`${line}\n`);
          const streams = { input: process.stdin, write, writeError: createLineReporter(terminal) };
          return parse({ strategy, requireThought, jsonl }, streams);
        },
    ),
  );

program.helpCommand(true);

/** Loads the commands that run a worker. */
async function loadCommands(command: CommandLoggerOptions['command']) {
  const { installRuntime } = await import('./install-runtime.js');
  await installRuntime({ command, env: process.env, isTerminal: isErrorRead(), write: writeError });
  return {
    ...(await import('./run/start.js')),
    ...(await import('./run/run-task.js')),
    ...(await import('./run/worker-commands.js')),
    ...(await import('./demo/demo.js')),
    ...(await import('./tools/call.js')),
  };
}

/** Replaces Commander's suggestions for a command that groups have: `list` is not a misspelt `limit`. */
function nameSubcommands(message: string): string {
  const [head = '', name] = /^error: unknown command '(.*)'$/m.exec(message) ?? [];
  const paths = program.commands
    .filter(({ commands }) => commands.some((command) => command.name() === name))
    .map((group) => `longhand ${group.name()} ${name}`)
    // Most commands are about chains.
    .sort((a, b) => Number(b.startsWith('longhand chain ')) - Number(a.startsWith('longhand chain ')));
  if (paths.length === 0) return message;
  return `${head}\n(Did you mean ${paths.length === 1 ? '' : 'one of '}${paths.join(', ')}?)\n`;
}

function formatTerm(command: Command): string {
  return new Help().subcommandTerm(command).replace(' [options]', '');
}

function addTaskArguments(command: Command): Command {
  return command.argument('<agent>', 'name of the agent').argument('<task>', 'what the agent does');
}

function addWorkerFlags(command: Command): Command {
  return command
    .addOption(createModuleOption())
    .option('--task-queue <name>', 'task queue to poll (default: longhand)')
    .option('--prices <file>', "price map in LiteLLM's format");
}

/** Runs the command of the process's arguments and exits. */
export async function runProcess(): Promise<never> {
  stopWhenOutputCloses();
  moveConsoleToErrors();
  maskCrashes();
  const code = await main(process.argv.slice(2));
  await flush(process.stdout, process.stderr);
  // Temporal's open handles must not keep a finished command alive.
  process.exit(code);
}

/** Runs one command and returns its exit code. A process runs one command at a time, also one after another. */
export async function main(args: readonly string[]): Promise<number> {
  exitCode = 0;
  const before = { ...process.env };
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const namespace = toNoSuchNamespaceError(error);
    if (error instanceof CommanderError) exitCode = error.exitCode === 0 ? 0 : usageExitCode;
    else if (error instanceof UsageError || isConnectionRejected(error)) exitCode = printError(error, usageExitCode);
    else if (namespace !== null) exitCode = printError(namespace, usageExitCode);
    else exitCode = printError(error, 1);
  } finally {
    setVariables(Object.fromEntries(Object.keys(toConnectionVariables(program)).map((name) => [name, before[name]])));
  }
  return exitCode;
}

function setVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/** Codes of a connection that its settings keep from being used, as flags of a command would. */
const rejectedConnections: ReadonlySet<ErrorCode> = new Set([
  ...(['invalid_connection', 'tls_mismatch', 'certificate_untrusted', 'server_name_mismatch'] as const),
  ...(['client_certificate_rejected', 'api_key_rejected', 'namespace_denied'] as const),
]);

function isConnectionRejected(error: unknown): error is LonghandError {
  return isLonghandError(error) && rejectedConnections.has(error.code);
}

/** Reports invalid lines of the input. */
function createLineReporter(terminal: Terminal): (line: string) => void {
  return (line) => terminal.report(`longhand: ${line}`);
}

function printError(error: unknown, code: number): number {
  writeError(`longhand: ${program.opts().debug ? formatWithStack(error) : toErrorMessage(error)}\n`);
  return code;
}
