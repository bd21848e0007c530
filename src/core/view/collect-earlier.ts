/**
 * The earlier messages of a follow-up: those of the chain that it follows, then its own: task, messages and answered
 * questions in their order, answer.
 *
 * 1. They contain no more than a reader of tasks and answers sees: no thoughts, no other results, no private parts. The partial
 *    answer of a stopped chain is omitted unless the model wrote it, because it quotes thoughts and results otherwise.
 * 2. Values that are sensitive in the chain are named by their place, so that they are masked in the follow-up too (L8).
 * 3. Files are described, not sent again.
 */

import { removePrivateParts, toValueText } from '../lib/index.js';
import {
  type Call,
  type CalledTool,
  type Chain,
  type EarlierMessage,
  type EarlierMessages,
  findEarlier,
  findQuestion,
  formatFile,
  getSubject,
  keepNewestMessages,
  listChoices,
  type ThreadMessage,
} from '../model/index.js';
import { listInheritedSensitiveTexts, listSensitiveSpans } from './ancestry.js';
import { listSensitiveTexts } from './chain-masker.js';
import type { Reasoning } from './reasoning.js';
import { createViewer } from './visibility.js';
import { computeLevel } from './visibility-level.js';

/** @param reasoning of the same chain, which has ended */
export function collectEarlier(chain: Chain, reasoning: Reasoning): EarlierMessages {
  const { input } = chain.state;
  const before = findEarlier(input) ?? { omitted: 0, messages: [], tools: [] };
  const scene = { viewer: createViewer('developer'), config: {}, chain: reasoning, path: '' };
  const sensitive = [...listInheritedSensitiveTexts(input), ...listSensitiveTexts(reasoning.steps, scene)];
  const own = listMessages(chain, reasoning).map((message) => markSensitive(message, sensitive));
  return keepNewestMessages({
    omitted: before.omitted,
    messages: [...before.messages, ...own],
    tools: listCalledTools(before.tools, reasoning),
  });
}

/** Messages of people follow the step that the model saw them after; those of the last one may be unread. */
function listMessages({ steps, messages }: Chain, reasoning: Reasoning): readonly ThreadMessage[] {
  const last = steps.length;
  const listSent = (number: number) =>
    messages.filter(({ afterStep }) => Math.min(afterStep, last) === number).map(({ text }) => toMessage('user', text));
  const turns = steps.flatMap(({ number, answer, calls }): readonly ThreadMessage[] => {
    const sent = listSent(number);
    const answered = answer === null || sent.length === 0 ? [] : [toMessage('assistant', toAnswerText(answer))];
    return [...calls.flatMap((call) => listQuestions(call, reasoning)), ...answered, ...sent];
  });
  return mergeNeighbours([
    toMessage('user', formatTask(reasoning)),
    ...listSent(0),
    ...turns,
    toMessage('assistant', formatEnd(reasoning)),
  ]);
}

/** Returns the questions to a person and the answers; none where the tool hides them from end users. */
function listQuestions({ id, status, requests = [], input }: Call, reasoning: Reasoning): readonly ThreadMessage[] {
  const result = reasoning.steps.find((step) => step.kind === 'tool_result' && step.id === `${id}r`);
  if (result?.kind !== 'tool_result') return [];
  const scene = { viewer: createViewer('end_user'), config: {}, chain: reasoning, path: '' };
  if (computeLevel(result, scene).level === 'hidden') return [];
  return requests.flatMap((request): readonly ThreadMessage[] => {
    const subject = getSubject(request, input);
    const question = findQuestion(subject);
    const { question: byTool, decisions } = request;
    const answer =
      byTool === undefined ? (status === 'answered' ? result.observation : undefined) : decisions.at(-1)?.answer;
    if (request.kind !== 'question' || question === null || answer === undefined) return [];
    const choices = listChoices(subject).map((choice) => `\n- ${choice}`);
    return [
      toMessage('assistant', toAnswerText(`${question}${choices.join('')}`)),
      toMessage('user', toValueText(answer)),
    ];
  });
}

/** A bound on the number of messages holds for turns. */
function mergeNeighbours(messages: readonly ThreadMessage[]): readonly ThreadMessage[] {
  const merged: ThreadMessage[] = [];
  for (const message of messages) {
    const before = merged.at(-1);
    if (before?.role !== message.role) merged.push(message);
    else merged[merged.length - 1] = toMessage(message.role, `${before.text}\n\n${message.text}`);
  }
  return merged;
}

function formatTask({ task, files = [] }: Reasoning): string {
  return [task, ...files.map((file) => `File: ${formatFile(file)}. Its content is not shown to you.`)].join('\n\n');
}

function formatEnd({ answer, partial, outcome, steps }: Reasoning): string {
  if (answer !== null) return toAnswerText(answer);
  const isSummarized = steps.some((step) => step.kind === 'notice' && step.notice === 'closing_call');
  return partial !== null && isSummarized ? partial : `(No answer. The chain ended as ${outcome ?? 'running'}.)`;
}

function toAnswerText(answer: Reasoning['answer']): string {
  return toValueText(removePrivateParts(answer));
}

function toMessage(role: ThreadMessage['role'], text: string): ThreadMessage {
  return { role, text };
}

function markSensitive(message: ThreadMessage, known: readonly string[]): EarlierMessage {
  const sensitive = listSensitiveSpans(message.text, known);
  return sensitive.length === 0 ? message : { ...message, sensitive };
}

function listCalledTools(before: readonly CalledTool[], { steps }: Reasoning): readonly CalledTool[] {
  const called = new Map(before.map((tool) => [tool.tool, tool]));
  for (const step of steps) {
    if (step.kind === 'tool_call') called.set(step.tool, { tool: step.tool, toolKind: step.toolKind });
  }
  return [...called.values()].slice(-maxCalledTools);
}

/** A model may call tools that do not exist, by any name. */
const maxCalledTools = 200;
