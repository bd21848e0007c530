/**
 * A chain as one viewer sees it, with its plan and its searchable text. `view.ts` builds it; every outlet shows only
 * this (L8).
 */

import { type JsonObject, shorten, toValueText } from '../lib/index.js';
import type { BlockRule, EarlierMessages, Plan, Task, ThreadMessage, VisibilityLevel } from '../model/index.js';
import type { ChainMasker } from './chain-masker.js';
import type { CombinedResults } from './combined-results.js';
import type {
  ApprovalStatus,
  ApprovalStep,
  Reasoning,
  ReasoningStatus,
  ReasoningStep,
  StepKind,
  SubChain,
} from './reasoning.js';
import { computePlanPercent } from './task-tree.js';
import type { InterimView } from './view-interim.js';
import type { Why } from './why.js';

type FullStepOf<S extends ReasoningStep> = S extends ReasoningStep
  ? Omit<S, 'taskText'> & { readonly level: 'full' }
  : never;

interface Explained {
  /** Why it was done: of calls and answers, where a reason is known that the viewer may see. */
  readonly why?: Why;
  /** Of a reply after several sub-agents: the results that it combines, as far as the viewer sees them. Absent otherwise. */
  readonly combines?: CombinedResults;
}

interface RedactionCount {
  /** Number of marks such as `[redacted:email]`. */
  readonly redacted: number;
}

interface Described {
  /** Of a call and of its result: one line by the tool's templates, masked. Absent if it has none that fit. */
  readonly line?: string;
  /** How its arguments or its result are laid out, where the tool states it: see `toContentBlock`. */
  readonly block?: BlockRule;
}

/** The step in full, masked. */
export type FullStep = FullStepOf<ReasoningStep> & RedactionCount & Explained & Described;

/** A line about the step: no thought, arguments or results, except what the tool's template takes. */
export interface SummaryStep extends RedactionCount, Explained {
  readonly level: 'summary';
  readonly id: string;
  readonly number: number;
  readonly kind: StepKind;
  readonly at: number;
  /** For calls, results and requests; otherwise null. */
  readonly status: ReasoningStatus | ApprovalStatus | null;
  readonly tool: string | null;
  readonly toolKind: string | null;
  readonly correlationId: string | null;
  /** For results of calls that ran; otherwise null. */
  readonly durationMs: number | null;
  /** One line of at most 200 characters. */
  readonly summary: string;
}

/** The place of a step. */
export interface HiddenStep {
  readonly level: 'hidden';
  readonly id: string;
  readonly number: number;
  readonly kind: StepKind;
}

export type StepView = FullStep | SummaryStep | HiddenStep;

/** A sub-chain in one line: collapsed, or all that its viewer may see. */
export interface ChildSummary
  extends Pick<SubChain, 'chainId' | 'agent' | 'state' | 'outcome' | 'steps' | 'own' | 'total'> {
  readonly level: 'summary';
  /** Empty if the viewer may not see it. */
  readonly task: string;
  /** Start of the answer; null without an answer, if the viewer may not see it, or if the chain was not opened. */
  readonly answer: string | null;
  readonly summary: string;
}

/** A sub-chain that was opened. */
export interface ChildChain
  extends Pick<SubChain, 'chainId' | 'agent' | 'state' | 'outcome' | 'steps' | 'own' | 'total'> {
  readonly level: 'full';
  readonly chain: ReasoningView;
}

export type ChildView = ChildChain | ChildSummary;

export interface ReasoningView
  extends Omit<Reasoning, 'steps' | 'children' | 'tools' | 'plan' | 'ancestry' | 'interims' | 'earlier'> {
  /** The most that the path from the root allows for a sub-chain. Absent if it allows `full`. */
  readonly pathLevel?: Exclude<VisibilityLevel, 'full'>;
  /** Level of the answer: `hidden` if the viewer's role or a security rule hides conclusions. */
  readonly answerLevel: Exclude<VisibilityLevel, 'summary'>;
  /** The chain in one line: steps, calls, cost. */
  readonly summary: string;
  /** Progress in a few lines; empty if the viewer switched it off. */
  readonly progress: readonly string[];
  /** That the chain is unusually long. Absent otherwise. */
  readonly warning?: string;
  /** Of a long chain: a line for each part of it, by rule. Absent for others, and where only a part of the steps was requested. */
  readonly outline?: readonly string[];
  /** Number of marks in all steps. */
  readonly redacted: number;
  /** The messages before the task. Absent without any. */
  readonly earlier?: EarlierView;
  /** In the chain's order; hidden steps keep their place. */
  readonly steps: readonly StepView[];
  /** Absent without a plan, and if the viewer may not see thoughts. */
  readonly plan?: PlanView;
  /** Visible interim results of running calls, where a reader has them. Absent otherwise. */
  readonly interims?: readonly InterimView[];
  /** Sub-chains by the correlation id of their call; hidden ones are absent. */
  readonly children: { readonly [correlationId: string]: readonly ChildView[] };
}

/** The messages before a task as a viewer sees them: the user's like the task, the others like the answer. */
export interface EarlierView extends Pick<EarlierMessages, 'omitted'> {
  /** The text is null if it is hidden. */
  readonly messages: readonly { readonly role: ThreadMessage['role']; readonly text: string | null }[];
}

export interface PlanView extends Plan {
  /** At `summary` a task has its id, its status and the start of its description, no result. */
  readonly level: Exclude<VisibilityLevel, 'hidden'>;
  /** How much of the plan is completed, from 0 to 100. */
  readonly percent: number;
}

/** Characters of a task in one line. */
const maxLineLength = 80;

/** Returns the plan as its viewer sees it; null if hidden. */
export function toPlanView(
  plan: Plan,
  level: VisibilityLevel,
  mask: Pick<ChainMasker, 'text' | 'value'>,
): PlanView | null {
  if (level === 'hidden') return null;
  return {
    ...plan,
    level,
    percent: computePlanPercent(plan),
    tasks: plan.tasks.map((task) => maskTask(level === 'full' ? task : toOneLineTask(task), mask)),
  };
}

function toOneLineTask({ metadata: _, why: _why, ...task }: Task): Task {
  const [first = ''] = task.description.split('\n');
  return { ...task, description: shorten(first, maxLineLength), tools: [], confirm: [], result: null, error: null };
}

/** A model writes ids and names too. */
function maskTask(task: Task, { text, value }: Pick<ChainMasker, 'text' | 'value'>): Task {
  return {
    ...task,
    id: text(task.id),
    description: text(task.description),
    dependsOn: task.dependsOn.map(text),
    tools: task.tools.map(text),
    confirm: task.confirm.map(text),
    result: task.result === null ? null : text(task.result),
    error: task.error === null ? null : text(task.error),
    ...(task.why === undefined ? {} : { why: text(task.why) }),
    ...(task.metadata === undefined ? {} : { metadata: value(task.metadata) as JsonObject }),
  };
}

/** A reason, with the ids of the calls and the answer that have it. */
export interface StepReason extends Why {
  readonly ids: readonly string[];
}

/** Returns the reasons of the newest step's calls and answer, as its viewer sees them. */
export function listNewestReasons({ steps }: Pick<ReasoningView, 'steps'>): readonly StepReason[] {
  const last = steps.reduce((newest, { number }) => Math.max(newest, number), 0);
  const reasons = new Map<string, StepReason>();
  for (const step of steps) {
    if (step.number !== last || step.level === 'hidden' || step.why === undefined) continue;
    const known = reasons.get(step.why.text)?.ids ?? [];
    reasons.set(step.why.text, { ids: [...known, step.id], ...step.why });
  }
  return [...reasons.values()];
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
