/**
 * What a run is found by: the words of its task, its answer, its thoughts, its calls, and of what was observed as much as
 * there is room for.
 *
 * L8: they are the words that a developer sees, by the rules of the worker that archives it. What is masked or hidden for
 * one is not found by anybody; who sees less than a developer is held against his own view by whoever searches for him.
 */

import { asText } from '../../core/lib/json.js';
import type { Chain } from '../../core/model/chain.js';
import type { ChainRun } from '../../core/record/chain-file.js';
import { resultOfClosed } from '../../core/record/closed-result.js';
import { nothingBeside, reason } from '../../core/view/reason.js';
import { type StepView, wordsOf } from '../../core/view/reasoning-view.js';
import { view } from '../../core/view/view.js';
import { type VisibilityConfig, viewerOf } from '../../core/view/visibility.js';
import { wordsIn } from './words.js';

/** Of one run, and of one of its observations: what is read in pages is not found by its last one. */
const mostWords = 2_000;
const mostOfObservation = 4_096;

export interface Searched {
  readonly run: Pick<ChainRun, 'closed' | 'closedAt'>;
  readonly chain: Chain;
  readonly hidden?: readonly string[];
  readonly visibility?: VisibilityConfig;
}

export function searchWords({ run, chain, hidden = [], visibility = {} }: Searched): ReadonlySet<string> {
  const over = run.closed !== null && run.closed !== 'continuedAsNew';
  const result = over ? resultOfClosed({ chain, ...run }) : null;
  const seen = view(
    reason(chain, { ...nothingBeside, result }),
    viewerOf('developer', { expanded: 'all' }),
    visibility,
  );
  const secret = new Set(hidden.flatMap((text) => [...wordsIn(text)]));
  const words = new Set<string>();
  const take = (text: string) => {
    for (const word of wordsIn(text)) {
      if (words.size >= mostWords) return;
      if (!secret.has(word) && !marks.has(word)) words.add(word);
    }
  };
  take(`${seen.task} ${asText(seen.answer)} ${seen.partial ?? ''} ${seen.reason ?? ''}`);
  const isObserved = ({ kind }: StepView) => kind === 'tool_result';
  for (const step of seen.steps) if (!isObserved(step)) take(wordsOf(step));
  for (const step of seen.steps) if (isObserved(step)) take(wordsOf(step).slice(0, mostOfObservation));
  return words;
}

/** What stands for what is hidden is not what anybody looks for. */
const marks: ReadonlySet<string> = new Set(['redacted', 'null']);
