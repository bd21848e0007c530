/**
 * Text of others inside a text of ours, so that a model can tell where it ends.
 *
 * F1 A text of one line stands in the line of its label. Any other stands between two marks that it does not contain.
 * F2 The marks follow from the text alone: what was rendered once stays the same, so providers cache it.
 */

import { computeFingerprint } from './digest.js';

/** Everything that a model may read as the end of a line, and whatever looks like a mark. */
const framePattern = /[\n\r\v\f\u0085\u2028\u2029]|<\/?text-/i;

/** `Label: text`, the text framed where it needs a frame (F1). */
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

/** A text that names its own mark gets the next one; one that names many of them cannot be found. */
function chooseMark(text: string): string {
  const lower = text.toLowerCase();
  let seed = text;
  for (;;) {
    const mark = `text-${computeFingerprint(seed).slice(0, 6)}`;
    if (!lower.includes(mark)) return mark;
    seed = `${mark}\n${text}`;
  }
}
