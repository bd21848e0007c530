/**
 * The recorded model of examples/rehearsed.json: tasks with the recorded replies of a model.
 *
 * A reply is selected by the observations so far: by their number and by the values that it quotes. So the tools are real,
 * and no reply states what was not observed.
 */

import { readFileSync } from 'node:fs';
import {
  findOwn,
  isObject,
  type Json,
  type JsonObject,
  parseJsonOrText,
  toCanonicalJson,
} from '../../core/lib/index.js';
import { resolvePackageFile } from '../../package/index.js';

export const demoTask = 'Which three TypeScript files are the longest, and what does each do?';

/** The recorded replies to a task. The first one that fits is used. */
export interface Transcript {
  readonly task: string;
  /** Whether it continues after a failed call; others are refused there, with the failure. */
  readonly recovers?: boolean;
  readonly replies: readonly RecordedReply[];
}

/**
 * A reply with placeholders: `{1.0.path}` is a member of the first observation, and `{2.text:head}` the summary of a text:
 * its first comment, its first paragraph below a heading, or its first line.
 */
interface RecordedReply {
  /** Number of observations before the reply. */
  readonly after: number;
  /** Observed values that the reply requires, by the paths of placeholders. */
  readonly when?: Readonly<Record<string, Json>>;
  readonly thought: string;
  readonly call?: { readonly tool: string; readonly input: JsonObject };
  /** A text, or the result in the finish tool's arguments. */
  readonly answer?: string | JsonObject;
}

export type Reply = Pick<RecordedReply, 'thought' | 'call' | 'answer'>;

/** The result of a call as the model sees it. */
export interface Observation {
  readonly failed: boolean;
  readonly text: string;
}

export function readTranscripts(): readonly Transcript[] {
  return JSON.parse(readFileSync(resolvePackageFile('examples/rehearsed.json'), 'utf8')) as readonly Transcript[];
}

/** Finds the transcript of a task; blanks, case and punctuation do not count. */
export function findTranscript(transcripts: readonly Transcript[], task: string): Transcript | undefined {
  return transcripts.find((transcript) => normalizeTask(transcript.task) === normalizeTask(task));
}

function normalizeTask(task: string): string {
  return task
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Returns the recorded reply with its placeholders filled; null if none fits the observations. */
export function findNextReply({ replies }: Transcript, observations: readonly Observation[]): Reply | null {
  const results = observations.map(({ text }) => parseJsonOrText(text));
  for (const { after, when = {}, ...reply } of replies) {
    if (after !== results.length) continue;
    if (!Object.entries(when).every(([path, value]) => hasValueAt(results, path, value))) continue;
    const filled = fillPlaceholders({ ...reply }, results);
    if (filled !== undefined) return filled as unknown as Reply;
  }
  return null;
}

function hasValueAt(results: readonly Json[], path: string, expected: Json): boolean {
  const value = findValueAt(results, path);
  return value !== undefined && toCanonicalJson(value) === toCanonicalJson(expected);
}

/** Fills the placeholders of a value. Undefined if one has no value. */
function fillPlaceholders(value: Json, results: readonly Json[]): Json | undefined {
  if (typeof value === 'string') return fillText(value, results);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(
    ([name, member]: [string, Json]) => [name, fillPlaceholders(member, results)] as const,
  );
  if (members.some(([, member]) => member === undefined)) return undefined;
  return Array.isArray(value)
    ? members.map(([, member]) => member as Json)
    : (Object.fromEntries(members) as JsonObject);
}

function fillText(text: string, results: readonly Json[]): string | undefined {
  let missing = false;
  const filled = text.replace(/\{(\d+(?:\.\w+)*)(:head)?\}/g, (_all, path: string, head: string | undefined) => {
    const value = findValueAt(results, path);
    if (value === undefined) missing = true;
    else return head === undefined ? formatValue(value) : extractSummary(formatValue(value));
    return '';
  });
  return missing ? undefined : filled;
}

/** @param path the number of the observation, from 1; then members and indices, from 0 */
function findValueAt(results: readonly Json[], path: string): Json | undefined {
  const [number = '', ...members] = path.split('.');
  return members.reduce<Json | undefined>(
    (value, member) =>
      Array.isArray(value) ? value[Number(member)] : isObject(value) ? findOwn(value, member) : undefined,
    results[Number(number) - 1],
  );
}

function formatValue(value: Json): string {
  if (typeof value === 'number') return value.toLocaleString('en-US');
  if (Array.isArray(value)) return value.map(formatValue).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the first comment, paragraph or line of a text. A comment may be cut off. */
export function extractSummary(text: string): string {
  const start = text.replace(/^\uFEFF?(?:#!.*\n)?\s*/, '');
  const block = /^\/\*\*?(.*?)(?:\*\/|$)/s.exec(start)?.[1];
  const lines = /^(?:\s*\/\/.*(?:\n|$))+/.exec(start)?.[0];
  const below = /^#[^\n]*\n(.*)$/s.exec(start)?.[1];
  const [paragraph = ''] = (block ?? lines ?? below ?? start.split('\n', 1)[0] ?? '')
    .replace(/^[^\S\n]*(?:\*|\/\/+)?[^\S\n]?/gm, '')
    .trim()
    .split(/\n\s*\n/);
  return paragraph.replace(/\s+/g, ' ').trim();
}
