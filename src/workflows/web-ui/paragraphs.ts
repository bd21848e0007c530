/** The steps of a running chain as paragraphs of the Web UI's details, made of the lines of `core/view/print`. */

import { type ChainEntry, formatProvider, listKnownTools, type Paragraph } from '../../core/engine/index.js';
import { formatUsd, type Json, toValueText } from '../../core/lib/index.js';
import { type ChainState, formatStop, type Step } from '../../core/model/index.js';
import {
  formatCode,
  formatInline,
  formatWords,
  type Line,
  entryLines as lines,
  type SnippetMasker,
} from '../../core/view/index.js';
import { formatChainLink } from './sub-chains.js';

/** Sub-chains that are named with their call; the call's id finds the others. */
const maxChains = 3;

const lengths: lines.LengthLimits = { text: 400, input: 200, result: 200, template: 8_000 };

/** Returns the paragraphs after an entry: an observation joins the paragraph of its call. */
export function appendEntry(
  before: readonly Paragraph[],
  entry: ChainEntry,
  state: ChainState,
  masker: SnippetMasker,
): readonly Paragraph[] {
  const lineContext = { masker, lengths, tools: listKnownTools(state) ?? [] };
  const also = (text: string) => [...before, { call: null, text }];
  switch (entry.type) {
    case 'step-added':
      masker.beginStep(listKnownTools(state), entry.step.calls);
      return [...before, ...toStepParagraphs(entry.step, lineContext, state)];
    case 'call-completed': {
      const result = formatInlineLines(lines.formatObservation(entry.tool, entry.result, lineContext));
      return before.map((paragraph) =>
        paragraph.call === entry.result.call ? { call: null, text: paragraph.text + result } : paragraph,
      );
    }
    case 'notice-added':
      // The stop reason and the summary are in the heading.
      if (entry.notice.code === 'closing_call' || isStopReason(state, entry.notice.text)) return before;
      return also(formatInline(lines.formatNoticeEntry(entry.notice, lineContext)));
    case 'message-received':
      return also(formatInline(lines.formatMessageEntry(entry, lineContext)));
    case 'request-decided':
      return also(`${entry.call} · ${formatWords(lines.formatDecisionEntry(entry, lineContext))}`);
    case 'sub-chain-started':
      return before.map((paragraph) =>
        paragraph.call === entry.call ? appendChain(paragraph, entry.chain.chainId) : paragraph,
      );
    // Open requests are above.
    case 'request-opened':
    // So is the plan.
    case 'plan-changed':
    case 'guidance-added':
    case 'sub-chain-ended':
    case 'chain-started':
    case 'agent-prepared':
    case 'turn-paused':
      return before;
  }
}

function toStepParagraphs(step: Step, lineContext: lines.LineContext, { stop }: ChainState): readonly Paragraph[] {
  const { number, thought, problem, calls, answer } = step;
  const texts = lines.formatThoughtEntry({ thought, problem }, lineContext).map(formatWords);
  const ends = answer === null ? [] : [formatAnswer(answer, stop?.answer != null, lineContext)];
  return [
    { call: null, text: `**${number}** ${[...texts, ...ends, ...listModel(step)].join(' ')}` },
    ...calls.map((call): Paragraph => {
      // With its arguments as notices contain them: call and result are one paragraph.
      const text = `- ${formatCode(lineContext.masker.call(call))}`;
      if (call.status === 'pending') return { call: call.id, text };
      return {
        call: null,
        text: text + formatInlineLines(lines.formatObservation(call.tool, lines.toCallResult(call), lineContext)),
      };
    }),
  ];
}

/** `claude-sonnet-5-5 from anthropic` · $0.0012. A plan that was reused has no model. */
function listModel(step: Step): readonly string[] {
  const { provider, model, costUsd } = step;
  if (provider === null) return [];
  const cost = costUsd === null ? [] : [formatUsd(costUsd)];
  return [[formatCode(`${model} from ${formatProvider(step)}`), ...cost].join(' · ')];
}

/** The heading has the answer that ends a chain. A chain continues after an answer that is rejected. */
function formatAnswer(answer: Json, isAbove: boolean, { masker }: lines.LineContext): string {
  return isAbove ? 'The answer above.' : `**Answer** ${masker.line(toValueText(answer), lengths.text)}`;
}

function formatInlineLines(items: readonly Line[]): string {
  return items.map((line) => ` ${formatInline(line)}`).join('');
}

function appendChain({ call, text, chains = 0 }: Paragraph, chainId: string): Paragraph {
  const more = chains < maxChains ? ` ⇢ ${formatChainLink(chainId)}` : chains === maxChains ? ' ⇢ …' : '';
  return { call, text: text + more, chains: chains + 1 };
}

function isStopReason({ stop }: ChainState, text: string): boolean {
  return stop !== null && formatStop(stop).includes(text);
}
