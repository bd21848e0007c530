/** The flags of all commands that start a chain: declared, and read as options of the client. */

import { type Command, Option } from 'commander';
import { parseLimits } from './limits.js';
import { collectValues } from './values.js';

export interface StartFlags {
  readonly model?: string;
  readonly limit: readonly string[];
  readonly id?: string;
  readonly tenant?: string;
  readonly user?: string;
  readonly taskQueue?: string;
  readonly json?: boolean;
}

/**
 * Reads the flags. The model is not among them: each command has its own default.
 *
 * @throws {UsageError} for a limit that cannot be read
 */
export function toStartOptions({ id, tenant, user, limit }: StartFlags) {
  return { chainId: id, limits: parseLimits(limit), tenant, user };
}

export function addStartFlags(command: Command): Command {
  return command
    .option('--model <name>', "instead of the agent's model (default: LONGHAND_MODEL)")
    .addOption(
      new Option(
        '--limit <name=value>',
        'steps=5, tokens=20000, cost=0.25, time=30s, stall=3, depth=2 or chains=20; repeatable',
      )
        .argParser(collectValues)
        .default([], 'none'),
    )
    .option('--id <chain>', "the chain's id (default: made from the agent's name)")
    .option('--tenant <name>', 'for whom')
    .option('--user <name>', 'who asks (default: who is logged in)')
    .option('--task-queue <name>', 'where the workers listen')
    .option('--prices <file>', "a price map in LiteLLM's format");
}

/** For commands whose worker is in the same process. */
export function addRunFlags(command: Command): Command {
  return addStartFlags(command)
    .option('--tokens', 'also what the model is saying, as it speaks')
    .option('--json', 'print the result alone, as one JSON object');
}
