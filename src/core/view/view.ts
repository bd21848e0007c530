/**
 * The one function between a chain and whoever looks at it (L8): applies levels and redaction, for every outlet alike.
 *
 * W1 Every step keeps its place, its id and its number, whatever is shown of it.
 * W2 At `summary` nothing of a thought, of arguments or of results leaves, but what a tool's template takes from them and a
 *    question that waits for a person's answer; at `hidden` nothing but the place.
 * W3 Whatever text leaves has passed the mask, the summaries too.
 * W4 What a chain took (tokens, cost, time) is told to everybody.
 */

import { shorten } from '../lib/display.js';
import { asText, own } from '../lib/json.js';
import { createRedactor } from '../redact/redactor.js';
import { createValueMasker, type ValueMasker } from '../redact/value-masker.js';
import { type Mask, maskOf, secretsOf } from './chain-masker.js';
import { ceilingOf, childLevelOf, isForeign, leftByPath, levelOf, seesAll } from './level-of.js';
import { progressOf, summaryOf } from './progress.js';
import type { Reasoning, ReasoningStep, SubChain, ToolCallStep } from './reasoning.js';
import { type ChildChain, type ChildView, planView, type ReasoningView, type StepView } from './reasoning-view.js';
import { subChainText } from './sub-chain.js';
import { asLine, longestSummary } from './summary-text.js';
import { viewStep } from './view-step.js';
import { policyOf, type Scene, type Viewer, type VisibilityConfig } from './visibility.js';

/**
 * @throws {TypeError} when a pattern of the configuration is no regular expression
 * @example
 * view(reasoning, viewerOf('end_user'), { toolKinds: { database: { level: 'summary' } } });
 */
export function view(reasoning: Reasoning, viewer: Viewer, config: VisibilityConfig = {}): ReasoningView {
  const seat = seatOf(reasoning, viewer, config);
  const masker = createValueMasker(createRedactor(policyOf(reasoning, config)));
  if (!seesAll(seat.scene)) {
    for (const secret of [...(reasoning.descent?.sensitive ?? []), ...secretsBelow(seat)]) masker.remember(secret);
  }
  return viewOf(seat, masker);
}

/** A chain of the tree, and how it is looked at. */
interface Seat {
  readonly reasoning: Reasoning;
  readonly scene: Scene;
  /** Whether its task may be read: a sub-chain's is the argument of a call. */
  readonly tasked: boolean;
}

function seatOf(reasoning: Reasoning, viewer: Viewer, config: VisibilityConfig): Seat {
  const scene: Scene = { viewer, config, chain: reasoning, path: '' };
  return { reasoning, scene, tasked: !isForeign(scene) && leftByPath(scene).tasked };
}

/** @param masker that of the whole tree */
function viewOf(seat: Seat, masker: ValueMasker): ReasoningView {
  const { reasoning, scene, tasked } = seat;
  const {
    task,
    steps: taken,
    answer,
    partial,
    reason,
    tools: _,
    children: __,
    descent: ___,
    plan,
    ...rest
  } = reasoning;
  const calls = new Map(taken.flatMap((step) => (step.kind === 'tool_call' ? [[step.id, step]] : [])));
  const mask = maskOf(calls, scene, masker);
  const left = leftByPath(scene).level;
  const answers = ceilingOf({ id: '', kind: 'synthesis' }, scene).level === 'full';
  const reasons = ceilingOf({ id: '', kind: 'notice' }, scene).level === 'full';
  const asked = tasked ? mask.text(task) : '';
  const seen = new Map<ReasoningStep, StepView>();
  const children: Record<string, readonly ChildView[]> = {};
  for (const step of asTold(taken)) {
    seen.set(step, viewStep(step, calls, { scene, mask }));
    const begun = step.kind === 'tool_call' ? childrenOf(step, seat, { masker, mask }) : [];
    if (step.kind === 'tool_call' && begun.length > 0) children[step.correlationId] = begun;
  }
  const steps = taken.map((step) => seen.get(step) as StepView);
  const seenPlan =
    plan === undefined ? null : planView(plan, levelOf({ id: 'plan', kind: 'thinking' }, scene).level, mask);
  return {
    ...rest,
    ...(left === 'full' ? {} : { pathLevel: left }),
    ...(left === 'hidden' ? { agent: '', model: '' } : {}),
    user: isForeign(scene) ? null : rest.user,
    task: asked,
    answerLevel: answers ? 'full' : 'hidden',
    answer: answers ? mask.value(answer) : null,
    partial: answers && partial !== null && mayQuote(taken, steps) ? mask.text(partial) : null,
    reason: reasons && reason !== null ? mask.notice(reason) : null,
    summary: asLine(mask.text(summaryOf(steps, reasoning))),
    progress: progressOf(taken.filter((step) => isProgress(step, scene))).map((line) => asLine(mask.text(line))),
    redacted: steps.reduce((sum, step) => sum + (step.level === 'hidden' ? 0 : step.redacted), 0),
    steps,
    ...(seenPlan === null ? {} : { plan: seenPlan }),
    children,
  };
}

