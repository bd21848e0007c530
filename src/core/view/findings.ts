/** The findings of an answer and the criteria of its decision, where its agent asks for them (agents/answer-members.ts). */

import { isObject, type Json } from '../lib/index.js';

/** An answer for readers: the lines of its findings and criteria, and the rest of it. */
export interface AnswerParts {
  readonly lines: readonly string[];
  readonly rest: Json;
}

/** @param answer as its viewer may see it; one without findings is returned whole */
export function splitFindings(answer: Json): AnswerParts {
  if (!isObject(answer)) return { lines: [], rest: answer };
  const { findings, decision, ...others } = answer;
  if (!Array.isArray(findings) || !isObject(decision) || !isTextList(decision.criteria))
    return { lines: [], rest: answer };
  const ofFindings = findings.map(formatFinding);
  if (!ofFindings.every((line) => line !== null)) return { lines: [], rest: answer };
  const { confidence: _, ...own } = others;
  const [name, ...more] = Object.keys(own);
  const rest = name === 'answer' && more.length === 0 ? (own.answer ?? null) : (others as Json);
  return { lines: [...ofFindings, ...decision.criteria.map((criterion) => `Criterion: ${criterion}`)], rest };
}

function formatFinding(finding: Json): string | null {
  if (!isObject(finding)) return null;
  const { statement, reason, sources } = finding;
  if (typeof statement !== 'string' || typeof reason !== 'string' || !isTextList(sources)) return null;
  return `Finding: ${statement} Why: ${reason}${sources.length === 0 ? '' : ` (${sources.join(', ')})`}`;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
