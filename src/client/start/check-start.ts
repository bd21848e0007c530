/** Checks the arguments of a start that types do not check: from JavaScript, and from files. */

import { toPlainJson, toPlainText } from '../../core/lib/plain-text.js';
import { defaults } from '../../core/model/defaults.js';
import { InvalidInputError } from '../errors/errors.js';
import type { StartOptions } from './start.js';

/** Bytes of the longest workflow id that Temporal accepts, also for chains started without this client. */
const maxIdBytes = 1_000;

const ifExistsValues: readonly unknown[] = ['error', 'join', 'again', undefined];

/**
 * @throws {InvalidInputError} when the id is no text, empty, too long, or has control characters, or `ifExists` or `roles`
 *   are invalid
 */
export function checkStart({ chainId, ifExists, roles }: Pick<StartOptions, 'chainId' | 'ifExists' | 'roles'>): void {
  if (chainId !== undefined) checkNewId(chainId);
  if (roles !== undefined) checkRoles(roles);
  if (!ifExistsValues.includes(ifExists)) {
    throw new InvalidInputError(
      `Invalid \`ifExists\` ${JSON.stringify(ifExists)}: expected 'error', 'join', 'again' or undefined.`,
    );
  }
}

/** Each tool call carries the roles. */
const maxRoles = 32;
const maxRoleLength = 100;

function checkRoles(roles: unknown): void {
  if (!Array.isArray(roles))
    throw new InvalidInputError(`Invalid roles ${JSON.stringify(roles)}: expected a list, such as ['treasury'].`);
  if (roles.length > maxRoles)
    throw new InvalidInputError(`The chain has ${roles.length} roles; the limit is ${maxRoles}. Pass fewer roles.`);
  if (roles.every(isRole)) return;
  throw new InvalidInputError(
    `Invalid roles ${toPlainJson(JSON.stringify(roles))}: expected texts of at most ${maxRoleLength} characters without control characters.`,
  );
}

/** A role is compared exactly, so nothing is removed from it. */
function isRole(role: unknown): boolean {
  return typeof role === 'string' && role.trim() !== '' && role.length <= maxRoleLength && !/\p{Cc}/u.test(role);
}

/** @throws {InvalidInputError} when the value is no agent or its name is empty */
export function checkAgent(agent: unknown): void {
  const { name }: { name?: unknown } = typeof agent === 'object' && agent !== null ? agent : {};
  const remedy = 'Pass the agent that `defineAgent` returned, or its name.';
  if (typeof name === 'string') {
    if (name.trim() === '') throw new InvalidInputError(`The agent's name is empty. ${remedy}`);
    return;
  }
  if (agent !== undefined) throw new InvalidInputError(`Invalid agent: it has no name. ${remedy}`);
  throw new InvalidInputError(
    `The agent is undefined. ${remedy} Circular imports leave an imported agent undefined: move it to its own module.`,
  );
}

/**
 * Checks the id of a new chain. Stricter than `checkId`: ids of sub-chains are longer, and Temporal's own tools print
 * ids unescaped. Existing chains with other ids can still be read and cancelled.
 */
function checkNewId(chainId: string): void {
  checkId(chainId);
  const bytes = Buffer.byteLength(chainId);
  if (bytes > defaults.chainIdBytes)
    throw new InvalidInputError(
      `The chain's id has ${bytes} bytes; the limit is ${defaults.chainIdBytes}, because ids of sub-chains are longer. Use a shorter id.`,
    );
  if (toPlainText(chainId) === chainId && !/\p{Cc}/u.test(chainId)) return;
  throw new InvalidInputError(
    `Invalid chain id ${toPlainJson(JSON.stringify(chainId))}: it has control characters. Use letters, digits and punctuation.`,
  );
}

/** @throws {InvalidInputError} when the id is no text, empty or too long */
export function checkId(chainId: unknown): void {
  if (typeof chainId !== 'string')
    throw new InvalidInputError(`Invalid chain id ${JSON.stringify(chainId)}: expected a string.`);
  if (chainId === '') throw new InvalidInputError("The chain's id is empty. Omit it to get a generated id.");
  const bytes = Buffer.byteLength(chainId);
  if (bytes > maxIdBytes)
    throw new InvalidInputError(`The chain's id has ${bytes} bytes; Temporal's limit is ${maxIdBytes}.`);
}
