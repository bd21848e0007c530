/**
 * What a chain knows beside its task: texts, added to the task in frames, so that none of them reads like the task, and
 * files.
 */

import { isObject, renderLabelledText, toOneLine } from '../core/lib/index.js';
import { defaults, type FileContent } from '../core/model/index.js';
import type { ErrorFactory } from './start.js';

/** A text, or texts and files by name, such as their paths. Bytes are a file: an image, a PDF, or any other. */
export type TaskContext = string | { readonly [name: string]: string | Uint8Array };

/** The parts of a start that become the task. */
export interface TaskParts {
  readonly task: string;
  readonly files: readonly FileContent[];
}

/**
 * Adds texts to the task, and lists the files.
 *
 * @param createError receives what is wrong: a part is empty or neither a text nor bytes, or there are too many files
 * @param ownFiles files of the task itself, which come first
 */
export function addContext(
  task: string,
  context: TaskContext | undefined,
  createError: ErrorFactory,
  ownFiles: readonly FileContent[] = [],
): TaskParts {
  const parts: unknown = typeof context === 'string' ? { Context: context } : (context ?? {});
  if (!isObject(parts)) throw createError('Invalid context: expected a text, or texts and files by name.');
  const texts: string[] = [];
  const files: FileContent[] = [...ownFiles];
  for (const [name, part] of Object.entries<unknown>(parts)) {
    const label = toOneLine(name);
    if (part instanceof Uint8Array && part.byteLength > 0) files.push({ name: label, data: part });
    else if (typeof part === 'string' && part.trim() !== '') texts.push(renderLabelledText(label, part.trimEnd()));
    else throw createError(`The context ${label} is empty or neither a text nor bytes. Leave it out, or pass it.`);
  }
  if (files.length > defaults.files)
    throw createError(`The task has ${files.length} files; the limit is ${defaults.files}. Pass fewer.`);
  return { task: [task, ...texts].join('\n\n'), files };
}
