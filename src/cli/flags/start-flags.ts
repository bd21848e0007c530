/** The flags of all commands that start a chain, and their conversion to options of the client. */

import { readFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { detectMediaType, type Json, type JsonObject, parseJsonOrText, toErrorMessage } from '../../core/lib/index.js';
import { parseLimits } from './limits.js';
import { UsageError } from './usage-error.js';
import { createListOption, createRoleOption } from './values.js';

/** Flags of each chain that a command or a schedule starts. */
export interface ChainFlags {
  readonly model?: string;
  readonly limit: readonly string[];
  readonly dataClass?: readonly string[];
  readonly tenant?: string;
  readonly user?: string;
  readonly role: readonly string[];
  readonly taskQueue?: string;
  readonly context?: readonly string[];
  readonly file?: readonly string[];
  readonly awaitAgent?: boolean;
  readonly metadata?: readonly string[];
  readonly priority?: string;
}

export interface StartFlags extends ChainFlags {
  readonly id?: string;
  readonly json?: boolean;
}

/**
 * Converts flags to start options. Without `--role`, the roles are undefined: a fork then has those of its origin.
 *
 * @throws {UsageError} with the invalid limit
 */
export function toStartOptions({
  id,
  model,
  tenant,
  user,
  role,
  limit,
  dataClass,
  context,
  file,
  awaitAgent,
  metadata = [],
  priority,
}: StartFlags) {
  return {
    chainId: id,
    model,
    limits: parseLimits(limit),
    dataClass,
    tenant,
    user,
    roles: role.length === 0 ? undefined : role,
    context: readContext(context ?? [], file ?? []),
    ...(metadata.length === 0 ? {} : { metadata: parseMembers(metadata) }),
    ...(awaitAgent === true ? { awaitAgent } : {}),
    ...(priority === undefined ? {} : { priority: parsePriority(priority) }),
  };
}

function parsePriority(text: string): number {
  if (!/^[1-5]$/.test(text)) throw new UsageError(`Invalid --priority ${text}: expected 1, first, to 5.`);
  return Number(text);
}

/** Parses `name=value`: the value is JSON, or a text. @throws {UsageError} */
function parseMembers(members: readonly string[]): JsonObject {
  const pairs = members.map((member): readonly [string, Json] => {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(member) ?? [];
    if (name === '') throw new UsageError(`Invalid --metadata ${member}. Write name=value, such as ticket=A-17.`);
    return [name, parseJsonOrText(value)];
  });
  return Object.fromEntries(pairs);
}

function readContext(
  texts: readonly string[],
  files: readonly string[],
): Record<string, string | Uint8Array> | undefined {
  const parts = [
    ...(texts.length === 0 ? [] : [['Context', texts.join('\n\n')] as const]),
    ...files.map((file) => [file, readFileContent(file)] as const),
  ];
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

/** Returns a text, or the bytes of an image, a PDF, or any other content that is not a UTF-8 text. */
function readFileContent(file: string): string | Uint8Array {
  const bytes = readBytes(file);
  if (detectMediaType(bytes) !== null || bytes.includes(0)) return bytes;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes;
  }
}

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`Cannot read --file ${file}: ${toErrorMessage(error)}.`, { cause: error });
  }
}

function createLimitOption(): Option {
  return createListOption(
    '--limit <name=value>',
    'limit: steps=5, tokens=20000, cost=0.25, time=30s, stall=3, similarity=0.9, depth=2, chains=20 or wait=2d; repeatable',
    'none',
  );
}

function createMetadataOption(): Option {
  return createListOption(
    '--metadata <name=value>',
    'free data of the chain for its readers, which the model does not see: ticket=A-17; repeatable',
    'none',
  );
}

function createDataClassOption(subject: string): Option {
  return createListOption(
    '--data-class <name>',
    `class of the data in the ${subject}: only models that may see it are called; repeatable`,
    'none',
  );
}

/** For commands that start an agent of other processes. */
export function addAwaitAgentFlag(command: Command): Command {
  return command.option('--await-agent', 'start it although no worker has the agent yet: it is about to be deployed');
}

/** Adds the flags for what the agent knows beside its task. */
export function addContextFlags(command: Command): Command {
  return command
    .addOption(createListOption('--context <text>', 'text that the agent knows beside the task; repeatable', 'none'))
    .addOption(
      createListOption(
        '--file <file>',
        'text, image, PDF or other file that the agent knows beside the task; repeatable',
      ),
    );
}

export function addStartFlags(command: Command): Command {
  return addChainFlags(
    command.option('--id <chain>', "id of the chain (default: derived from the agent's name)"),
  ).option('--prices <file>', "price map in LiteLLM's format");
}

export function addChainFlags(command: Command): Command {
  return command
    .option('--model <name>', "model to use instead of the agent's model")
    .addOption(createLimitOption())
    .addOption(createDataClassOption('task'))
    .addOption(createMetadataOption())
    .option('--tenant <name>', 'tenant of the chain')
    .option('--priority <1-5>', 'order of its tasks in a backlog: 1 is first')
    .option('--user <name>', 'user of the chain (default: the logged-in user)')
    .addOption(createRoleOption('role of the user, which tools and policies may require; repeatable'))
    .option(
      '--task-queue <name>',
      'task queue of the workers (default: longhand; with a worker in this process, its own)',
    );
}

/** Adds the flags of commands that continue a chain with another one. */
export function addNextChainFlags(command: Command): Command {
  return command
    .option('--model <name>', "model to use instead of the chain's model")
    .addOption(createLimitOption())
    .addOption(createDataClassOption('message, beside those of the chain'))
    .addOption(createMetadataOption())
    .option('--id <chain>', 'id of the new chain (default: derived)')
    .option('--user <name>', "user (default: the chain's user)")
    .addOption(createRoleOption('role of the user; repeatable', "the chain's roles"))
    .option('--task-queue <name>', 'task queue of the workers (default: longhand; of a reply: that of its thread)');
}

/** Adds the flags of commands that run a worker in their own process. */
export function addRunFlags(command: Command): Command {
  return addContextFlags(addStartFlags(command))
    .option('--tokens', 'also print tokens while the model generates them')
    .option('--trace', 'also print the trace at the end: the steps with what each took')
    .option('--json', 'print only the result, as one JSON object');
}
