/** The `longhand` command. */

import { readFileSync } from 'node:fs';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { Command, CommanderError, Option } from 'commander';
import { dev, run, type StartFlags, start, type WorkerFlags, worker } from './commands.js';
import { demo } from './demo.js';
import { doctor } from './doctor.js';
import { usageExitCode } from './exit-codes.js';
import { parse } from './parse.js';
import { openTerminal, type Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

// Workers talk at INFO about every change of their state; a person at a terminal wants the chain.
Runtime.install({ logger: new DefaultLogger('WARN'), telemetryOptions: { logging: { filter: 'ERROR', forward: {} } } });

const program = new Command('longhand')
  .description('Durable reasoning for AI agents, on Temporal.')
  .version(version())
  .option('--no-color', 'no colours, as in a pipe')
  .configureHelp({ showGlobalOptions: true })
  .exitOverride();

let exitCode = 0;
const act = <A extends unknown[]>(command: (terminal: Terminal, ...args: A) => Promise<number>) => {
  return async (...args: unknown[]) => {
    exitCode = await command(openTerminal(program.opts().color !== false), ...(args as A));
  };
};

withStartFlags(program.command('run <agent> <task>'))
  .description('run an agent on a task, with a worker in this process, and show the chain as it goes')
  .option('--module <file>', 'where the agents are (default: ./agents.ts)')
  .option('--json', 'print the result alone, as one JSON object')
  .action(act((terminal, agent: string, task: string, flags: StartFlags) => run(terminal, agent, task, flags)));

withStartFlags(program.command('start <agent> <task>'))
  .description('start a chain for a worker that runs elsewhere; prints its id')
  .option('--wait', 'follow it to its end')
  .option('--join', 'if a chain of this id is running, take that one')
  .option('--json', 'print JSON')
  .action(act((terminal, agent: string, task: string, flags: StartFlags) => start(terminal, agent, task, flags)));

withWorkerFlags(program.command('worker'))
  .description('run a worker for the agents of a module')
  .action(act((terminal, flags: WorkerFlags) => worker(terminal, flags)));

withWorkerFlags(program.command('dev'))
  .description('run Temporal, set up for chains, and a worker, until stopped')
  .action(act((terminal, flags: WorkerFlags) => dev(terminal, flags)));

program
  .command('parse')
  .description('show how a strategy reads a reply, given on standard input')
  .addOption(
    new Option('--strategy <name>', 'how to read it').choices(['react', 'tools', 'autonomous']).default('react'),
  )
  .option('--jsonl', 'read one {"id", "text", "tools"?} a line')
  .action(
    act((terminal, flags: { strategy: 'react' | 'tools' | 'autonomous'; jsonl?: boolean }) =>
      parse(
        { strategy: flags.strategy, jsonl: flags.jsonl ?? false },
        { input: process.stdin, write: (line) => terminal.write(`${line}\n`), writeError: terminal.say },
      ),
    ),
  );

program
  .command('doctor')
  .description('look whether everything is there that chains need, and say what to do about what is not')
  .option('--json', 'print JSON')
  .action(
    act((terminal, flags: { json?: boolean }) =>
      doctor({ write: terminal.write, env: process.env, color: terminal.color, json: flags.json ?? false }),
    ),
  );

program
  .command('demo [task]')
  .description('run the repository-reader example on the folder you stand in')
  .action(act((terminal, task?: string) => demo(terminal, task)));

function withStartFlags(command: Command): Command {
  return command
    .option('--model <name>', "instead of the agent's model (default: LONGHAND_MODEL)")
    .option('--limit <name=value>', 'steps=5, tokens=20000, cost=0.25, time=30s or stall=3; repeatable', collect, [])
    .option('--id <chain>', "the chain's id (default: made from the agent's name)")
    .option('--tenant <name>', 'for whom')
    .option('--user <name>', 'who asked')
    .option('--task-queue <name>', 'where the workers listen')
    .option('--prices <file>', "a price map in LiteLLM's format");
}

function withWorkerFlags(command: Command): Command {
  return command
    .option('--module <file>', 'where the agents are (default: ./agents.ts)')
    .option('--task-queue <name>', 'where to listen')
    .option('--prices <file>', "a price map in LiteLLM's format");
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function version(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) exitCode = error.exitCode === 0 ? 0 : usageExitCode;
  else if (error instanceof UsageError) exitCode = complain(error.message, usageExitCode);
  else exitCode = complain(error instanceof Error ? error.message : String(error), 1);
}
// What Temporal keeps open in the background must not keep a finished command alive.
process.exit(exitCode);

function complain(message: string, code: number): number {
  process.stderr.write(`longhand: ${message}\n`);
  return code;
}
