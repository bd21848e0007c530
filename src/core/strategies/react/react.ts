/** ReAct: the model reasons and acts in plain text, in labelled sections. */

import { renderLabelledObservation } from '../../engine/index.js';
import { renderLabelledText } from '../../lib/index.js';
import {
  type AgentSnapshot,
  type Chain,
  findQuestionTool,
  type ModelMessage,
  type ModelRequest,
  type ReactOptions,
  type Reading,
  type Reply,
  type Step,
  type UserBlock,
} from '../../model/index.js';
import { joinText, joinThinking, toTextBlock } from '../conversation.js';
import { prependEarlier } from '../earlier.js';
import { renderCallFiles, renderTaskFiles } from '../files.js';
import { renderPeopleMessages } from '../people-messages.js';
import { appendStatus, renderStatus } from '../prompt-parts.js';
import { type CallValidator, getOptions, type ParsedAgent, type Strategy } from '../strategy.js';
import { listRenderedSteps, renderSummary } from '../summary.js';
import { toToolShape } from './arguments.js';
import { parseReact } from './parse.js';
import { renderReactPrompt } from './prompt.js';

export const react: Strategy = { render, parse: parseReply };

function render(chain: Chain, agent: AgentSnapshot): ModelRequest {
  const options = getOptions('react', agent);
  return {
    system: renderReactPrompt(agent, options),
    messages: appendStatus(renderTextMessages(chain, options, 'Final Answer: '), renderStatus(chain, agent)),
    tools: [],
    toolChoice: 'auto',
    stopSequences: [`\n${options.observationTag}:`, ...agent.model.stopSequences],
  };
}

function parseReply(reply: Reply, agent: ParsedAgent, validate: CallValidator): Reading {
  const reading = parseReact(joinReplyText(reply), {
    options: getOptions('react', agent),
    tools: new Map(agent.tools.map(({ name, inputSchema }) => [name, toToolShape(inputSchema)])),
    questionTool: findQuestionTool(agent.tools),
    cut: reply.stopReason === 'max_tokens' || reply.stopReason === 'model_context_window_exceeded',
    thinking: joinThinking(reply.content),
  });
  const { thought, answer, failure, problem, scratchpad, ownText } = reading;
  // Providers reject empty text.
  const content: Reading['content'] = ownText === '' ? [] : [{ type: 'text', text: ownText }];
  // A refusal ends the chain: it has no format to correct.
  if (reply.stopReason === 'refusal' && problem !== null) {
    return { thought: joinReplyText(reply).trim() || null, calls: [], answer, problem: null, scratchpad, content };
  }
  return {
    thought,
    calls: reading.calls.map(({ tool, input }) => ({ useId: null, tool, input, rejected: validate(tool, input) })),
    answer,
    ...(failure === undefined ? {} : { failure }),
    problem,
    scratchpad,
    content,
  };
}

/** Renders a chain as a conversation in plain text. @param answerLabel the text before an earlier answer */
export function renderTextMessages(chain: Chain, options: TextConversation, answerLabel: string) {
  return prependEarlier(chain, renderMessages(chain, options), answerLabel);
}

type TextConversation = Pick<ReactOptions, 'observationTag' | 'scratchpad'>;

/** Renders the notes last: the text before them stays the same from step to step, so that providers cache it. */
function renderMessages(chain: Chain, options: TextConversation): readonly ModelMessage[] {
  const task: readonly UserBlock[] = [
    toTextBlock(chain.state.input?.task ?? ''),
    ...renderTaskFiles(chain),
    ...[...renderPeopleMessages(chain, 0), ...renderSummary(chain)].map(toTextBlock),
  ];
  const steps = listRenderedSteps(chain);
  const notes = options.scratchpad ? chain.state.scratchpad.trim() : '';
  const pad = notes === '' ? [] : [toTextBlock(renderLabelledText('Scratchpad (your notes so far)', notes))];
  if (steps.length === 0) return [{ role: 'user', content: [...task, ...pad] }];
  const last = steps.length - 1;
  return [
    { role: 'user', content: task },
    ...steps.flatMap((step, at): ModelMessage[] => [
      { role: 'assistant', content: [toTextBlock(joinText(step.content) || '(no text)')] },
      {
        role: 'user',
        content: [...renderUserBlocks(chain, step, options), ...(at === last ? pad : [])],
      },
    ]),
  ];
}

/**
 * Renders each text as a separate block, so that none can imitate another. Never empty: after an assistant message, the
 * model would continue that message.
 */
function renderUserBlocks(chain: Chain, step: Step, options: TextConversation): readonly UserBlock[] {
  const people = renderPeopleMessages(chain, step.number).map(toTextBlock);
  const answered = step.problem === null && step.calls.length === 0;
  return [...(answered && people.length > 0 ? [] : renderObservations(chain, step, options)), ...people];
}

function renderObservations(chain: Chain, step: Step, { observationTag }: TextConversation): readonly UserBlock[] {
  if (step.problem !== null) return [toTextBlock(`Correction: ${step.problem}`)];
  if (step.calls.length === 0) return [toTextBlock('Continue.')];
  const name = (tool: string) => (step.calls.length > 1 ? ` (${tool})` : '');
  return step.calls.flatMap((call) => [
    toTextBlock(renderLabelledObservation(`${observationTag}${name(call.tool)}`, chain, call)),
    ...renderCallFiles(chain, call),
  ]);
}

/** Joins the text blocks of a reply; text after another kind of block starts on a new line. */
export function joinReplyText(reply: Reply): string {
  return reply.content
    .map((block, at) => {
      if (block.type !== 'text') return '';
      const before = reply.content[at - 1];
      return before === undefined || before.type === 'text' ? block.text : `\n${block.text}`;
    })
    .join('');
}
