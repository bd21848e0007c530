/** What people were asked about a call as a branch: while it waits, who may decide until when, and then what they said. */

import { longDuration } from '../../core/lib/display.js';
import { oneLine } from '../../core/lib/plain.js';
import { approvalsOf } from '../../core/model/ask.js';
import { askFacts, decidedText } from '../../core/state/decided-text.js';
import type { FullStep } from '../../core/view/reasoning-view.js';
import type { Colors } from '../terminal/colors.js';
import { argumentsText, columns, wrapped } from '../terminal/text.js';
import type { Branch } from './branch.js';

type Approval = Extract<FullStep, { kind: 'approval' }>;
type Said = Approval['decisions'][number];

/** Words that break into lines, and what stands dim behind the last of them. */
interface Sentence {
  readonly paint: (text: string) => string;
  readonly words: string;
  readonly facts: readonly string[];
}

/** @param told decisions that the reader knows: they are left out, and what was asked too */
export function approvalBranch(step: Approval, c: Colors, told = 0): Branch {
  const { request, tool, status, decisions } = step;
  const label = `[${request.toUpperCase()}: ${oneLine(tool)}]`;
  const indent = ' '.repeat(columns(label) + 1);
  const sentences = [
    ...decisions.map((said) => decided(said, step, c)).slice(told),
    ...(status === 'waiting' && told === 0 ? [waits(step, c)] : []),
    ...(status === 'not_decided' ? [{ paint: c.yellow, words: 'Not decided: the chain ended first.', facts: [] }] : []),
  ];
  const lines = (room: number) =>
    sentences
      .flatMap((sentence) => linesOf(sentence, Math.max(20, room - indent.length), c))
      .map((line, at) => (at === 0 ? `${c.blue(label)} ${line}` : indent + line));
  return { lines, under: [] };
}

/** Why the outcome of a call is not known, a notice says, and a question stands in its call. */
function waits(step: Approval, c: Colors): Sentence {
  const { request, reason, decisions } = step;
  const approved = approvalsOf(decisions).length;
  const words = {
    approval: `Waits for approval. ${reason}`,
    outcome: 'Waits for somebody to say whether it happened.',
    question: 'Waits for an answer.',
  };
  return { paint: c.yellow, words: words[request], facts: askFacts({ ...step, approved }) };
}

function decided(said: Said, { durationMs, decisions }: Approval, c: Colors): Sentence {
  const { what, input } = said;
  const good = what === 'approved' || what === 'answered' || what === 'happened' || what === 'not_happened';
  const changed = input === undefined ? null : argumentsText(input);
  const took = said === decisions.at(-1) && durationMs !== null ? [longDuration(durationMs)] : [];
  return { paint: good ? c.green : c.yellow, words: decidedText(said, changed, decisions), facts: took };
}

function linesOf({ paint, words, facts }: Sentence, room: number, c: Colors): readonly string[] {
  const lines = wrapped(words, room);
  const told = facts.map(oneLine).join(' · ');
  const last = lines.at(-1) ?? '';
  if (told === '') return lines.map(paint);
  if (columns(last) + columns(told) + 2 <= room) {
    return [...lines.slice(0, -1).map(paint), `${paint(last)}  ${c.dim(told)}`];
  }
  return [...lines.map(paint), ...wrapped(told, room).map((line) => c.dim(line))];
}
