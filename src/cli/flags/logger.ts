/** The logger of the commands. A command that shows a chain does not also log the chain's own failures. */

import type { Logger } from '@temporalio/common';
import { createLogger, failureMessages, logFormats, logLevels } from '../../logs/index.js';
import { UsageError } from './usage-error.js';

export interface CommandLoggerOptions {
  /** `chain`: the command shows a chain. `dev`: a worker that a person watches. */
  readonly command: 'chain' | 'worker' | 'dev' | 'gateway';
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person reads standard error. */
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
}

/** Creates the logger of a command. @throws {UsageError} if `LONGHAND_LOG` or `LONGHAND_LOG_LEVEL` is invalid */
export async function createCommandLogger({ command, env, isTerminal, write }: CommandLoggerOptions): Promise<Logger> {
  const forPeople = command === 'chain' || isTerminal;
  const runsAlone = command === 'worker' || command === 'gateway';
  return createLogger({
    format: parseChoice('LONGHAND_LOG', env.LONGHAND_LOG, logFormats, forPeople ? 'text' : 'json'),
    level: parseChoice('LONGHAND_LOG_LEVEL', env.LONGHAND_LOG_LEVEL, logLevels, runsAlone ? 'info' : 'warn'),
    ...(command === 'chain' ? { excludedMessages: failureMessages } : {}),
    write,
  });
}

function parseChoice<T extends string>(name: string, value: string | undefined, known: readonly T[], fallback: T): T {
  if (value === undefined || value === '') return fallback;
  const choice = known.find((candidate) => candidate === value.toLowerCase());
  if (choice !== undefined) return choice;
  throw new UsageError(`Invalid ${name}=${value}. Use one of: ${known.join(', ')}.`);
}
