/** What a chain knows beside its task: texts and files, added to the task in frames, so that none of them reads like the task. */

import { renderLabelledText } from '../../core/lib/frame-text.js';
import { isObject } from '../../core/lib/json.js';
import { toOneLine } from '../../core/lib/plain-text.js';
import { InvalidInputError } from '../errors/errors.js';

/** A text, or texts by name, such as files by their paths. */
export type TaskContext = string | { readonly [name: string]: string };

/**
 * Returns the task with its context.
 *
 * @throws {InvalidInputError} when a text is empty or no text
 */
export function addContext(task: string, context: TaskContext | undefined): string {
  if (context === undefined) return task;
  const texts: unknown = typeof context === 'string' ? { Context: context } : context;
  if (!isObject(texts)) throw new InvalidInputError('Invalid context: expected a text, or texts by name.');
  const parts = Object.entries(texts).map(([name, text]) => {
    const label = toOneLine(name);
    if (typeof text !== 'string' || text.trim() === '')
      throw new InvalidInputError(`The context ${label} is empty or not a text. Leave it out, or pass its text.`);
    return renderLabelledText(label, text.trimEnd());
  });
  return [task, ...parts].join('\n\n');
}
