/** The `longhand` command. Each command is loaded when it is called: reading a reply needs no Temporal. */

import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { toNoSuchNamespaceError } from '../contract/no-such-namespace.js';
import { resolvePackageFile } from '../models/package-file.js';
import { addPeopleCommands } from './approvals/program.js';
import { addArchiveCommands } from './archive/program.js';
import { addAuditCommands } from './audit/program.js';
import { addChainCommands } from './chain/program.js';
import { addRunFlags, addStartFlags } from './flags/start-flags.js';
import { UsageError, usageExitCode } from './flags/usage-error.js';
import { collectValues, rejectEmptyOptions } from './flags/values.js';
import { addKeysCommands } from './keys/program.js';
import type { ParseOptions } from './parse.js';
import { addPlanCommands } from './plans/program.js';
import type { CommandLoggerOptions } from './run/logger.js';
import type { AgentFlags } from './run/start.js';
import type { DevFlags, WorkerFlags } from './run/worker-commands.js';
import type { CodecFlags } from './server/codec.js';
import { maskCrashes } from './terminal/crash.js';
import { stopWhenOutputCloses } from './terminal/shutdown.js';
import { flush, isErrorRead, openTerminal, type Terminal, writeError } from './terminal/terminal.js';

const program = new Command('longhand')
  .description('Durable reasoning for AI agents, on Temporal.')
  .version(readVersion())
  .option('--no-color', 'no colours, as in a pipe')
  .configureHelp({ showGlobalOptions: true })
  .hook('preAction', (_program, command) => rejectEmptyOptions(command))
  // It repeats arguments as they were given. Its commands take this over when they are made.
  .configureOutput({ writeErr: writeError })
  .exitOverride();

let exitCode = 0;
const act = <A extends unknown[]>(command: (terminal: Terminal, ...args: A) => Promise<number>) => {
  return async (...args: unknown[]) => {
    exitCode = await command(openTerminal(program.opts().color !== false), ...(args as A));
  };
};

addRunFlags(program.command('run <agent> <task>'))
  .description('run an agent on a task, with a worker in this process, and show the chain as it goes')
  .option('--module <file>', 'where the agents are (default: ./agents.ts)')
  .action(
    act(async (terminal, agent: string, task: string, flags: AgentFlags) =>
      (await loadCommands('chain')).runAgent(terminal, agent, task, flags),
    ),
  );

addStartFlags(program.command('start <agent> <task>'))
  .description('start a chain for a worker that runs elsewhere; prints its id')
  .option('--wait', 'follow it to its end')
  .option('--join', 'if there is a chain of this id, take that one')
  .option('--again', 'if the chain of this id has ended, run anew')
  .option('--json', 'print JSON')
  .action(
    act(async (terminal, agent: string, task: string, flags: AgentFlags) =>
      (await loadCommands('chain')).startAgent(terminal, agent, task, flags),
    ),
  );

addWorkerFlags(program.command('worker'))
  .description('run a worker for the agents of a module')
  .action(act(async (terminal, flags: WorkerFlags) => (await loadCommands('worker')).runWorker(terminal, flags)));

addWorkerFlags(program.command('dev'))
  .description('run Temporal, set up for chains, and a worker where there are agents and a model, until stopped')
  .option('--db <file>', 'keep the chains in this file (default: they are gone with the server)')
  .action(act(async (terminal, flags: DevFlags) => (await loadCommands('dev')).runDev(terminal, flags)));

program
  .command('parse')
  .description('show how a strategy reads a reply, given on standard input')
  .addOption(
    new Option('--strategy <name>', 'how to read it')
      .choices(['react', 'tools', 'autonomous', 'plan'])
      .default('react'),
  )
  .option('--jsonl', 'read one {"id", "text", "tools"?} a line')
  .action(
    act(async (terminal, { strategy, jsonl = false }: Partial<ParseOptions> & Pick<ParseOptions, 'strategy'>) => {
      const { parseInput: parse } = await import('./parse.js');
      const write = (line: string) => terminal.write(`${line}\n`);
      return parse({ strategy, jsonl }, { input: process.stdin, write, writeError: createLineReporter(terminal) });
    }),
  );

