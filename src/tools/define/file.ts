/** A file in a tool's result. */

import type { FileContent } from '../../core/model/index.js';

/** Found by its mark, not by its class: a tool may be built with another copy of this package. */
const mark = Symbol.for('longhand.file');

/** A file that a tool returns. `file` creates it. */
export interface ToolFile extends FileContent {
  readonly [mark]: true;
}

/** A file as a tool or a start states it. */
export interface FileOptions {
  /** For the model and for people: `receipt.png`. */
  readonly name: string;
  readonly data: Uint8Array | string;
  /** Default: by the content of an image or a PDF, else by the end of the name. */
  readonly mediaType?: string;
}

/**
 * Creates a file for a tool's result, anywhere in it. The store holds the bytes. The result has a description in its place,
 * and the model gets the file too if it can read it: images and PDFs.
 *
 * @example
 * execute: async ({ url }) => ({ title, page: file({ name: 'page.png', data: await takeScreenshot(url) }) }),
 */
export function file({ name, data, mediaType }: FileOptions): ToolFile {
  if (typeof name !== 'string' || (typeof data !== 'string' && !(data instanceof Uint8Array)))
    throw new TypeError('Invalid file: expected { name, data }, with a text as name, and bytes or a text as data.');
  const type = mediaType === undefined ? {} : { mediaType };
  return { [mark]: true, name, data: typeof data === 'string' ? new TextEncoder().encode(data) : data, ...type };
}

export function isToolFile(value: unknown): value is ToolFile {
  return typeof value === 'object' && value !== null && mark in value;
}
