/**
 * What a replay found, as its viewer may see it. L8: every word of a chain passes through its view; what differs is looked
 * up in the views of the chain as it was and as it now is.
 */

import { type RecordedChain, toReasoning } from '../../client/read/recorded-chain.js';
import { foldRecordedTurns } from '../../core/engine/fold-turns.js';
import { isObject, type Json } from '../../core/lib/json.js';
import type { ModelMessage } from '../../core/model/model.js';
import { noUsage } from '../../core/model/usage.js';
import type { ChainReplay, ReplayDifference } from '../../core/record/replay.js';
import type { Reasoning, ThinkingStep } from '../../core/view/reasoning.js';
import type { ReasoningView, StepView } from '../../core/view/reasoning-view.js';
import type { Viewing } from '../access/viewed.js';

/** `recorded` and `now` are null where the viewer may not see them. */
export function shownDifferences(
  recorded: RecordedChain,
  { turns, differences }: ChainReplay,
  seen: Viewing,
): readonly ReplayDifference[] {
  if (differences.length === 0 || seen.role === 'auditor') return differences;
  const then = sideOf(recorded, seen);
  const now = sideOf({ ...recorded, ...foldRecordedTurns(turns), closed: null, closedAt: null }, seen);
  return differences.map((difference) => ({
    ...difference,
    recorded: shown(difference, difference.recorded, then),
    now: shown(difference, difference.now, now),
  }));
}

interface Side {
  readonly view: ReasoningView;
  /** The text as the view tells thoughts; null where it does not tell all that a conversation is made of. */
  readonly told: (text: string) => string | null;
}

function sideOf(recorded: RecordedChain, seen: Viewing): Side {
  const reasoning = toReasoning(recorded);
  const view = seen.reasoning(reasoning);
  const whole = view.steps.every(({ level }) => level === 'full');
  return { view, told: (text) => (whole ? thoughtIn(seen.reasoning(withThought(reasoning, text))) : null) };
}

function shown({ kind, call, step }: ReplayDifference, value: Json, { view, told }: Side): Json {
  switch (kind) {
    case 'decision':
      return value;
    case 'result':
      return tellingOf(view.steps.find(({ id }) => id === `${call}r`));
    case 'reading':
      return view.steps.filter(({ number, kind: is }) => number === step && spoken.has(is)).map(tellingOf);
    case 'outcome':
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([part, held]) => [part, partOf(view, part, held)]))
        : null;
    case 'request':
      return messagesAs(value as unknown as readonly ModelMessage[], told);
  }
}

/** Null where some of it is not for this viewer. */
function messagesAs(messages: readonly ModelMessage[], told: Side['told']): Json {
  const shown = messages.map(({ role, content }) => ({ role, text: told(content.map(blockText).join('\n')) }));
  return shown.some(({ text }) => text === null) ? null : shown;
}

function blockText(block: ModelMessage['content'][number]): string {
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
      return block.content;
  }
}

const spoken: ReadonlySet<string> = new Set(['thinking', 'tool_call', 'synthesis']);

function tellingOf(step: StepView | undefined): Json {
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

function partOf(view: ReasoningView, part: string, held: Json): Json {
  if (part === 'answer' || part === 'partial' || part === 'reason') return view[part];
  return held;
}

const requested = 'request';

function withThought(reasoning: Reasoning, thought: string): Reasoning {
  const taken = { model: '', usage: noUsage, costUsd: null, durationMs: 0, attempts: 1 };
  const step: ThinkingStep = {
    ...{ id: requested, number: 0, at: 0, kind: 'thinking' },
    ...{ thought, problem: null, spoken: taken },
  };
  return { ...reasoning, steps: [...reasoning.steps, step] };
}

function thoughtIn({ steps }: ReasoningView): string | null {
  const step = steps.find(({ id }) => id === requested);
  return step?.level === 'full' && step.kind === 'thinking' ? step.thought : null;
}
