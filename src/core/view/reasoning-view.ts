/** A chain as one viewer sees it. `view.ts` makes it from the chain; every outlet shows this and nothing else (L8). */

import type { Level } from '../model/agent.js';
import type { PlanView } from './plan-view.js';
import type { ApprovalStatus, Reasoning, ReasoningStatus, ReasoningStep, StepKind, SubChain } from './reasoning.js';

type AtFull<S extends ReasoningStep> = S extends ReasoningStep ? S & { readonly level: 'full' } : never;

interface Shown {
  /** How often something in it is hidden behind a mark such as `[redacted:email]`. */
  readonly redacted: number;
}

/** The whole step, redacted. */
export type FullStep = AtFull<ReasoningStep> & Shown;

/** A line about the step: neither thoughts nor arguments nor results, but what the tool's template takes from them. */
export interface SummaryStep extends Shown {
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
export interface ChildSummary
  extends Pick<SubChain, 'chainId' | 'agent' | 'state' | 'outcome' | 'steps' | 'own' | 'whole'> {
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

export interface ReasoningView extends Omit<Reasoning, 'steps' | 'children' | 'tools' | 'plan' | 'descent'> {
  /** What the path from the root leaves of a sub-chain. Absent where it leaves all. */
  readonly pathLevel?: Exclude<Level, 'full'>;
  /** Of the answer: `full`, or `hidden` where the viewer's role or a security rule keeps conclusions back. */
  readonly answerLevel: Exclude<Level, 'summary'>;
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
