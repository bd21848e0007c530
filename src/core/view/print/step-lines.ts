/** A chain's steps as a tree of lines: thought, calls with their results, answer, notices. */

import { formatStepProgress } from '../../engine/index.js';
import { toValueText } from '../../lib/index.js';
import { hasResult } from '../../model/index.js';
import type { ReasoningView, StepView } from '../reasoning-view.js';
import { formatChildTrees } from './child-lines.js';
import { type CallGroup, groupSteps, type StepGroup } from './groups.js';
import { formatInterimLine } from './interim-lines.js';
import { formatItemLines, listCombinationRemarks, listStackNotes, nameFailure } from './item-lines.js';
import { createLeaf, createLine, createSignLabel, type Line, type LineTree, type Remark } from './line.js';

/** The item at which a chain failed, and the text of the mark. */
export interface FailureMark {
  readonly id: string;
  readonly words: string;
}

type PrintableChain = Pick<ReasoningView, 'steps' | 'children' | 'interims'>;

/** @param steps the printed steps; default all */
export function formatStepTrees(
  chain: PrintableChain,
  steps: readonly StepView[] = chain.steps,
  mark: FailureMark | null = null,
): readonly LineTree[] {
  return groupSteps(steps).map((group) => formatStepTree(group, chain, mark));
}

function formatStepTree(group: StepGroup, chain: PrintableChain, mark: FailureMark | null): LineTree {
  const { thought, calls, answer, notices } = group;
  const items = [
    thought,
    ...calls.flatMap(({ call, requests, result }) => [call, ...requests, result]),
    answer,
    ...notices,
  ];
  const hidden = items.filter((item) => item?.level === 'hidden');
  const remarks = [
    ...[thought, answer].flatMap((item) => (item === null ? [] : listCombinationRemarks(item))),
    ...(calls.length > 1 ? [`${calls.length} calls in parallel`] : []),
    ...(hidden.length === 0 ? [] : [`${hidden.length} not shown`]),
  ];
  // A hidden item has no line, so its step is marked.
  const marked = hidden.some((item) => item?.id === mark?.id) ? { mark: mark?.words ?? null } : {};
  return {
    line: { ...formatStepLine(group.number, remarks), ...marked },
    children: [
      ...createLeaves(thought, chain, mark),
      ...calls.flatMap((call) => formatCallTrees(call, chain, mark)),
      ...createLeaves(answer, chain, mark),
      ...dropEarlierAttempts(notices, mark).flatMap((notice) => createLeaves(notice, chain, mark)),
    ],
  };
}

/** Of attempts at a model call that failed alike, one after the other, the last notice has the number. */
function dropEarlierAttempts(notices: readonly StepView[], mark: FailureMark | null): readonly StepView[] {
  return notices.filter((notice, at) => {
    const cause = findRetryCause(notice);
    return cause === null || notice.id === mark?.id || cause !== findRetryCause(notices[at + 1]);
  });
}

function findRetryCause(step: StepView | undefined): string | null {
  if (step?.level !== 'full' || step.kind !== 'notice' || step.notice !== 'model_retry') return null;
  return step.text.replace(/^Attempt \d+/, '');
}

/** @param total number of the last step that the limit allows; null to leave it out */
export function formatStepLine(number: number, remarks: readonly Remark[], total: number | null = null): Line {
  const progress = total === null ? String(number) : formatStepProgress({ number, of: total });
  const title = number === 0 ? 'Before the first step' : `Step ${progress}`;
  return createLine(createSignLabel('step', title, 'heading'), { remarks });
}

/** Formats an item within its chain: a result contains the attempts of its call. */
function formatStepItem({ steps }: Pick<PrintableChain, 'steps'>, step: StepView): readonly Line[] {
  const correlated = step.level === 'full' && step.kind === 'tool_result' ? step.correlationId : null;
  const call = correlated === null ? undefined : steps.find(({ id }) => id === correlated);
  const attempts = call?.level === 'full' && call.kind === 'tool_call' ? call.attempts : null;
  return formatItemLines(step, 'short', { steps }, attempts);
}

/**
 * Formats an item when it is recorded: a call without its attempts, which its result has; a failed result with the name and
 * the stack of its error.
 */
export function formatRecordedItem(chain: Pick<PrintableChain, 'steps'>, step: StepView): readonly Line[] {
  if (step.level !== 'full') return formatStepItem(chain, step);
  if (step.kind === 'tool_call') return formatStepItem(chain, { ...step, attempts: null });
  const call = step.kind === 'tool_result' ? chain.steps.find(({ id }) => id === step.correlationId) : undefined;
  const failure = call?.level === 'full' && call.kind === 'tool_call' ? call.attempts?.lastFailure : undefined;
  if (step.kind !== 'tool_result' || hasResult(step.status) || failure == null) return formatStepItem(chain, step);
  const item = { ...step, observation: nameFailure(failure) + toValueText(step.observation) };
  return formatStepItem(chain, item).map((line) => ({ ...line, notes: [...line.notes, ...listStackNotes(failure)] }));
}

function createLeaves(step: StepView | null, chain: PrintableChain, mark: FailureMark | null): readonly LineTree[] {
  if (step === null) return [];
  const lines = formatStepItem(chain, step);
  const words = step.id === mark?.id ? mark.words : null;
  return lines.map((line, at) => createLeaf(at === lines.length - 1 ? { ...line, mark: words } : line));
}

/** Returns the interim result of a running call, as a list. */
export function listInterims(call: StepView | null, { interims = [] }: Pick<ReasoningView, 'interims'>) {
  return call?.kind === 'tool_call' ? interims.filter((interim) => interim.call === call.id) : [];
}

function formatCallTrees(
  { call, requests, result }: CallGroup,
  chain: PrintableChain,
  mark: FailureMark | null,
): readonly LineTree[] {
  const below = [
    ...requests.flatMap((step) => createLeaves(step, chain, mark)),
    ...(call === null ? [] : formatChildTrees(chain.children[call.id] ?? [], (child) => formatStepTrees(child.chain))),
    ...listInterims(call, chain).map(({ value }) => createLeaf(formatInterimLine(value, null))),
    ...createLeaves(result, chain, mark),
  ];
  const [first, ...more] = createLeaves(call, chain, mark);
  return first === undefined ? below : [{ ...first, children: below }, ...more];
}
