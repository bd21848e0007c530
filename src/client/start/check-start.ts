/** What a chain is asked to be started with, where a type would not hold it: in JavaScript, and from files. */

import { toPlainJson, toPlainText } from '../../core/lib/plain-text.js';
import { defaults } from '../../core/model/defaults.js';
import { InvalidInputError } from '../errors/errors.js';
import type { StartOptions } from './start.js';

/** Bytes of an id that Temporal takes: of a chain that somebody started without this client, too. */
const maxIdBytes = 1_000;

const ifExistsValues: readonly unknown[] = ['error', 'join', 'again', undefined];

/**
 * @throws {RangeError} when the id is empty, too long, or has control characters
 * @throws {TypeError} when it is no text, or `ifExists` is none of its values
 */
export function checkStart({ chainId, ifExists }: Pick<StartOptions, 'chainId' | 'ifExists'>): void {
  if (chainId !== undefined) checkNewId(chainId);
  if (!ifExistsValues.includes(ifExists)) {
    throw new TypeError(
      `\`ifExists\` is ${JSON.stringify(ifExists)}. Write 'error', 'join' or 'again', or leave it out.`,
    );
  }
}

/**
 * @throws {RangeError} when its name is empty
 * @throws {TypeError} for what is no agent
 */
export function checkAgent(agent: unknown): void {
  const { name }: { name?: unknown } = typeof agent === 'object' && agent !== null ? agent : {};
  const remedy = 'Give what `defineAgent` made, or its name.';
  if (typeof name === 'string') {
    if (name.trim() === '') throw new InvalidInputError(`The agent's name is empty. ${remedy}`);
    return;
  }
  if (agent !== undefined) throw new TypeError(`What is to be started has no name, and is no agent. ${remedy}`);
  throw new TypeError(
    `The agent is undefined. ${remedy} An agent that is imported is undefined while modules import each other in a circle: move it to a module of its own.`,
  );
}

/**
 * Stricter than `checkId`: ids of sub-chains are longer, and Temporal's own tools print an id as it is. A chain that is there
 * already can be read and cancelled all the same.
 */
function checkNewId(chainId: string): void {
  checkId(chainId);
  const bytes = Buffer.byteLength(chainId);
  if (bytes > defaults.chainIdBytes)
    throw new InvalidInputError(
      `The chain's id has ${bytes} bytes; the limit is ${defaults.chainIdBytes}, because ids of sub-chains are longer. Give a shorter one.`,
    );
  if (toPlainText(chainId) === chainId && !/\p{Cc}/u.test(chainId)) return;
  throw new InvalidInputError(
    `Invalid chain id ${toPlainJson(JSON.stringify(chainId))}: it has control characters. Use letters, digits and signs.`,
  );
}

/** @throws as `checkStart` does */
export function checkId(chainId: unknown): void {
  if (typeof chainId !== 'string') throw new TypeError(`A chain's id is a text, not ${JSON.stringify(chainId)}.`);
  if (chainId === '')
    throw new InvalidInputError("The chain's id is empty: give a text, or leave it out for one that is made.");
  const bytes = Buffer.byteLength(chainId);
  if (bytes > maxIdBytes)
    throw new InvalidInputError(`The chain's id has ${bytes} bytes; Temporal takes ${maxIdBytes} at most.`);
}
