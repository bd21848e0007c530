/**
 * Frames untrusted text inside a text of Longhand, so that the model sees where it ends.
 *
 * F1 A text of one line stays in the line of its label. Any other is between two marks that it does not contain.
 * F2 The marks follow from the text alone: rendering is stable, so that providers can cache it.
 */

import { computeFingerprint } from './digest.js';

/** Characters that a model may read as the end of a line, and texts that look like a mark. */
const framePattern = /[\n\r\v\f\u0085\u2028\u2029]|<\/?text-/i;

/** Renders `Label: text`, with a frame where the text needs one (F1). */
export function renderLabelledText(label: string, text: string): string {
  return `${label}: ${frameIfNeeded(text)}`;
}

export function frameIfNeeded(text: string): string {
  return framePattern.test(text) ? frameText(text) : text;
}

export function frameText(text: string): string {
  const mark = chooseMark(text);
  return `<${mark}>\n${text}\n</${mark}>`;
}

/** Chooses a mark that the text does not contain. */
function chooseMark(text: string): string {
  const lower = text.toLowerCase();
  let seed = text;
  for (;;) {
    const mark = `text-${computeFingerprint(seed).slice(0, 6)}`;
    if (!lower.includes(mark)) return mark;
    seed = `${mark}\n${text}`;
  }
}
