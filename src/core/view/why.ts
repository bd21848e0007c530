/**
 * Why a call was made or an answer given: one masked line of at most 120 characters, and where it is taken from.
 *
 * Y1 A stated reason comes first: the plan task that the call serves, then the text of the tool's author or of the rules,
 *    then the first sentence of the thought; for an answer, the sentence, then the tools whose results it is based on. A call
 *    without any has the purpose of its tool's kind, for viewers who do not read the thought.
 * Y2 A thought is quoted only where `canQuoteThought` allows it: where the viewer reads it, or by a rule of the role.
 * Y3 A text is masked before it is cut.
 */

import { removePrivateParts, shorten } from '../lib/index.js';
import { findKindPurpose, maxReasonSearch } from '../model/index.js';
import type { ChainMasker } from './chain-masker.js';
import type { ReasoningStep, SynthesisStep, ThinkingStep, ToolCallStep } from './reasoning.js';
import { fillTemplate } from './summary-text.js';
import type { ViewScene } from './visibility.js';
import {
  canQuoteThought,
  canSeeAll,
  computeLevel,
  computeLevelByRules,
  findTemplate,
  hasUnknownSensitivePaths,
} from './visibility-level.js';

/**
 * `task`: of the plan. `tool`: of the tool's author, or of the rules. `results`: the tools that an answer is based on. `rule`: by
 * the kind of the tool.
 */
export type WhySource = 'task' | 'tool' | 'thought' | 'results' | 'rule';

export interface Why {
  /** One line of at most 120 characters. */
  readonly text: string;
  readonly by: WhySource;
}

/** The steps that the reason of a step is taken from. */
export interface StepSurroundings {
  /** By id. */
  readonly calls: ReadonlyMap<string, ToolCallStep>;
  /** By number. */
  readonly thoughts: ReadonlyMap<number, ThinkingStep>;
}

export const maxWhyLength = 120;
/** A shorter sentence, such as "OK.", is continued by the next one. */
const minSentenceLength = 20;

export function indexThoughts(steps: readonly ReasoningStep[]): StepSurroundings['thoughts'] {
  return new Map(steps.flatMap((step) => (step.kind === 'thinking' ? [[step.number, step]] : [])));
}

/** Returns null if no reason is known, or the viewer may not see it. The step itself must be visible. */
export function findWhy(
  step: ReasoningStep,
  surroundings: StepSurroundings,
  context: { readonly scene: ViewScene; readonly mask: ChainMasker },
): Why | null {
  const { scene, mask } = context;
  if (step.kind !== 'tool_call' && step.kind !== 'synthesis') return null;
  const quote = () => {
    const thought = surroundings.thoughts.get(step.number)?.thought ?? null;
    return thought !== null && canQuoteThought(step.number, scene)
      ? toWhy('thought', takeSentence(thought, mask))
      : null;
  };
  if (step.kind === 'synthesis') return quote() ?? toWhy('results', describeSources(step, surroundings, context));
  return (
    toWhy('task', describeTask(step, context)) ??
    toWhy('tool', fillReason(step, context)) ??
    quote() ??
    describeKind(step, scene)
  );
}

function describeKind({ number, toolKind }: ToolCallStep, scene: ViewScene): Why | null {
  const isThoughtRead = computeLevel({ id: `${number}`, kind: 'thinking' }, scene).level === 'full';
  return isThoughtRead ? null : toWhy('rule', findKindPurpose(toolKind));
}

function toWhy(by: WhySource, text: string | null): Why | null {
  const line = shorten((text ?? '').replace(/[\s\p{Cc}]+/gu, ' ').trim(), maxWhyLength);
  return /[\p{L}\p{N}]/u.test(line) ? { text: line, by } : null;
}

/** The task has the level of the plan. A user who switches thoughts off still reads the reason. */
function describeTask({ taskText = '' }: ToolCallStep, { scene, mask }: WhyContext): string | null {
  if (computeLevelByRules({ id: 'plan', kind: 'thinking' }, scene).level === 'hidden') return null;
  const [line = ''] = taskText.trim().split('\n');
  return takeSentence(line, mask);
}

type WhyContext = Parameters<typeof findWhy>[2];

function fillReason(call: ToolCallStep, { scene, mask }: WhyContext): string | null {
  if ((scene.chain.tools === null && !canSeeAll(scene)) || hasUnknownSensitivePaths(scene)) return null;
  const template = findTemplate('why', call, scene);
  if (template === undefined) return null;
  const line = fillTemplate(template, [mask.value(call.input, call)]);
  return line === null ? null : mask.text(line);
}

/** Private parts are omitted: they give no reason. */
function takeSentence(text: string, mask: ChainMasker): string {
  const line = mask.snippet(removePrivateParts(text), maxReasonSearch).replace(/\s+/g, ' ').trim();
  let taken = '';
  for (const [sentence] of line.matchAll(/.+?[.!?…](?=\s|$)|.+$/gu)) {
    taken += sentence;
    if (taken.trim().length >= minSentenceLength) break;
  }
  return taken;
}

function describeSources(
  { sources }: SynthesisStep,
  { calls }: StepSurroundings,
  { scene, mask }: WhyContext,
): string | null {
  const tools = sources.flatMap(({ id }) => {
    const call = calls.get(id.replace(/r$/, ''));
    return call === undefined || computeLevel({ ...call, kind: 'tool_result', id }, scene).level === 'hidden'
      ? []
      : [mask.text(call.tool)];
  });
  const [first, ...others] = new Set(tools);
  if (first === undefined) return null;
  if (others.length === 0) return `From what ${first} returned`;
  const more = others.length === 1 ? others[0] : `${others.length} other tools`;
  return `From what ${first} and ${more} returned`;
}
