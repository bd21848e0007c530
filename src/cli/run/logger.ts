/** What the commands log, and how: as a command shows a chain, what the chain says by itself is not logged as well. */

import type { Logger } from '@temporalio/common';
import { createLogger, logFormats, logLevels } from '../../logs/create-logger.js';
import { failureMessages } from '../../logs/log-entry.js';
import { UsageError } from '../flags/usage-error.js';

export interface CommandLoggerOptions {
  /** `chain`: shows one. `dev`: a worker beside a person. */
  readonly command: 'chain' | 'worker' | 'dev';
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person reads standard error. */
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
}

/** @throws {UsageError} when `LONGHAND_LOG` or `LONGHAND_LOG_LEVEL` cannot be read */
export async function createCommandLogger({ command, env, isTerminal, write }: CommandLoggerOptions): Promise<Logger> {
  const forPeople = command === 'chain' || isTerminal;
  return createLogger({
    format: parseChoice('LONGHAND_LOG', env.LONGHAND_LOG, logFormats, forPeople ? 'text' : 'json'),
    level: parseChoice('LONGHAND_LOG_LEVEL', env.LONGHAND_LOG_LEVEL, logLevels, command === 'worker' ? 'info' : 'warn'),
    ...(command === 'chain' ? { excludedMessages: failureMessages } : {}),
    write,
  });
}

function parseChoice<T extends string>(name: string, given: string | undefined, known: readonly T[], otherwise: T): T {
  if (given === undefined || given === '') return otherwise;
  const found = known.find((each) => each === given.toLowerCase());
  if (found !== undefined) return found;
  throw new UsageError(`${name}=${given} is not known. Use one of: ${known.join(', ')}.`);
}
