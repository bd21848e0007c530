/**
 * Tasks as messages with parts. A part is written as in A2A 1.0: its member names its kind. The last message is the task, the
 * earlier ones are the conversation before it.
 */

import { check, findOwn, isObject, type Json, renderLabelledText, toOneLine } from '../core/lib/index.js';
import type { FileContent, ThreadMessage } from '../core/model/index.js';
import { checkTaskText, copyJson, type ErrorFactory } from './start.js';
import { addContext, type TaskContext, type TaskParts } from './task-context.js';

/** A text, a value, a file, or the address of a file, which Longhand does not load. */
export type TaskPart =
  | { readonly text: string }
  | { readonly data: Json; readonly filename?: string | undefined }
  | { readonly raw: Uint8Array; readonly filename?: string | undefined; readonly mediaType?: string | undefined }
  | { readonly url: string; readonly filename?: string | undefined; readonly mediaType?: string | undefined };

export interface TaskMessage {
  readonly role: 'user' | 'agent';
  readonly parts: readonly TaskPart[];
}

export interface TaskMessages {
  /** Oldest first. The last one is the user's, and is the task. */
  readonly messages: readonly TaskMessage[];
}

/** A task: its text, or messages with parts. */
export type TaskInput = string | TaskMessages;

interface ParsedTask extends TaskParts {
  /** The messages before the task. */
  readonly messages: readonly ThreadMessage[] | undefined;
}

interface Surroundings {
  readonly context?: TaskContext | undefined;
  readonly messages?: readonly ThreadMessage[] | undefined;
}

/** Parses a task with what surrounds it: its context is added, and earlier messages precede its own. */
export function parseTask(task: TaskInput, { context, messages }: Surroundings, createError: ErrorFactory): ParsedTask {
  if (!hasMessages(task)) {
    checkTaskText(task, createError);
    return { ...addContext(task, context, createError), messages };
  }
  const problem = checkTaskMessages(task, 'task');
  if (problem !== null) throw createError(`Invalid task: ${problem}.`);
  const { messages: own } = task;
  const { parts } = own.at(-1) as TaskMessage;
  const files = parts.flatMap((part, at) => ('raw' in part ? [toFile(part, at)] : []));
  const text = renderParts(parts.filter((part) => !('raw' in part)));
  checkTaskText(text, createError);
  const earlier = own.slice(0, -1).map(toThreadMessage);
  return {
    ...addContext(text, context, createError, files),
    messages: earlier.length === 0 ? messages : [...(messages ?? []), ...earlier],
  };
}

function hasMessages(task: TaskInput): task is TaskMessages {
  return isObject(task) && findOwn<unknown>(task, 'messages') !== undefined;
}

const contents = ['text', 'data', 'raw', 'url'] as const;

const checkMembers = check.members<Record<(typeof contents)[number] | 'filename' | 'mediaType', unknown>>({
  text: check.nonEmptyText,
  data: check.define((value) => copyJson(value) !== undefined, 'must be a JSON value'),
  raw: check.define((value) => value instanceof Uint8Array && value.byteLength > 0, 'must be bytes, at least one'),
  url: check.nonEmptyText,
  filename: check.nonEmptyText,
  mediaType: check.nonEmptyText,
});

const checkPart: check.ValueCheck = (value, at) => checkMembers(value, at) ?? checkKind(value, at);

/** A text has no name, and a value no media type. */
const unfitMembers: { readonly [content in (typeof contents)[number]]?: readonly string[] } = {
  text: ['filename', 'mediaType'],
  data: ['mediaType'],
};

const checkKind: check.ValueCheck = (value, at) => {
  const has = (name: string) => isObject(value) && findOwn(value, name) !== undefined;
  const [kind, another] = contents.filter(has);
  if (kind === undefined || another !== undefined) return `${at} must have one of ${contents.join(', ')}`;
  const unfit = unfitMembers[kind]?.find(has);
  return unfit === undefined ? null : `${at}.${unfit} is not for a part with ${kind}: remove it`;
};

const checkTaskMessages: check.ValueCheck = (value, at) =>
  check.members<TaskMessages>({ messages: check.list(checkMessage, 'a list of messages') })(value, at) ??
  (isObject(value) && findLastRole(value.messages) === 'user' ? null : `the last message must have the role user`);

const checkMessage: check.ValueCheck = (value, at) =>
  check.members<TaskMessage>({
    role: check.oneOf(['user', 'agent']),
    parts: check.refine(check.list(checkPart), ({ length }) => length > 0, 'must have at least one part'),
  })(value, at) ??
  (['role', 'parts'].every((name) => isObject(value) && findOwn(value, name) !== undefined)
    ? null
    : `${at} must have a role and parts`);

function findLastRole(messages: Json | undefined): Json | undefined {
  const last: Json | undefined = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isObject(last) ? last.role : undefined;
}

function toFile({ raw, filename, mediaType }: Extract<TaskPart, { raw: Uint8Array }>, at: number): FileContent {
  return { name: toOneLine(filename ?? `file ${at + 1}`), data: raw, mediaType };
}

/** The files of earlier messages are only named. */
function toThreadMessage({ role, parts }: TaskMessage): ThreadMessage {
  return { role: role === 'user' ? 'user' : 'assistant', text: renderParts(parts) };
}

/** Texts first: the others are in frames, so that none of them reads like the task. */
function renderParts(parts: readonly TaskPart[]): string {
  const texts = parts.flatMap((part) => ('text' in part ? [part.text.trim()] : []));
  const others = parts.flatMap((part) => ('text' in part ? [] : [renderPart(part)]));
  return [...texts, ...others].join('\n\n');
}

function renderPart(part: Exclude<TaskPart, { text: string }>): string {
  if ('data' in part)
    return renderLabelledText(toOneLine(part.filename ?? 'Data'), JSON.stringify(copyJson(part.data), null, 2));
  const { filename, mediaType } = part;
  const kind = mediaType === undefined ? 'File' : `File (${toOneLine(mediaType)})`;
  if ('url' in part) return renderLabelledText(kind, filename === undefined ? part.url : `${filename}, at ${part.url}`);
  return renderLabelledText(kind, filename ?? 'without a name');
}
