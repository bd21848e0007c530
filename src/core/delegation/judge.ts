/**
 * The best of several answers to one task. A vote counts equal answers; else somebody has scored them, and the highest
 * score wins. Of equals, the first.
 */

import { frameIfNeeded, frameText, renderLabelledText } from '../lib/frame-text.js';
import { findOwn, isObject, type Json, toValueText } from '../lib/json.js';
import type { Child } from '../model/child.js';
import { normalizeAnswer } from './child-observation.js';

/** Which of the candidates, and why, for the model and for people. */
export interface BestCandidate {
  readonly best: Child;
  readonly why: string;
}

/** @param candidates at least one */
export function chooseByVote(candidates: readonly Child[]): BestCandidate | null {
  const votes = new Map<string, Child[]>();
  for (const each of candidates) {
    const answer = normalizeAnswer(each.observation);
    votes.set(answer, [...(votes.get(answer) ?? []), each]);
  }
  const [first] = [...votes.values()].sort((a, b) => b.length - a.length);
  const best = first?.[0];
  if (first === undefined || best === undefined) return null;
  return { best, why: `${first.length} of ${candidates.length} say so.` };
}

/** @param scores in the order of the candidates; one that is missing or no number counts as the lowest */
export function chooseByScore(candidates: readonly Child[], scores: readonly (number | null)[]): BestCandidate | null {
  let best: { readonly child: Child; readonly score: number } | null = null;
  for (const [at, child] of candidates.entries()) {
    const score = scores[at] ?? Number.NEGATIVE_INFINITY;
    if (best === null || score > best.score) best = { child, score };
  }
  if (best === null) return null;
  const told = candidates.map((_, at) => formatScore(scores[at])).join(', ');
  return { best: best.child, why: `It scored ${formatScore(best.score)} of ${told}.` };
}

function formatScore(score: number | null | undefined): string {
  return score === null || score === undefined || !Number.isFinite(score)
    ? 'none'
    : String(Math.round(score * 1e4) / 1e4);
}

/** An answer cannot end its own section, nor begin another candidate's (F1). */
function renderCandidate(told: string): string {
  return /^\s*#/.test(told) ? frameText(told) : frameIfNeeded(told);
}

/** What a judging agent is asked. */
export function renderJudgeTask(tasks: readonly string[], candidates: readonly Child[]): string {
  const same = new Set(candidates.map(({ index }) => tasks[index])).size === 1;
  const shown = candidates.map(({ index, observation }, at) => {
    const task = same ? '' : `${renderLabelledText('Tried', tasks[index] ?? '')}\n`;
    return `## Candidate ${at + 1}\n${task}${renderCandidate(toValueText(observation))}`;
  });
  const [task] = tasks;
  const about = same && task !== undefined ? `The task was:\n${task}\n\n` : '';
  return `${about}Say which of these candidates is the best. Answer with its number first, then why in one sentence.\n\n${shown.join('\n\n')}`;
}

/** The first number that a judge names; null where it names none that there is. */
export function parseJudgeAnswer(answer: Json, candidates: readonly Child[]): BestCandidate | null {
  const said = isObject(answer) ? findOwn(answer, 'best') : answer;
  const [number] = /\d+/.exec(toValueText(said ?? '')) ?? [];
  const best = number === undefined ? undefined : candidates[Number(number) - 1];
  return best === undefined ? null : { best, why: `The judge says: ${toValueText(answer)}` };
}
