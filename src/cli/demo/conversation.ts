/** Converts requests of the Messages API to conversations, and replies to content blocks. */

import { isObject, type JsonObject, toList, toValueText } from '../../core/lib/index.js';
import type { ReplyBlock } from '../../core/model/index.js';
import { closingPrompt } from '../../core/strategies/index.js';
import type { Observation, Reply } from './transcript.js';

export interface Conversation {
  /** Labelled text, or native tool use. */
  readonly protocol: 'react' | 'native';
  readonly task: string;
  readonly observations: readonly Observation[];
  /** Whether a limit was reached and the request asks for a summary. */
  readonly isClosing: boolean;
  /** Names of the tools for native use. */
  readonly tools: readonly string[];
}

export function parseConversation(body: JsonObject): Conversation {
  const messages = toList(body.messages).filter(isObject);
  const [first, ...rest] = messages.filter((message) => message.role === 'user').map(toBlocks);
  const tools = toList(body.tools).flatMap((tool) =>
    isObject(tool) && typeof tool.name === 'string' ? tool.name : [],
  );
  const react = tools.length === 0 && joinTexts(toBlocks({ content: body.system ?? '' })).includes('Final Answer:');
  return {
    protocol: react ? 'react' : 'native',
    task: getFirstText(first ?? []),
    observations: rest.flatMap(react ? parseLabelledObservation : listToolResults),
    isClosing: isClosing(body, messages),
    tools,
  };
}

/** Each later user message begins with `Observation: …`, or corrects the reply before it. */
function parseLabelledObservation(blocks: readonly JsonObject[]): readonly Observation[] {
  const [label = '', rest = ''] = /^(?:([^:\n]{1,40}): )?(.*)$/s.exec(getFirstText(blocks))?.slice(1) ?? [];
  const text = rest.replace(/<(text-\w+)>\n(.*)\n<\/\1>$/s, '$2');
  return [{ failed: label === 'Correction' || /^error\b/i.test(text), text }];
}

function listToolResults(blocks: readonly JsonObject[]): readonly Observation[] {
  return blocks
    .filter((block) => block.type === 'tool_result')
    .map((block) => ({
      failed: block.is_error === true,
      text: joinTexts(toBlocks({ content: block.content ?? '' })),
    }));
}

function isClosing(body: JsonObject, messages: readonly JsonObject[]): boolean {
  const choice = isObject(body.tool_choice ?? null) ? (body.tool_choice as JsonObject).type : null;
  const last = messages.at(-1);
  return choice === 'none' || (last !== undefined && joinTexts(toBlocks(last)).includes(closingPrompt));
}

/** Returns the content as blocks: the API also allows a text. */
function toBlocks({ content }: JsonObject): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : toList(content).filter(isObject);
}

function joinTexts(blocks: readonly JsonObject[]): string {
  return blocks.map((block) => (typeof block.text === 'string' ? block.text : '')).join('\n');
}

function getFirstText(blocks: readonly JsonObject[]): string {
  return joinTexts(blocks.filter((block) => block.type === 'text').slice(0, 1));
}

/** Default name of the tool with which `autonomous` agents end. */
const finishTool = 'finish';

export function toReplyBlocks(
  { thought, call, answer = '' }: Reply,
  conversation: Conversation,
): readonly ReplyBlock[] {
  const { protocol, observations, tools } = conversation;
  if (protocol === 'react') {
    const act =
      call === undefined
        ? `Final Answer: ${toValueText(answer)}`
        : `Action: ${call.tool}\nAction Input: ${JSON.stringify(call.input)}`;
    return [{ type: 'text', text: `Thought: ${thought}\n${act}` }];
  }
  // Each reply has one call, so the number of observations makes its id unique.
  const id = `toolu_rehearsed_${observations.length + 1}`;
  const use = (name: string, input: JsonObject): readonly ReplyBlock[] => [
    { type: 'text', text: thought },
    { type: 'tool_use', id, name, input },
  ];
  if (call !== undefined) return use(call.tool, call.input);
  if (typeof answer === 'string' || !tools.includes(finishTool)) return [{ type: 'text', text: toValueText(answer) }];
  return use(finishTool, { result: answer });
}
