/**
 * L6: upper bounds in UTF-8 bytes of the conversation's parts, so that a request whose oldest steps are summarized has a
 * bound too. The state is bounded: it has the sizes of the newest steps, and a summary leaves only those.
 *
 * A token is no shorter than a byte, so the tokens of a file count as bytes.
 */

import { countUtf8Bytes, toValueText } from '../../lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  type ConversationSize,
  changeState,
  countFileTokens,
  defaults,
  type EarlierMessages,
  findEarlier,
  formatFile,
  isFileList,
  keepNewestMessages,
  type ModelSnapshot,
  type StoredFile,
} from '../../model/index.js';
import { listModels } from './route.js';

/** Newest steps whose sizes the state has. */
const maxMeasuredSteps = 64;

/** Bytes around the blocks of a step: labels, and a text that takes the place of an empty one. */
export const stepOverheadBytes = 512;

/** Bytes of a summary before its lines. */
export const summaryHeadBytes = 512;

/** UTF-16 units of a summary's line for a step, and its UTF-8 bytes with the line break: a unit has at most 3. */
export const summaryLineLength = 500;
export const summaryLineBytes = 3 * summaryLineLength + 1;

/** Adds a new step with the bytes of its reply's content, and those of its paused turn. */
export function addStepContent(state: ChainState, contentBytes: number): ChainState {
  const { conversation } = state;
  const { pausedBytes, stepBytes } = conversation;
  const bytes = contentBytes + pausedBytes + stepOverheadBytes;
  return changeState(state, {
    conversation: {
      ...conversation,
      pausedBytes: 0,
      stepBytes: [...stepBytes, bytes].slice(-maxMeasuredSteps),
      overflow: 'none',
    },
  });
}

/** Adds content that belongs to the next step. */
export function addPausedContent(state: ChainState, contentBytes: number): ChainState {
  const { conversation } = state;
  const pausedBytes = conversation.pausedBytes + contentBytes + stepOverheadBytes;
  return changeState(state, { conversation: { ...conversation, pausedBytes } });
}

/** Adds bytes that follow the last step, or precede the first. */
export function addToLastStep(conversation: ConversationSize, bytes: number): ConversationSize {
  const { fixedBytes, stepBytes } = conversation;
  const last = stepBytes.at(-1);
  if (last === undefined) return { ...conversation, fixedBytes: fixedBytes + bytes };
  return { ...conversation, stepBytes: [...stepBytes.slice(0, -1), last + bytes] };
}

/** Bytes around the description of a file of the task: its label, a remark, and the block. */
const fileOverheadBytes = 256;

/** Bytes around an earlier message, and of the line about those that are omitted. */
const messageOverheadBytes = 64;
const omissionBytes = 128;

/** Returns the earlier messages in requests: as many as a small context window has room for; null without any. */
export function selectEarlier(
  { input }: Pick<ChainState, 'input'>,
  { contextTokens }: Pick<ModelSnapshot, 'contextTokens'>,
): EarlierMessages | null {
  const earlier = findEarlier(input);
  // A byte for each token of the window is about a quarter of it.
  const window = contextTokens ?? Number.POSITIVE_INFINITY;
  return earlier === null ? null : keepNewestMessages(earlier, Math.min(defaults.earlierBytes, window));
}

/** Counts the task with its files and earlier messages. The input may be invalid: its agent may still be prepared. */
export function countTaskBytes(state: Pick<ChainState, 'input'>, agent: AgentSnapshot): number {
  const models = listModels(agent);
  return countOwnTaskBytes(state, models) + Math.max(...models.map((model) => countEarlierBytes(state, model)));
}

function countEarlierBytes(state: Pick<ChainState, 'input'>, model: ModelSnapshot): number {
  const earlier = selectEarlier(state, model);
  if (earlier === null) return 0;
  return earlier.messages.reduce((sum, { text }) => sum + countUtf8Bytes(text) + messageOverheadBytes, omissionBytes);
}

function countOwnTaskBytes({ input }: Pick<ChainState, 'input'>, models: readonly ModelSnapshot[]): number {
  const files: unknown = input?.files;
  const text = countUtf8Bytes(toValueText(input?.task ?? ''));
  if (!isFileList(files)) return text;
  const lines = files.reduce((sum, file) => sum + countUtf8Bytes(formatFile(file)) + fileOverheadBytes, text);
  return lines + boundFileTokens(files, models);
}

/** Bounds the tokens of files for any of these models. */
export function boundFileTokens(files: readonly StoredFile[] | undefined, models: readonly ModelSnapshot[]): number {
  return Math.max(...models.map((model) => countFileTokens(files, model.files)));
}

/** Whether the task and its files are large enough that the provider should count their tokens. */
export function isWorthCounting({ input }: Pick<ChainState, 'input'>): boolean {
  const files: unknown = input?.files;
  const bytes = isFileList(files) ? files.reduce((sum, file) => sum + file.bytes, 0) : 0;
  return bytes + countUtf8Bytes(toValueText(input?.task ?? '')) >= defaults.countedTaskBytes;
}
