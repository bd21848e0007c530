/** Chooses the best of several answers: by vote (equal answers), by score, or by a judging agent. The first wins a tie. */

import {
  findOwn,
  frameIfNeeded,
  frameText,
  isObject,
  type Json,
  renderLabelledText,
  toValueText,
} from '../../lib/index.js';
import type { Child } from '../../model/index.js';
import { normalizeAnswer } from './child-observation.js';

export interface BestCandidate {
  readonly best: Child;
  /** For the model and for people. */
  readonly why: string;
}

/** @param candidates at least one */
export function chooseByVote(candidates: readonly Child[]): BestCandidate | null {
  const votes = new Map<string, Child[]>();
  for (const candidate of candidates) {
    const answer = normalizeAnswer(candidate.observation);
    votes.set(answer, [...(votes.get(answer) ?? []), candidate]);
  }
  const [first] = [...votes.values()].sort((a, b) => b.length - a.length);
  const best = first?.[0];
  if (first === undefined || best === undefined) return null;
  return { best, why: `${first.length} of ${candidates.length} agree.` };
}

/** @param scores in the order of the candidates; a missing score, or one that is not a number, counts as the lowest */
export function chooseByScore(candidates: readonly Child[], scores: readonly (number | null)[]): BestCandidate | null {
  let best: { readonly child: Child; readonly score: number } | null = null;
  for (const [at, child] of candidates.entries()) {
    const score = scores[at] ?? Number.NEGATIVE_INFINITY;
    if (best === null || score > best.score) best = { child, score };
  }
  if (best === null) return null;
  const all = candidates.map((_, at) => formatScore(scores[at])).join(', ');
  return { best: best.child, why: `Best score: ${formatScore(best.score)} (scores: ${all}).` };
}

function formatScore(score: number | null | undefined): string {
  return score === null || score === undefined || !Number.isFinite(score)
    ? 'none'
    : String(Math.round(score * 1e4) / 1e4);
}

/** Frames an answer so that it cannot end its section or start another candidate's (F1). */
function renderCandidate(answer: string): string {
  return /^\s*#/.test(answer) ? frameText(answer) : frameIfNeeded(answer);
}

/** Renders the task of a judging agent. */
export function renderJudgeTask(tasks: readonly string[], candidates: readonly Child[]): string {
  const same = new Set(candidates.map(({ index }) => tasks[index])).size === 1;
  const sections = candidates.map(({ index, observation }, at) => {
    const task = same ? '' : `${renderLabelledText('Tried', tasks[index] ?? '')}\n`;
    return `## Candidate ${at + 1}\n${task}${renderCandidate(toValueText(observation))}`;
  });
  const [task] = tasks;
  const about = same && task !== undefined ? `The task was:\n${task}\n\n` : '';
  return `${about}Choose the best of these candidates. Answer with its number first, then the reason in one sentence.\n\n${sections.join('\n\n')}`;
}

/** Reads the first number in a judge's answer; null if it is not the number of a candidate. */
export function parseJudgeAnswer(answer: Json, candidates: readonly Child[]): BestCandidate | null {
  const choice = isObject(answer) ? findOwn(answer, 'best') : answer;
  const [number] = /\d+/.exec(toValueText(choice ?? '')) ?? [];
  const best = number === undefined ? undefined : candidates[Number(number) - 1];
  return best === undefined ? null : { best, why: `The judge answered: ${toValueText(answer)}` };
}
