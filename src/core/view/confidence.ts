/** The confidence that a model states in a thought or an answer. Longhand does not compute one. */

import { isObject, type Json } from '../lib/index.js';
import type { AgentSnapshot } from '../model/index.js';

/** Below this, a step is marked as uncertain. */
const lowConfidence = 0.5;

/** `Confidence: 70 %`, `(confidence 0.7)`, `confidence is 70%`. */
const statement = /\bconfidence\b(?:\s+(?:is|of)\b|\s*[:=])?\s*(\d{1,3}(?:\.\d+)?)\s*(%?)/i;

/** Returns the number of the first statement, from 0 to 1, or null. */
export function findConfidence(value: Json): number | null {
  if (isObject(value)) return toShare(value.confidence);
  if (typeof value !== 'string') return null;
  const [, number, percent] = value.match(statement) ?? [];
  return number === undefined ? null : toShare(percent === '%' ? Number(number) / 100 : Number(number));
}

/** Returns the confidence of an answer. Where the schema of its agent has one, no text is searched. */
export function findAnswerConfidence(answer: Json, agent: Pick<AgentSnapshot, 'outputSchema'> | null): number | null {
  const { properties } = agent?.outputSchema ?? {};
  const isInSchema = isObject(properties) && Object.hasOwn(properties, 'confidence');
  return isInSchema && typeof answer === 'string' ? null : findConfidence(answer);
}

/** Returns how an uncertain step is marked; empty for any other. */
export function formatUncertainty(confidence: number | null): string {
  return confidence === null || confidence >= lowConfidence ? '' : `, uncertain (${formatConfidence(confidence)})`;
}

export function formatConfidence(confidence: number): string {
  return `${Math.round(confidence * 100)} %`;
}

function toShare(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null;
}
