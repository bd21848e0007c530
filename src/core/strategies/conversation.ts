/**
 * Renders a chain as a conversation with native tool use, as the Messages API requires it: every `tool_use` has its
 * `tool_result` in the next message, no content is empty, and thinking is returned unchanged.
 */

import { findControlTool, isFromOtherModel, renderObservation } from '../engine/index.js';
import { toValueText } from '../lib/index.js';
import {
  type Chain,
  hasResult,
  joinTextBlocks,
  type ModelMessage,
  type ReplyBlock,
  removeThinking,
  type Step,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../model/index.js';
import { prependEarlier } from './earlier.js';
import { renderCallFiles, renderTaskFiles } from './files.js';
import { renderPeopleMessages } from './people-messages.js';
import { listRenderedSteps, renderSummary } from './summary.js';

export function renderConversation(chain: Chain): readonly ModelMessage[] {
  const task = chain.state.input?.task ?? '';
  const messages: ModelMessage[] = [
    {
      role: 'user',
      content: [
        toTextBlock(task),
        ...renderTaskFiles(chain),
        ...renderPlanGuidance(chain, 0),
        ...renderPeopleMessages(chain, 0).map(toTextBlock),
        ...renderSummary(chain).map(toTextBlock),
      ],
    },
  ];
  for (const step of listRenderedSteps(chain))
    for (const message of isSettled(chain, step) ? renderOnce(chain, step) : renderStep(chain, step))
      messages.push(message);
  const paused = removeUnsendable(hasOneModel(chain) ? chain.pausedContent : removeThinking(chain.pausedContent));
  if (paused.length > 0) messages.push({ role: 'assistant', content: paused });
  return prependEarlier(chain, messages);
}

function renderStep(chain: Chain, step: Step): readonly ModelMessage[] {
  const content = [...step.pausedContent, ...step.content];
  const reply = removeUnsendable(isFromOtherModel(chain.state, step) ? removeThinking(content) : content);
  const response = [
    ...renderToolResults(chain, step, reply),
    ...renderDeniedPlan(step),
    ...(step.problem === null ? [] : [toTextBlock(step.problem)]),
    ...renderPlanGuidance(chain, step.number),
    ...renderPeopleMessages(chain, step.number).map(toTextBlock),
  ];
  return [
    ...(reply.length > 0 ? [{ role: 'assistant', content: reply } as const] : []),
    ...(response.length > 0 ? [{ role: 'user', content: response } as const] : []),
  ];
}

/** Steps are values: a settled one has the same messages in each request, so what is computed of them remains known. */
const renderedSteps = new WeakMap<Step, readonly ModelMessage[]>();

function renderOnce(chain: Chain, step: Step): readonly ModelMessage[] {
  const known = renderedSteps.get(step);
  if (known !== undefined) return known;
  const messages = renderStep(chain, step);
  renderedSteps.set(step, messages);
  return messages;
}

/**
 * Only the last step is followed by new messages of people; files leave the request; thinking is for the model that wrote it. The
 * text of a reused result would be kept for each of its calls.
 */
function isSettled({ steps, state }: Chain, step: Step): boolean {
  return (
    step !== steps.at(-1) &&
    step.calls.every(({ status, files }) => status !== 'reused' && files === undefined) &&
    !isFromOtherModel(state, step)
  );
}

/** Another model may continue the paused turn of one of several. */
function hasOneModel({ state }: Chain): boolean {
  return state.agent?.routing === undefined;
}

/** Removes empty text and trailing thinking: the API rejects both. */
function removeUnsendable(content: readonly ReplyBlock[]): readonly ReplyBlock[] {
  const blocks = content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  const last = blocks.findLastIndex((block) => block.type === 'text' || block.type === 'tool_use');
  return blocks.slice(0, last + 1);
}

function renderToolResults(chain: Chain, step: Step, reply: readonly ReplyBlock[]): readonly ToolResultBlock[] {
  const uses = reply.filter((block): block is ToolUseBlock => block.type === 'tool_use');
  return uses.map((use): ToolResultBlock => {
    const call = step.calls.find(({ useId }) => useId === use.id);
    const text = call === undefined ? 'Not run.' : renderObservation(chain, call);
    // A denial is sent as an error too, so that the model does not ignore it.
    const failed = call === undefined || !hasResult(call.status);
    const files = call === undefined ? [] : renderCallFiles(chain, call);
    return {
      type: 'tool_result',
      tool_use_id: use.id,
      content: text,
      ...(files.length === 0 ? {} : { files }),
      ...(failed ? { is_error: true } : {}),
    };
  });
}

/** The call that proposed the plan of an earlier chain is not part of a reply. */
function renderDeniedPlan({ calls }: Step): readonly TextBlock[] {
  return calls
    .filter(({ useId, tool, status }) => useId === null && findControlTool(tool) === 'make_plan' && status === 'denied')
    .map(({ observation }) => toTextBlock(`A plan of an earlier chain: ${toValueText(observation)}`));
}

function renderPlanGuidance({ guidance }: Chain, step: number): readonly TextBlock[] {
  return guidance.filter(({ afterStep }) => afterStep === step).map(({ text }) => toTextBlock(text));
}

export function toTextBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/** Returns the text of a reply, or else its thinking. */
export function findThought(content: readonly ReplyBlock[]): string | null {
  return joinText(content) || joinThinking(content);
}

export function joinThinking(content: readonly ReplyBlock[]): string | null {
  const thinking = content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []));
  return thinking.join('\n').trim() || null;
}

export function joinText(content: readonly ReplyBlock[]): string {
  return joinTextBlocks(content).trim();
}