program
  .command('redact')
  .description('hide secrets and what is known of persons in a text, given on standard input')
  .option('--jsonl', 'read one {"id", "text"} or {"id", "object", "paths"?} a line')
  .action(
    act(async (terminal, { jsonl = false }: { jsonl?: boolean }) => {
      const { redact } = await import('./redact.js');
      return redact(
        { jsonl },
        { input: process.stdin, write: terminal.writeRaw, writeError: createLineReporter(terminal) },
      );
    }),
  );

program
  .command('doctor')
  .description('look whether everything is there that chains need, and say what to do about what is not')
  .option('--json', 'print JSON')
  .action(
    act(async (terminal, { json = false }: { json?: boolean }) => {
      const { runDoctor: doctor } = await import('./doctor/doctor.js');
      return doctor({ write: terminal.write, env: process.env, color: terminal.color, json });
    }),
  );

program
  .command('demo [task]')
  .description('run the repository-reader example on the folder you stand in')
  .action(act(async (terminal, task?: string) => (await loadCommands('chain')).runDemo(terminal, task)));

program
  .command('codec')
  .description("let Temporal's Web UI and CLI read what is encrypted: a codec server, until stopped")
  .option('--host <address>', 'where it listens', '127.0.0.1')
  .option('--port <number>', 'on which port', '8234')
  .addOption(
    new Option('--origin <url>', "the Web UI's, as the browser says it; repeatable")
      .argParser(collectValues)
      .default([], 'http://127.0.0.1:8233 and http://localhost:8233'),
  )
  .option('--auth <file>', 'a token that all must bring (default: LONGHAND_CODEC_TOKEN, or none on this machine)')
  .action(act(async (terminal, flags: CodecFlags) => (await import('./server/codec.js')).runCodec(terminal, flags)));

addKeysCommands(program, act);
addPeopleCommands(program, act);
addChainCommands(program, act);
addArchiveCommands(program, act);
addAuditCommands(program, act);
addPlanCommands(program, act, async () => (await loadCommands('chain')).runTask);

/** The commands that talk to Temporal. Its runtime speaks at INFO of every change of state; a person wants the chain. */
async function loadCommands(command: CommandLoggerOptions['command']) {
  const { Runtime } = await import('@temporalio/worker');
  const { createCommandLogger: commandLogger } = await import('./run/logger.js');
  const { toTemporalMetrics: temporalMetrics } = await import('../telemetry/settings.js');
  Runtime.install({
    logger: await commandLogger({ command, env: process.env, isTerminal: isErrorRead(), write: writeError }),
    telemetryOptions: {
      logging: { filter: 'ERROR', forward: {} },
      ...(command === 'chain' ? {} : temporalMetrics(process.env)),
    },
    // It would also take the signals of a command that has no worker to stop, or not yet.
    shutdownSignals: [],
  });
  return {
    ...(await import('./run/start.js')),
    ...(await import('./run/run-task.js')),
    ...(await import('./run/worker-commands.js')),
    ...(await import('./demo/demo.js')),
  };
}

function addWorkerFlags(command: Command): Command {
  return command
    .option('--module <file>', 'where the agents are (default: ./agents.ts)')
    .option('--task-queue <name>', 'where to listen')
    .option('--prices <file>', "a price map in LiteLLM's format");
}

function readVersion(): string {
  return (JSON.parse(readFileSync(resolvePackageFile('package.json'), 'utf8')) as { version: string }).version;
}

/** Runs what the process was called with, and ends the process. */
export async function runProcess(): Promise<never> {
  stopWhenOutputCloses();
  maskCrashes();
  const code = await main(process.argv.slice(2));
  await flush(process.stdout, process.stderr);
  // What Temporal keeps open in the background must not keep a finished command alive.
  process.exit(code);
}

/** Runs one command and resolves with its exit code. A process runs one at a time. */
export async function main(args: readonly string[]): Promise<number> {
  exitCode = 0;
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const namespace = toNoSuchNamespaceError(error);
    if (error instanceof CommanderError) exitCode = error.exitCode === 0 ? 0 : usageExitCode;
    else if (error instanceof UsageError) exitCode = printError(error.message, usageExitCode);
    else if (namespace !== null) exitCode = printError(namespace.message, usageExitCode);
    else exitCode = printError(error instanceof Error ? error.message : String(error), 1);
  }
  return exitCode;
}

/** A line of the input that was not what it must be. */
function createLineReporter(terminal: Terminal): (line: string) => void {
  return (line) => terminal.report(`longhand: ${line}`);
}

function printError(message: string, code: number): number {
  writeError(`longhand: ${message}\n`);
  return code;
}
