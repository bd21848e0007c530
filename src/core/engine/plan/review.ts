/**
 * Reads the model's review of its plan: what it learned, and its assessment of the progress. Both become notices of the
 * step, so they are bounded in number and size.
 */

import { findOwn, type JsonObject, shorten, toOneLine, toValueText } from '../../lib/index.js';
import { maxLearnings } from '../../model/index.js';

export interface PlanReview {
  readonly learned: readonly string[];
  /** Null if the model gave none. */
  readonly assessment: string | null;
}

/** Characters. */
const maxLearningLength = 300;
const maxAssessmentLength = 500;

/** Models write one learning as a text. */
export function readReview(input: JsonObject): PlanReview {
  const values = findOwn(input, 'learned') ?? [];
  const listed = (Array.isArray(values) ? values : [values]).map((value) =>
    shorten(toOneLine(toValueText(value)).trim(), maxLearningLength),
  );
  const learned = [...new Set(listed.filter((text) => text !== ''))].slice(0, maxLearnings);
  const assessment = shorten(toValueText(findOwn(input, 'assessment') ?? '').trim(), maxAssessmentLength);
  return { learned, assessment: assessment === '' ? null : assessment };
}