/** W2: where no last call summed up, the partial answer is the last thought and the last result, word for word. */
function mayQuote(taken: readonly ReasoningStep[], seen: readonly StepView[]): boolean {
  if (taken.some((step) => step.kind === 'notice' && step.notice === 'closing')) return true;
  return seen.every(({ kind, level }) => level === 'full' || (kind !== 'thinking' && kind !== 'tool_result'));
}

/** In the order in which things came, since a redactor numbers what it hides: then live readers find the same marks. */
export function asTold(steps: readonly ReasoningStep[]): readonly ReasoningStep[] {
  return [...steps].sort((a, b) => a.at - b.at);
}

/** What is switched off for being too much to read counts as progress; what is kept from the viewer does not. */
export function isProgress(step: ReasoningStep, scene: Scene): boolean {
  const { level, by } = levelOf(step, scene);
  return scene.viewer.preferences.progressSummary && (level !== 'hidden' || by === 'preference');
}

interface Masks {
  readonly masker: ValueMasker;
  readonly mask: Mask;
}

function childrenOf(call: ToolCallStep, seat: Seat, { masker, mask }: Masks): readonly ChildView[] {
  const begun = own(seat.reasoning.children, call.correlationId) ?? [];
  const level = begun.length === 0 ? 'hidden' : childLevelOf(call, seat.scene);
  if (level === 'hidden') return [];
  const tasked = levelOf(call, seat.scene).level === 'full';
  const result = ceilingOf({ ...call, kind: 'tool_result', id: `${call.id}r` }, seat.scene);
  const answered = result.level === 'full' || result.by !== 'security';
  return begun.map((child): ChildView => {
    const below = childSeat(seat, call.correlationId, child);
    if (below === null) return folded(child, tasked ? mask.text(child.task) : '');
    const chain = viewOf({ ...below, tasked: below.tasked && tasked }, masker);
    return level === 'full' ? { level, ...glanceAt(child), chain } : inOneLine(child, answered ? chain : silent(chain));
  });
}

function glanceAt({
  chainId,
  agent,
  state,
  outcome,
  steps,
  own,
  whole,
}: SubChain): Omit<ChildChain, 'level' | 'chain'> {
  return { chainId, agent, state, outcome, steps, own, whole };
}

/** What it came to is the result of its call, and shown as that is. */
function folded(child: SubChain, task: string): ChildView {
  return { level: 'summary', ...glanceAt(child), task, answer: null, summary: asLine(subChainText(child)) };
}

/** What it answers is the result of its call, of which a security rule leaves no word. */
function silent(chain: ReasoningView): ReasoningView {
  return { ...chain, answer: null };
}

function inOneLine(child: SubChain, { task, answer, summary }: ReasoningView): ChildView {
  const told = answer === null ? null : shorten(asText(answer), longestSummary);
  return { level: 'summary', ...glanceAt(child), task, answer: told, summary };
}

/** Null where it was not opened. A sub-chain belongs to its parent's tenant unless it says another. */
function childSeat({ reasoning, scene }: Seat, call: string, { chainId, chain: child }: SubChain): Seat | null {
  if (child === null) return null;
  const chain = { agent: child.agent, tenant: child.tenant ?? scene.chain.tenant, tools: child.tools };
  const path = `${scene.path}${placeOf(chainId, reasoning.chainId, call)}/`;
  const below: Scene = { ...scene, chain, path, place: scene.place ?? scene.chain.descent?.place ?? '' };
  return { reasoning: child, scene: below, tasked: !isForeign(below) };
}

/** What its id adds to that of its parent: `3.1`, or `3.1.2` of several that one call began. */
function placeOf(chainId: string, parent: string, call: string): string {
  return chainId.startsWith(`${parent}/`) ? chainId.slice(parent.length + 1) : call;
}

function secretsBelow(seat: Seat): readonly string[] {
  const below = Object.entries(seat.reasoning.children).flatMap(([call, chains]) =>
    chains.flatMap((each) => {
      const child = childSeat(seat, call, each);
      return child === null ? [] : secretsBelow(child);
    }),
  );
  return [...secretsOf(seat.reasoning.steps, seat.scene), ...below];
}
