/**
 * A chain as one viewer sees it, its plan (as much as of its thoughts), and the words to search in it. `view.ts` makes it from
 * the chain; every outlet shows this and nothing else (L8).
 */

import { shorten } from '../lib/display.js';
import { toValueText } from '../lib/json.js';
import type { VisibilityLevel } from '../model/agent.js';
import type { Plan, Task } from '../model/plan.js';
import type { ChainMasker } from './chain-masker.js';
import type {
  ApprovalStatus,
  ApprovalStep,
  Reasoning,
  ReasoningStatus,
  ReasoningStep,
  StepKind,
  SubChain,
} from './reasoning.js';

type FullStepOf<S extends ReasoningStep> = S extends ReasoningStep ? S & { readonly level: 'full' } : never;

interface RedactionCount {
  /** How often something in it is hidden behind a mark such as `[redacted:email]`. */
  readonly redacted: number;
}

/** The whole step, redacted. */
export type FullStep = FullStepOf<ReasoningStep> & RedactionCount;

/** A line about the step: neither thoughts nor arguments nor results, but what the tool's template takes from them. */
export interface SummaryStep extends RedactionCount {
  readonly level: 'summary';
  readonly id: string;
  readonly number: number;
  readonly kind: StepKind;
  readonly at: number;
  /** Of a call, its result, and what was asked about it; else null. */
  readonly status: ReasoningStatus | ApprovalStatus | null;
  readonly tool: string | null;
  readonly correlationId: string | null;
  /** One line of at most 200 characters. */
  readonly summary: string;
}

/** That there is a step, and nothing else of it. */
export interface HiddenStep {
  readonly level: 'hidden';
  readonly id: string;
  readonly number: number;
  readonly kind: StepKind;
}

export type StepView = FullStep | SummaryStep | HiddenStep;

/** A sub-chain in one line: folded, or as much of it as its viewer may see. */
interface ChildSummary extends Pick<SubChain, 'chainId' | 'agent' | 'state' | 'outcome' | 'steps' | 'own' | 'whole'> {
  readonly level: 'summary';
  /** What it was given to do; empty where that is not for this viewer. */
  readonly task: string;
  /** The beginning of the answer; null where there is none, it is not for this viewer, or the chain was not opened. */
  readonly answer: string | null;
  readonly summary: string;
}

/** A sub-chain that was opened. */
export interface ChildChain
  extends Pick<SubChain, 'chainId' | 'agent' | 'state' | 'outcome' | 'steps' | 'own' | 'whole'> {
  readonly level: 'full';
  readonly chain: ReasoningView;
}

export type ChildView = ChildChain | ChildSummary;

export interface ReasoningView extends Omit<Reasoning, 'steps' | 'children' | 'tools' | 'plan' | 'ancestry'> {
  /** What the path from the root leaves of a sub-chain. Absent where it leaves all. */
  readonly pathLevel?: Exclude<VisibilityLevel, 'full'>;
  /** Of the answer: `full`, or `hidden` where the viewer's role or a security rule keeps conclusions back. */
  readonly answerLevel: Exclude<VisibilityLevel, 'summary'>;
  /** The chain in one line: how long it is, what it called, what it cost. */
  readonly summary: string;
  /** What was done, in a few lines; empty where the viewer wants none. */
  readonly progress: readonly string[];
  /** The same of all its steps. */
  readonly redacted: number;
  /** In the chain's order, each in its place whatever is shown of it. */
  readonly steps: readonly StepView[];
  /** Absent where there is none, and where the viewer sees nothing of what was thought. */
  readonly plan?: PlanView;
  /** Sub-chains by the correlation id of the call that began them; hidden ones are absent. */
  readonly children: { readonly [correlationId: string]: readonly ChildView[] };
}

export interface PlanView extends Plan {
  /** At `summary` a task is its id, its status and the beginning of what it is; what it came to is left out. */
  readonly level: Exclude<VisibilityLevel, 'hidden'>;
}

/** Characters of a task in one line. */
const maxLineLength = 80;

/** Null where nothing of it is shown. */
export function toPlanView(plan: Plan, level: VisibilityLevel, mask: Pick<ChainMasker, 'text'>): PlanView | null {
  if (level === 'hidden') return null;
  return {
    ...plan,
    level,
    tasks: plan.tasks.map((task) => maskTask(level === 'full' ? task : toOneLineTask(task), mask)),
  };
}

function toOneLineTask(task: Task): Task {
  const [first = ''] = task.description.split('\n');
  return { ...task, description: shorten(first, maxLineLength), tools: [], confirm: [], result: null, error: null };
}

/** Ids and names are words of a model as well. */
function maskTask(task: Task, { text }: Pick<ChainMasker, 'text'>): Task {
  return {
    ...task,
    id: text(task.id),
    description: text(task.description),
    dependsOn: task.dependsOn.map(text),
    tools: task.tools.map(text),
    confirm: task.confirm.map(text),
    result: task.result === null ? null : text(task.result),
    error: task.error === null ? null : text(task.error),
  };
}

/** Searchable text of a step, limited to what the viewer may see. */
export function toSearchText(step: StepView): string {
  if (step.level === 'hidden') return '';
  if (step.level === 'summary') return step.summary;
  switch (step.kind) {
    case 'thinking':
      return `${step.thought ?? ''} ${step.problem ?? ''}`;
    case 'tool_call':
      return `${step.tool} ${toValueText(step.input)} ${toValueText(step.changedFrom ?? '')}`;
    case 'approval':
      return [step.tool, step.reason, ...step.decisions.flatMap(listDecisionTexts)].join(' ');
    case 'tool_result':
      return toValueText(step.observation);
    case 'synthesis':
      return toValueText(step.conclusion);
    case 'notice':
      return step.text;
  }
}

function listDecisionTexts({ kind, by, reason, input }: ApprovalStep['decisions'][number]): readonly string[] {
  return [kind, by ?? '', reason ?? '', toValueText(input ?? '')];
}
