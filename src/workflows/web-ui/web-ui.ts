/**
 * The details of a running chain in Temporal's Web UI, readable without opening a payload. Details cost no history. L8:
 * all texts of people, models and tools pass the masker.
 */

import { log, setCurrentDetails } from '@temporalio/workflow';
import { logMessages } from '../../contract/index.js';
import {
  type ChainEntry,
  findCurrentStep,
  formatStepProgress,
  listKnownTools,
  type Paragraph,
  type WebUiDisplay,
} from '../../core/engine/index.js';
import {
  formatCount,
  formatTotalUsd,
  showAddresses,
  showInvisible,
  toPlainText,
  toValueText,
} from '../../core/lib/index.js';
import {
  type ChainState,
  describeLimits,
  formatAgent,
  formatPlanProgress,
  formatStop,
  formatTask,
  type Stop,
} from '../../core/model/index.js';
import { formatList, formatQuote, type SnippetMasker } from '../../core/view/index.js';
import { appendEntry } from './paragraphs.js';
import { formatPendingRequests } from './pending-requests.js';
import { formatSubChains } from './sub-chains.js';

/** Maximum paragraphs; the history has earlier ones. */
const maxParagraphs = 40;

/** The Web UI cuts off the last line, so it is empty. */
const pageEnd = '\u00a0\n\n\u00a0';

export class WebUi {
  private readonly masker: SnippetMasker;

  /** @param paragraphs paragraphs of the run before */
  constructor(
    masker: SnippetMasker,
    private paragraphs: readonly Paragraph[] = [],
  ) {
    this.masker = createDetailsMasker(masker);
  }

  get display(): WebUiDisplay {
    return { paragraphs: this.paragraphs, hidden: this.masker.listHidden() };
  }

  /** Updates the details. L7: a failure here must not fail the workflow task. No command depends on it. */
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
    // A fork starts with all entries of its origin at once.
    const first = Math.max(0, entries.length - 3 * maxParagraphs);
    for (const entry of entries.slice(0, first)) this.skipEntry(entry, state);
    const masker = entries
      .slice(first)
      .reduce((before, entry) => appendEntry(before, entry, state, this.masker), this.paragraphs);
    this.paragraphs = masker.slice(-maxParagraphs);
    const texts = this.paragraphs.map(({ text }) => text);
    return [
      ...this.formatHeading(state),
      ...formatPendingRequests(state, this.masker),
      ...this.formatPlan(state),
      ...formatSubChains(state),
      ...texts,
      pageEnd,
    ].join('\n\n');
  }

  private formatHeading(state: ChainState): readonly string[] {
    const { agent, charged, stop, steps, unpricedTokens } = state;
    const current = findCurrentStep(state);
    const facts = [
      current === null ? `${steps} ${steps === 1 ? 'step' : 'steps'}` : `Step ${formatStepProgress(current)}`,
      `${formatCount(charged.tokens)} tokens`,
      ...(charged.usd === null ? [] : [formatTotalUsd(charged.usd, unpricedTokens)]),
    ];
    const title = `### ${[...(stop === null ? [] : [stop.outcome]), ...facts].join(' · ')}`;
    const agentFacts =
      agent === null ? [] : [`${formatAgent(agent)} · ${agent.model.name} · at most ${describeLimits(agent.limits)}`];
    return [
      title,
      ...agentFacts,
      ...this.formatTask(state),
      ...(stop === null ? [] : [this.masker.reason(formatStop(stop), 400), ...this.formatResult(stop)]),
    ];
  }

  /** Temporal shows the task only in a chain's first run, so later runs repeat it. */
  private formatTask({ run, input }: ChainState): readonly string[] {
    return run.runs === 0 ? [] : [`**Task** ${this.masker.line(input?.task ?? '', 400)} · run ${run.runs + 1}`];
  }

  /** Formats the plan's tasks with their status. */
  private formatPlan({ plan }: ChainState): readonly string[] {
    if (plan === null) return [];
    return [
      `**Plan** ${formatPlanProgress(plan)}`,
      formatList(plan.tasks.map((task) => this.masker.line(formatTask(task), 200))),
    ];
  }

  /** The result comes first: readers look for it. */
  private formatResult({ answer, partial }: Stop): readonly string[] {
    const text = toValueText(answer ?? partial ?? '');
    const mark = answer === null ? ['**Partial answer**'] : [];
    return text === '' ? [] : [...mark, formatQuote(this.masker.block(text, 4_000))];
  }

  /** Registers sensitive values of an entry that is not shown, so that they are masked later. */
  private skipEntry(entry: ChainEntry, state: ChainState): void {
    if (entry.type === 'step-added') this.masker.beginStep(listKnownTools(state), entry.step.calls);
    if (entry.type === 'call-completed') this.masker.rememberResult(entry.tool, entry.result.observation);
    if (entry.type === 'request-decided') this.recordChangedArguments(entry);
  }

  private recordChangedArguments({
    tool,
    decision: { input, answer },
  }: Extract<ChainEntry, { type: 'request-decided' }>): void {
    if (input !== undefined) this.masker.replaceArguments({ tool, input });
    if (answer !== undefined) this.masker.rememberResult(tool, answer);
  }
}

/** Shows invisible characters as codes, and links with their addresses: the Web UI renders Markdown. */
function createDetailsMasker(masker: SnippetMasker): SnippetMasker {
  return {
    ...masker,
    line: (...args) => showAddresses(masker.line(...args)),
    block: (...args) => showAddresses(masker.block(...args)),
    reason: (...args) => showAddresses(showInvisible(masker.reason(...args))),
    // Both are printed as code, where links are not rendered.
    value: (...args) => showInvisible(masker.value(...args)),
    call: (...args) => showInvisible(masker.call(...args)),
  };
}
