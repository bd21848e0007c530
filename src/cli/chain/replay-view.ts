/**
 * The differences of a replay as a viewer may see them. L8: all text passes through the view; each difference is looked up
 * in the views of the recorded and the replayed chain.
 */

import { foldRecordedTurns } from '../../core/engine/index.js';
import { isObject, type Json } from '../../core/lib/index.js';
import { formatFile, type ModelMessage } from '../../core/model/index.js';
import type { ChainReplay, RecordedChain, ReplayDifference } from '../../core/record/index.js';
import type { Reasoning, ReasoningView, StepView, ThinkingStep } from '../../core/view/index.js';
import { toReasoning } from '../../core/view/index.js';
import type { ChainViewer } from '../access/chain-viewer.js';

/** Masks differences for a viewer. `recorded` and `now` are null if the viewer may not see them. */
export function viewDifferences(
  recorded: RecordedChain,
  { turns, differences }: ChainReplay,
  chainViewer: ChainViewer,
): readonly ReplayDifference[] {
  if (differences.length === 0 || chainViewer.role === 'auditor') return differences;
  const before = createSide(recorded, chainViewer);
  const now = createSide({ ...recorded, ...foldRecordedTurns(turns), closed: null, closedAt: null }, chainViewer);
  return differences.map((difference) => ({
    ...difference,
    recorded: maskValue(difference, difference.recorded, before),
    now: maskValue(difference, difference.now, now),
  }));
}

interface ReplaySide {
  readonly view: ReasoningView;
  /** Masks a text like a thought; null if the viewer does not see all steps in full. */
  readonly maskText: (text: string) => string | null;
}

function createSide(recorded: RecordedChain, chainViewer: ChainViewer): ReplaySide {
  const reasoning = toReasoning(recorded);
  const view = chainViewer.viewReasoning(reasoning);
  const isFull = view.steps.every(({ level }) => level === 'full');
  return {
    view,
    maskText: (text) => (isFull ? findThought(chainViewer.viewReasoning(addThought(reasoning, text))) : null),
  };
}

function maskValue({ kind, call, step }: ReplayDifference, value: Json, { view, maskText }: ReplaySide): Json {
  switch (kind) {
    case 'decision':
      return value;
    case 'result':
      return toShownStep(view.steps.find(({ id }) => id === `${call}r`));
    case 'reading':
      return view.steps.filter(({ number, kind: is }) => number === step && replyStepKinds.has(is)).map(toShownStep);
    case 'outcome':
      return isObject(value)
        ? Object.fromEntries(
            Object.entries(value).map(([part, partValue]) => [part, getOutcomePart(view, part, partValue)]),
          )
        : null;
    case 'request':
      return maskMessages(value as unknown as readonly ModelMessage[], maskText);
  }
}

/** Null if the viewer may not see a part of it. */
function maskMessages(messages: readonly ModelMessage[], maskText: ReplaySide['maskText']): Json {
  const texts = messages.map(({ role, content }) => ({ role, text: maskText(content.map(formatBlock).join('\n')) }));
  return texts.some(({ text }) => text === null) ? null : texts;
}

function formatBlock(block: ModelMessage['content'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
      return block.thinking;
    case 'redacted_thinking':
      return '(thought, encrypted)';
    case 'tool_use':
      return `${block.name} ${JSON.stringify(block.input)}`;
    case 'tool_result':
      return [block.content, ...(block.files ?? []).map(formatBlock)].join('\n');
    case 'file':
      return `[file: ${formatFile(block.file)}]`;
  }
}

const replyStepKinds: ReadonlySet<string> = new Set(['thinking', 'tool_call', 'synthesis']);

function toShownStep(step: StepView | undefined): Json {
  if (step === undefined || step.level === 'hidden') return null;
  if (step.level === 'summary') return step.summary;
  switch (step.kind) {
    case 'thinking':
      return { thought: step.thought, problem: step.problem };
    case 'tool_call':
      return { tool: step.tool, input: step.input };
    case 'approval':
      return { tool: step.tool, status: step.status };
    case 'tool_result':
      return step.observation;
    case 'synthesis':
      return { answer: step.conclusion };
    case 'notice':
      return step.text;
  }
}

function getOutcomePart(view: ReasoningView, part: string, value: Json): Json {
  if (part === 'answer' || part === 'partial' || part === 'reason') return view[part];
  return value;
}

const maskingStepId = 'request';

function addThought(reasoning: Reasoning, thought: string): Reasoning {
  const step: ThinkingStep = {
    ...{ id: maskingStepId, number: 0, at: 0, kind: 'thinking' },
    ...{ thought, problem: null, confidence: null, modelCall: null },
  };
  return { ...reasoning, steps: [...reasoning.steps, step] };
}

function findThought({ steps }: ReasoningView): string | null {
  const step = steps.find(({ id }) => id === maskingStepId);
  return step?.level === 'full' && step.kind === 'thinking' ? step.thought : null;
}
