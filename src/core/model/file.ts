/**
 * Files of tasks and results: their description, their check, and which of them a model gets.
 *
 * 1. The chain has a reference. The request refers to the file too, so its digest proves the bytes, by their SHA-256 in it.
 * 2. A model gets a file that one of its rules covers. Of any other it reads the description.
 * 3. L6: what a file takes is bounded by its pixels or pages. A file without them is never sent.
 */

import { check, formatBytes, formatCount, type Json, shorten, toOneLine } from '../lib/index.js';
import type { FileRule } from './agent.js';
import { defaults } from './defaults.js';
import type { StoredFile } from './stored-content.js';

/** Characters of a file's name and media type. */
const maxNameLength = 200;
const maxMediaTypeLength = 100;

export const pdfType = 'application/pdf';

/** Returns a name that fits a chain: one line, shortened. */
export function toFileName(name: string): string {
  return shorten(toOneLine(name), maxNameLength) || 'file';
}

export function toMediaType(mediaType: string): string {
  return shorten(toOneLine(mediaType), maxMediaTypeLength);
}

/** Formats a file in one line: `receipt.png (image/png, 45.1 KB, 800 × 600)`. */
export function formatFile({ name, mediaType, bytes, pixels, pages }: Omit<StoredFile, 'digest'>): string {
  const details = [
    mediaType,
    formatBytes(bytes),
    ...(pixels === undefined ? [] : [`${pixels.width} × ${pixels.height}`]),
    ...(pages === undefined ? [] : [pages === 1 ? '1 page' : `${formatCount(pages)} pages`]),
  ];
  return `${name} (${details.join(', ')})`;
}

/** Returns files as a value to record; null without valid ones. */
export function toFilesValue(files: unknown): Json {
  if (!isFileList(files) || files.length === 0) return null;
  return files.map(({ pixels, ...file }) => ({ ...file, ...(pixels === undefined ? {} : { pixels: { ...pixels } }) }));
}

function checkLine(maxLength: number): check.Check<string> {
  return check.refine(check.text, ({ length }) => length <= maxLength, `must have at most ${maxLength} characters`);
}

export const checkStoredFile = check.shape<StoredFile>({
  name: checkLine(maxNameLength),
  mediaType: checkLine(maxMediaTypeLength),
  digest: check.pattern(/^sha256:[0-9a-f]{64}$/, 'must be a SHA-256'),
  bytes: check.count,
  pixels: check.optional(check.shape<NonNullable<StoredFile['pixels']>>({ width: check.count, height: check.count })),
  pages: check.optional(check.count),
});

/** A list of files that a chain may hold (L7). */
export const checkFileList = check.refine(
  check.list(checkStoredFile),
  ({ length }) => length <= defaults.files,
  `must have at most ${defaults.files} files`,
);
export const isFileList = checkFileList.is;

/** Returns whether a model with these rules reads a file. */
export function canReadFile({ mediaType, bytes, pixels, pages }: StoredFile, rules: readonly FileRule[] = []): boolean {
  return rules.some((rule) => {
    if (bytes > rule.maxBytes) return false;
    if (rule.kind === 'pdf') return mediaType === pdfType && pages !== undefined && pages <= rule.maxPages;
    const side = pixels === undefined ? Number.POSITIVE_INFINITY : Math.max(pixels.width, pixels.height);
    return rule.mediaTypes.includes(mediaType) && side <= rule.maxSide;
  });
}

/** Tokens: the most and the fewest of an image, and the most of a page with its picture. */
const maxImageTokens = 4_800;
const minImageTokens = 300;
const maxPageTokens = 8_000;

/** Pixels of a square that takes a token. Providers count 750 pixels, or squares of 28. */
const tokenSide = 27;

/** Bounds the tokens that a model reads of these files (L6); files that it does not get take none. */
export function countFileTokens(files: readonly StoredFile[] = [], rules: readonly FileRule[] | undefined): number {
  return files.reduce((sum, file) => sum + (canReadFile(file, rules) ? countTokens(file) : 0), 0);
}

/** Bounds the tokens of files for any model. */
export function countMostFileTokens(files: readonly StoredFile[] = []): number {
  return files.reduce((sum, file) => sum + countTokens(file), 0);
}

function countTokens({ pixels, pages = 0 }: StoredFile): number {
  if (pixels === undefined) return pages * maxPageTokens;
  const squares = Math.ceil(pixels.width / tokenSide) * Math.ceil(pixels.height / tokenSide);
  return Math.min(maxImageTokens, minImageTokens + squares);
}
