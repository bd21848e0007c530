/** Formats a chain as a tree: its head and its steps, of a long chain the newest; or one step in full. */

import { formatTime, toOneLine } from '../../core/lib/index.js';
import { defaults } from '../../core/model/index.js';
import type { RecordedChain } from '../../core/record/index.js';
import {
  countSteps,
  createBareLine,
  createLeaf,
  createLine,
  createNamedLabel,
  findFailurePoint,
  findMissingStep,
  formatChildLine,
  formatHeadLines,
  formatInterimLine,
  formatItemLines,
  formatPlanLines,
  formatStepLine,
  formatStepTrees,
  listInterims,
  type ReasoningView,
  type StepView,
  takeNewest,
  toReasoning,
} from '../../core/view/index.js';
import { filterSteps, type StepFilter } from '../flags/step-filter.js';
import { type Colors, getColors } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import { wrapText } from '../terminal/text.js';
import { formatFullRows, formatLineRows, formatTreeRows } from './terminal-lines.js';

interface TreeOptions {
  readonly color: boolean;
  readonly width: number;
  readonly now: number;
  /** The chain as the person named it, for the commands in hints. */
  readonly named: string;
  /** Ids of the chain's forks. */
  readonly forks?: readonly string[];
  /** Id of the workflow that runs the chain by `runAgent`; null for none. */
  readonly startedBy?: string | null;
  /** Whether sub-chains can be opened: a file does not contain them. */
  readonly opens?: boolean;
}

export function formatChainTree(
  recorded: RecordedChain,
  chain: ReasoningView,
  filter: StepFilter,
  page: TreeOptions,
): string {
  const { width, now, named } = page;
  const c = getColors(page);
  const matches = filterSteps(chain.steps, filter);
  const { steps, older } = takeNewest(matches, filter.last ?? (hasRange(filter) ? 'all' : defaults.shownSteps));
  const failure = findFailurePoint(toReasoning(recorded), findMissingStep(recorded.chain));
  const missing = failure?.kind === 'missingStep' ? failure : null;
  const branches = [
    ...formatStepTrees(chain, steps, failure?.kind === 'item' ? failure : null),
    // A missing step has no item to mark.
    ...(missing === null
      ? []
      : [
          createLeaf(
            createBareLine(`The model was called for step ${missing.step}.`, 'plain', { mark: missing.words }),
          ),
        ]),
  ];
  const plan = formatPlanLines(chain.plan);
  const rows = [
    ...formatHeadLines(chain, now).flatMap((line) => formatLineRows(line, width, c)),
    ...[...formatStarter(page), ...formatForks(page)].map((line) => c.dim(line)),
    ...(plan.length === 0 ? [] : ['', ...plan.flatMap((line) => formatLineRows(line, width, c))]),
    '',
    ...formatRemarks(chain, filter, c),
    ...(older === 0 ? [] : [c.dim(formatOlderHint(older, countSteps(steps), named))]),
    ...(matches.length > 0
      ? []
      : [c.dim(chain.steps.length === 0 ? 'No step is complete yet.' : 'No item matches the filter.')]),
    ...formatTreeRows(branches, width, c),
    ...formatFoldedHint(chain, page).map((line) => c.dim(line)),
    ...formatPartialAnswer(chain, width, c),
  ];
  return `${rows.join('\n')}\n`;
}

/** Formats a step in full: all text, the history of each call, and the usage of the reply. */
export function formatFullStep(
  steps: readonly StepView[],
  chain: ReasoningView,
  terminal: Pick<Terminal, 'color' | 'tableWidth'>,
): string {
  const c = getColors(terminal);
  const head = formatStepLine(steps[0]?.number ?? 0, [chain.agent, chain.chainId]);
  const rows = steps.flatMap((step) => [
    '',
    ...formatItemLines(step, 'full', chain).flatMap((line, at) => {
      const facts = at > 0 || step.level === 'hidden' ? line.remarks : [...line.remarks, formatTime(step.at)];
      return formatFullRows({ ...line, remarks: facts }, at === 0 ? step.id : null, terminal);
    }),
    ...listInterims(step, chain).flatMap(({ value }) => formatFullRows(formatInterimLine(value, null), null, terminal)),
    ...listChildren(step, chain).map((child) =>
      formatLineRows(formatChildLine(child), Number.POSITIVE_INFINITY, c).join(''),
    ),
  ]);
  return `${[...formatLineRows(head, Number.POSITIVE_INFINITY, c), ...rows].join('\n')}\n`;
}

function listChildren({ kind, id }: StepView, { children }: ReasoningView) {
  return kind === 'tool_call' && Object.hasOwn(children, id) ? (children[id] ?? []) : [];
}

function formatFoldedHint({ children }: ReasoningView, { named, opens = false }: TreeOptions): readonly string[] {
  const folded = opens && Object.values(children).some((views) => views.some(({ level }) => level === 'summary'));
  return folded ? ['', `Sub-chains are folded: longhand chain show ${named} --depth 1, or --tree`] : [];
}

function formatStarter({ startedBy = null, width }: TreeOptions): readonly string[] {
  return startedBy === null ? [] : wrapText(`started by the workflow ${toOneLine(startedBy)}`, width);
}

function formatForks({ forks = [], width }: TreeOptions): readonly string[] {
  return forks.length === 0 ? [] : wrapText(`forked as ${forks.map(toOneLine).join(', ')}`, width);
}

/** The lines before the steps: for a long chain, or one that the viewer does not see in full. */
function formatRemarks(chain: ReasoningView, filter: StepFilter, c: Colors): readonly string[] {
  const isNewest = filter.last === null && !hasRange(filter);
  const total = countSteps(chain.steps);
  const isPartial = chain.steps.some(({ level }) => level !== 'full');
  const lines = [
    ...(isPartial ? chain.progress.map((line) => `- ${line}`) : []),
    ...(total > defaults.shownSteps ? [chain.summary] : []),
    ...(isNewest ? (chain.outline ?? []).map((line) => `- ${line}`) : []),
    ...(isNewest && chain.warning !== undefined ? [c.yellow(`⚠ ${chain.warning}`)] : []),
  ];
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Whether the person named the steps to show: then all of them are shown. */
function hasRange({ range }: StepFilter): boolean {
  return range.from !== undefined || range.to !== undefined;
}

function formatOlderHint(older: number, count: number, named: string): string {
  const more = Math.min(older + count, count * 4);
  const all = `longhand chain show ${named} --all`;
  const some = more === older + count ? all : `longhand chain show ${named} --last ${more}, or --all`;
  return `… ${older} older ${older === 1 ? 'step' : 'steps'}: ${some}`;
}

/** The partial answer of a stopped chain, unless the tree shows the summary. */
function formatPartialAnswer({ partial, steps }: ReasoningView, width: number, c: Colors): readonly string[] {
  const hasSummary = steps.some(
    (step) => step.kind === 'notice' && step.level === 'full' && step.notice === 'closing_call',
  );
  if (partial === null || hasSummary) return [];
  return [
    '',
    ...formatLineRows(
      createLine(createNamedLabel('partial answer', 'faint'), { content: partial, style: 'faint' }),
      width,
      c,
    ),
  ];
}
