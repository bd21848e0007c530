/**
 * Checks the options of a start that types do not check: from JavaScript, and from files. One function for the client and
 * for `runAgent`, where an unchecked one would repeat the task of the user's workflow without end.
 */

import { isObject, type Json, type JsonObject, parseJson, toPlainJson, toPlainText } from '../core/lib/index.js';
import {
  type ChainInput,
  checkMetadata,
  defaults,
  type EarlierMessages,
  isDataClass,
  isDataClassList,
  isThreadChainId,
  isThreadMessage,
  keepNewestMessages,
  type ThreadMessage,
  toDataClasses,
} from '../core/model/index.js';

/** Creates the error of a caller from what is wrong, as a sentence. */
export type ErrorFactory = (sentence: string) => Error;

export interface CheckedStart {
  readonly chainId?: unknown;
  readonly roles?: unknown;
  readonly messages?: unknown;
  readonly awaitAgent?: unknown;
}

/** Checks the id of a chain, its roles, its earlier messages and `awaitAgent`, where they are given. */
export function checkStartOptions(
  { chainId, roles, messages, awaitAgent }: CheckedStart,
  createError: ErrorFactory,
): void {
  if (chainId !== undefined) checkNewId(chainId, createError);
  if (roles !== undefined) checkRoles(roles, createError);
  if (messages !== undefined) checkMessages(messages, createError);
  if (awaitAgent !== undefined && typeof awaitAgent !== 'boolean')
    throw createError(`Invalid \`awaitAgent\` ${JSON.stringify(awaitAgent)}: expected true or false.`);
}

/** Checks the text of a task: providers reject an empty message. */
export function checkTaskText(task: unknown, createError: ErrorFactory): asserts task is string {
  if (typeof task !== 'string') {
    const description = task === undefined ? 'missing' : `a value of type ${typeof task}`;
    throw createError(`The task is ${description}: expected a string that describes the task.`);
  }
  if (task.trim() === '') throw createError('The task is empty. Describe what the agent should do.');
}

/** Returns the bytes of an input as JSON. Temporal would terminate a larger chain, or retry its start without end. */
export function checkInputSize(input: ChainInput, createError: (sentence: string, bytes: number) => Error): number {
  const bytes = countBytes(JSON.stringify(input));
  if (bytes <= defaults.payloadBytes) return bytes;
  throw createError(
    `The task has ${bytes} bytes; Temporal's limit is ${defaults.payloadBytes}. Store long content where a tool can read it.`,
    bytes,
  );
}

/** Returns the classes of the data in a task, as the start of a chain has them: absent without any. */
export function parseDataClasses(
  value: unknown,
  createError: ErrorFactory,
): { readonly dataClasses?: readonly string[] } {
  if (value === undefined) return {};
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (isDataClassList(listed)) return listed.length === 0 ? {} : { dataClasses: toDataClasses(listed) };
  const invalidText = toPlainJson(JSON.stringify(listed.find((item) => !isDataClass(item))) ?? 'undefined');
  throw createError(
    `Invalid data class ${invalidText}. Use 1 to 64 letters, digits, or . _ -, for example "confidential".`,
  );
}

/** Returns the metadata of a start as JSON: absent where none is given. */
export function parseMetadata(value: unknown, createError: ErrorFactory): { readonly metadata?: JsonObject } {
  if (value === undefined) return {};
  const metadata = copyJson(value);
  const problem = checkMetadata(metadata, 'metadata');
  if (problem !== null || !isObject(metadata)) throw createError(`Invalid metadata: ${problem}.`);
  return { metadata };
}

/** Returns a value as its JSON has it; undefined if it has none. */
export function copyJson(value: unknown): Json | undefined {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : parseJson(text);
  } catch {
    return undefined;
  }
}

/** Returns the messages before the task, as the start of a chain has them; null without any. */
export function toEarlierMessages(messages: readonly ThreadMessage[] = []): EarlierMessages | null {
  if (messages.length === 0) return null;
  return keepNewestMessages({ omitted: 0, messages: messages.map(({ role, text }) => ({ role, text })), tools: [] });
}

function checkMessages(messages: unknown, createError: ErrorFactory): void {
  if (!Array.isArray(messages))
    throw createError("Invalid messages: expected a list, such as [{ role: 'user', text: 'Hello' }].");
  const at = messages.findIndex((message) => !isThreadMessage(message) || message.text.trim() === '');
  if (at < 0) return;
  throw createError(
    `Invalid message ${at + 1}: expected the role 'user' or 'assistant', and a text that is not empty.`,
  );
}

/** Each tool call carries the roles. */
const maxRoles = 32;
const maxRoleLength = 100;

function checkRoles(roles: unknown, createError: ErrorFactory): void {
  if (!Array.isArray(roles))
    throw createError(`Invalid roles ${JSON.stringify(roles)}: expected a list, such as ['treasury'].`);
  if (roles.length > maxRoles)
    throw createError(`The chain has ${roles.length} roles; the limit is ${maxRoles}. Pass fewer roles.`);
  if (roles.every(isRole)) return;
  throw createError(
    `Invalid roles ${toPlainJson(JSON.stringify(roles))}: expected texts of at most ${maxRoleLength} characters without control characters.`,
  );
}

/** A role is compared exactly, so nothing is removed from it. */
function isRole(role: unknown): boolean {
  return typeof role === 'string' && role.trim() !== '' && role.length <= maxRoleLength && !/\p{Cc}/u.test(role);
}

/**
 * Checks the id of a new chain. Stricter than `checkId`: ids of sub-chains are longer, and Temporal's own tools print
 * ids unescaped. Existing chains with other ids can still be read and cancelled.
 */
function checkNewId(chainId: unknown, createError: ErrorFactory): void {
  checkId(chainId, createError);
  const bytes = countBytes(chainId);
  if (bytes > defaults.chainIdBytes)
    throw createError(
      `The chain's id has ${bytes} bytes; the limit is ${defaults.chainIdBytes}, because ids of sub-chains are longer. Use a shorter id.`,
    );
  if (isThreadChainId(chainId))
    throw createError(
      `Invalid chain id ${toPlainJson(JSON.stringify(chainId))}: ids that end in "~" and a number are those of follow-ups. Use another id.`,
    );
  if (toPlainText(chainId) === chainId && !/\p{Cc}/u.test(chainId)) return;
  throw createError(
    `Invalid chain id ${toPlainJson(JSON.stringify(chainId))}: it has control characters. Use letters, digits and punctuation.`,
  );
}

/** Bytes of the longest workflow id that Temporal accepts, also for chains started without Longhand. */
const maxIdBytes = 1_000;

/** Checks that an id is a text, neither empty nor too long. */
export function checkId(chainId: unknown, createError: ErrorFactory): asserts chainId is string {
  if (typeof chainId !== 'string') throw createError(`Invalid chain id ${JSON.stringify(chainId)}: expected a string.`);
  if (chainId === '') throw createError("The chain's id is empty. Omit it to get a generated id.");
  const bytes = countBytes(chainId);
  if (bytes > maxIdBytes) throw createError(`The chain's id has ${bytes} bytes; Temporal's limit is ${maxIdBytes}.`);
}

/** Workflows have the encoder as well. */
const encoder = new TextEncoder();

function countBytes(text: string): number {
  return encoder.encode(text).length;
}
