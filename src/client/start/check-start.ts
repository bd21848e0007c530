/** Checks the arguments of a start that types do not check: from JavaScript, and from files. */

import { shorten } from '../../core/lib/index.js';
import { isName } from '../../core/model/index.js';
import { checkId as checkAnyId, checkStartOptions } from '../../options/index.js';
import { createInvalidInput, InvalidInputError } from '../errors/errors.js';
import type { StartOptions } from './start-options.js';

const ifExistsValues: readonly unknown[] = ['error', 'join', 'again', undefined];

/**
 * @throws {InvalidInputError} when the id is not a text, empty, too long, or has control characters, or `ifExists`,
 *   `roles`, `messages` or `awaitAgent` are invalid
 */
export function checkStart({
  ifExists,
  priority,
  ...options
}: Pick<StartOptions, 'chainId' | 'ifExists' | 'priority' | 'roles' | 'messages' | 'awaitAgent'>): void {
  checkStartOptions(options, createInvalidInput);
  if (priority !== undefined && ![1, 2, 3, 4, 5].includes(priority))
    throw new InvalidInputError(`Invalid \`priority\` ${JSON.stringify(priority)}: expected 1, first, to 5.`);
  if (!ifExistsValues.includes(ifExists)) {
    throw new InvalidInputError(
      `Invalid \`ifExists\` ${JSON.stringify(ifExists)}: expected 'error', 'join', 'again' or undefined.`,
    );
  }
}

/** @throws {InvalidInputError} when the value is not an agent, or its name is one that no agent has */
export function checkAgent(agent: unknown): void {
  const { name }: { name?: unknown } = typeof agent === 'object' && agent !== null ? agent : {};
  const remedy = 'Pass the agent that `defineAgent` returned, or its name.';
  if (typeof name === 'string') {
    if (name.trim() === '') throw new InvalidInputError(`The agent's name is empty. ${remedy}`);
    if (!isName(name)) throw new InvalidInputError(formatInvalidName(name));
    return;
  }
  if (agent !== undefined) throw new InvalidInputError(`Invalid agent: it has no name. ${remedy}`);
  throw new InvalidInputError(
    `The agent is undefined. ${remedy} Circular imports leave an imported agent undefined: move it to its own module.`,
  );
}

/** A name with a version selects chains in lists; a start has none. */
function formatInvalidName(name: string): string {
  const quotedName = JSON.stringify(shorten(name, 100));
  const [base, version] = name.split('@', 2);
  if (version !== undefined && isName(base))
    return `Invalid agent ${quotedName}: a start names no version, which the worker that has the agent chooses. Pass ${base}.`;
  return `Invalid agent ${quotedName}: a name begins with a letter or _ and has only letters, digits, _ and -, at most 64. Pass the name that \`defineAgent\` got.`;
}

/** @throws {InvalidInputError} when the id is not a text, empty or too long */
export function checkId(chainId: unknown): void {
  checkAnyId(chainId, createInvalidInput);
}
