/** The steps of a live chain as paragraphs of the Web UI's details, made of the lines that every reader is shown. */

import type { Paragraph } from '../../core/engine/continue-as-new.js';
import type { Step } from '../../core/model/chain.js';
import type { State } from '../../core/model/state.js';
import { reasonOf } from '../../core/model/stop-reason.js';
import * as lines from '../../core/print/entry-lines.js';
import type { Line } from '../../core/print/line.js';
import { code, inlineText, wordsText } from '../../core/print/markdown.js';
import type { Entry } from '../../core/state/entry.js';
import { knownTools } from '../../core/state/forked.js';
import type { Shown } from '../../core/view/snippet-masker.js';
import { chainLink } from './sub-chains.js';

/** Sub-chains that are named with their call; the others are found by its id. */
const mostChains = 3;

const lengths: lines.Lengths = { text: 400, input: 200, result: 200 };

/** The paragraphs after an entry: an observation joins the paragraph of its call. */
export function withEntry(
  before: readonly Paragraph[],
  entry: Entry,
  state: State,
  shown: Shown,
): readonly Paragraph[] {
  const around = { shown, lengths, tools: knownTools(state) ?? [], plans: false };
  const also = (text: string) => [...before, { call: null, text }];
  switch (entry.type) {
    case 'step':
      shown.begin(knownTools(state), entry.step.calls);
      return [...before, ...stepParagraphs(entry.step, around)];
    case 'observation': {
      const result = inline(lines.observationLines(entry.tool, entry.settled, around));
      return before.map((each) => (each.call === entry.settled.call ? { call: null, text: each.text + result } : each));
    }
    case 'notice':
      // What ended the chain and what sums it up are in the heading.
      if (entry.notice.kind === 'closing' || saysWhyItEnds(state, entry.notice.text)) return before;
      return also(inlineText(lines.noticeEntryLine(entry.notice, around)));
    case 'message':
      return also(inlineText(lines.messageLine(entry, around)));
    case 'decided':
      return also(`${entry.call} · ${wordsText(lines.decidedLine(entry, null, around))}`);
    case 'chainBegun':
      return before.map((each) => (each.call === entry.call ? withChain(each, entry.chain.chainId) : each));
    // What waits for a person is above, for as long as it does.
    case 'asked':
    // The plan is above as well.
    case 'planned':
    case 'guided':
    case 'chainEnded':
    case 'started':
    case 'prepared':
    case 'paused':
      return before;
  }
}

function stepParagraphs(step: Step, around: lines.Around): readonly Paragraph[] {
  const { number, thought, problem, calls } = step;
  const said = lines.thoughtEntryLines({ thought, problem }, around).map(wordsText);
  return [
    { call: null, text: `**${number}** ${said.join(' ')}` },
    ...calls.map((call): Paragraph => {
      // With its arguments as notices name it: text and result are one paragraph.
      const text = `- ${code(around.shown.call(call))}`;
      if (call.status === 'pending') return { call: call.id, text };
      return { call: null, text: text + inline(lines.observationLines(call.tool, lines.settledOf(call), around)) };
    }),
  ];
}

function inline(of: readonly Line[]): string {
  return of.map((line) => ` ${inlineText(line)}`).join('');
}

function withChain({ call, text, chains = 0 }: Paragraph, chainId: string): Paragraph {
  const more = chains < mostChains ? ` ⇢ ${chainLink(chainId)}` : chains === mostChains ? ' ⇢ …' : '';
  return { call, text: text + more, chains: chains + 1 };
}

function saysWhyItEnds({ stop }: State, text: string): boolean {
  return stop !== null && reasonOf(stop).includes(text);
}
