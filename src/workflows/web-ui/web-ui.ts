/**
 * What a reader sees of a live chain in Temporal's Web UI without opening a payload. Details cost no history.
 * L8: whatever somebody said, a tool was given or gave back passes through `Shown`.
 */

import { log, setCurrentDetails } from '@temporalio/workflow';
import { logMessages } from '../../contract/names.js';
import type { Paragraph, WebUiDisplay } from '../../core/engine/continue-as-new.js';
import { formatCount, formatUsd } from '../../core/lib/display.js';
import { toValueText } from '../../core/lib/json.js';
import { showAddresses, showInvisible, toPlainText } from '../../core/lib/plain-text.js';
import { describeLimits } from '../../core/model/limits.js';
import type { ChainState, Stop } from '../../core/model/state.js';
import { formatStop } from '../../core/model/stop-reason.js';
import { formatPlanProgress, formatTask } from '../../core/model/tasks.js';
import { formatList, formatQuote } from '../../core/print/markdown.js';
import type { ChainEntry } from '../../core/state/entry.js';
import { listKnownTools } from '../../core/state/fork.js';
import type { SnippetMasker } from '../../core/view/snippet-masker.js';
import { appendEntry } from './paragraphs.js';
import { formatPendingRequests } from './pending-requests.js';
import { formatSubChains } from './sub-chains.js';

/** Paragraphs shown; what came before is in the history. */
const maxParagraphs = 40;

/** The Web UI cuts off the last line of what it shows; let it be an empty one. */
const pageEnd = '\u00a0\n\n\u00a0';

export class WebUi {
  private readonly shown: SnippetMasker;

  /** @param paragraphs what was shown of the chain before */
  constructor(
    shown: SnippetMasker,
    private paragraphs: readonly Paragraph[] = [],
  ) {
    this.shown = createDetailsMasker(shown);
  }

  get display(): WebUiDisplay {
    return { paragraphs: this.paragraphs, hidden: this.shown.listHidden() };
  }

  /** L7: what cannot be shown must not fail the workflow task. It is a view, and no command depends on it. */
  show(state: ChainState, entries: readonly ChainEntry[]): void {
    try {
      // Temporal's own tools print it as it is.
      setCurrentDetails(toPlainText(this.formatPage(state, entries)));
    } catch (error) {
      log.warn(logMessages.notShown, { error });
      setCurrentDetails('The chain cannot be shown here; `longhand chain show` reads its history.');
    }
  }

  private formatPage(state: ChainState, entries: readonly ChainEntry[]): string {
    // A fork begins with all of its origin's at once.
    const first = Math.max(0, entries.length - 3 * maxParagraphs);
    for (const entry of entries.slice(0, first)) this.skipEntry(entry, state);
    const shown = entries
      .slice(first)
      .reduce((before, entry) => appendEntry(before, entry, state, this.shown), this.paragraphs);
    this.paragraphs = shown.slice(-maxParagraphs);
    const said = this.paragraphs.map(({ text }) => text);
    return [
      ...this.formatHeading(state),
      ...formatPendingRequests(state, this.shown),
      ...this.formatPlan(state),
      ...formatSubChains(state),
      ...said,
      pageEnd,
    ].join('\n\n');
  }

  private formatHeading(state: ChainState): readonly string[] {
    const { agent, charged, stop, steps } = state;
    const facts = [
      `${steps} ${steps === 1 ? 'step' : 'steps'}`,
      `${formatCount(charged.tokens)} tokens`,
      ...formatCost(charged.usd),
    ];
    const title = `### ${[...(stop === null ? [] : [stop.outcome]), ...facts].join(' · ')}`;
    const of = agent === null ? [] : [`${agent.name} · ${agent.model.name} · at most ${describeLimits(agent.limits)}`];
    return [
      title,
      ...of,
      ...this.formatTask(state),
      ...(stop === null ? [] : [this.shown.reason(formatStop(stop), 400), ...this.formatResult(stop)]),
    ];
  }

  /** Temporal shows it with the run that a chain was started in, and not with those that it goes on in. */
  private formatTask({ run, input }: ChainState): readonly string[] {
    return run.runs === 0 ? [] : [`**Task** ${this.shown.line(input?.task ?? '', 400)} · run ${run.runs + 1}`];
  }

  /** The tasks, and how far each has come. */
  private formatPlan({ plan }: ChainState): readonly string[] {
    if (plan === null) return [];
    return [
      `**Plan** ${formatPlanProgress(plan)}`,
      formatList(plan.tasks.map((task) => this.shown.line(formatTask(task), 200))),
    ];
  }

  /** What the chain came to stands first: it is what people come for. */
  private formatResult({ answer, partial }: Stop): readonly string[] {
    const text = toValueText(answer ?? partial ?? '');
    return text === '' ? [] : [formatQuote(this.shown.block(text, 4_000))];
  }

  /** What is sensitive in it is hidden in what comes after all the same. */
  private skipEntry(entry: ChainEntry, state: ChainState): void {
    if (entry.type === 'step-added') this.shown.beginStep(listKnownTools(state), entry.step.calls);
    if (entry.type === 'call-completed') this.shown.rememberResult(entry.tool, entry.result.observation);
    if (entry.type === 'request-decided') this.recordChangedArguments(entry);
  }

  private recordChangedArguments({
    tool,
    decision: { input },
  }: Extract<ChainEntry, { type: 'request-decided' }>): void {
    if (input !== undefined) this.shown.replaceArguments({ tool, input });
  }
}

function formatCost(spent: number | null): readonly string[] {
  return spent === null ? [] : [formatUsd(spent)];
}

/** Invisible characters are shown as codes, and links with the address that they lead to: the Web UI renders Markdown. */
function createDetailsMasker(shown: SnippetMasker): SnippetMasker {
  return {
    ...shown,
    line: (...given) => showAddresses(shown.line(...given)),
    block: (...given) => showAddresses(shown.block(...given)),
    reason: (...given) => showAddresses(showInvisible(shown.reason(...given))),
    // Both are printed as code, in which no link is live.
    value: (...given) => showInvisible(shown.value(...given)),
    call: (...given) => showInvisible(shown.call(...given)),
  };
}
