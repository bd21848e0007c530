/**
 * A text protocol of an author. Its prompt is data of the snapshot, so that readers render every request. Its parser is code of the
 * worker, which reads each reply once: facts have the reading, and nothing parses the reply again.
 */

import { isTooDeep, shorten, toOneLine } from '../lib/index.js';
import { type CustomOptions, deepInputMark, defaults, type Reading, type Reply } from '../model/index.js';
import { callParser, type StrategyParser } from './call-parser.js';
import { joinThinking } from './conversation.js';
import { renderOutputRule } from './output.js';
import { appendStatus, joinParagraphs, renderGuide, renderStatus } from './prompt-parts.js';
import { renderFraming, renderTool } from './react/prompt.js';
import { joinReplyText, renderTextMessages } from './react/react.js';
import { type CallValidator, excessCallsProblem, type Strategy } from './strategy.js';
import { cutOffProblem, renderCallExample, toRequestedCall } from './tools.js';

const maxProblemLength = 2_000;
const conversation = { observationTag: 'Observation', scratchpad: false };

/** @param parse null where the worker's code is absent: the whole reply is then a thought */
export function createCustomStrategy(options: CustomOptions, parse: StrategyParser | null): Strategy {
  return {
    render: (chain, agent) => {
      const tools = agent.tools.length === 0 ? 'You have no tools.' : agent.tools.map(renderTool).join('\n\n');
      const parts = [
        agent.instructions.trim(),
        // A function: a description may contain `$&`.
        options.prompt.trim().replaceAll('{tools}', () => tools),
        renderFraming(conversation.observationTag),
        renderGuide(agent),
        renderOutputRule(agent, 'Your answer'),
        renderCallExample(agent),
      ];
      return {
        system: joinParagraphs(parts),
        messages: appendStatus(renderTextMessages(chain, conversation, ''), renderStatus(chain, agent)),
        tools: [],
        toolChoice: 'auto',
        stopSequences: [...options.stopSequences, ...agent.model.stopSequences],
      };
    },
    parse: (reply, _agent, validate) => parseReply(reply, validate, parse),
  };
}

function parseReply(reply: Reply, validate: CallValidator, parse: StrategyParser | null): Reading {
  const text = joinReplyText(reply).trim();
  const thinking = joinThinking(reply.content);
  const reading: Reading = {
    ...{ thought: thinking, calls: [], answer: null, problem: null, scratchpad: null },
    content: text === '' ? [] : [{ type: 'text', text }],
  };
  // A refusal ends the chain: it has no format to correct.
  if (parse === null || reply.stopReason === 'refusal') return { ...reading, thought: text || thinking };
  if (reply.stopReason === 'max_tokens') return { ...reading, problem: cutOffProblem };
  const result = callParser(parse, text);
  const { calls = [], ...texts } = typeof result === 'string' ? { problem: renderFault(result) } : result;
  const thought = texts.thought?.trim() || thinking;
  const answer = texts.answer?.trim() || null;
  const problem = texts.problem?.trim() || findProblem(calls.length, answer);
  if (problem !== null) return { ...reading, thought, problem: shorten(problem, maxProblemLength) };
  const requested = calls.map(({ tool, input }) =>
    toRequestedCall(null, tool, isTooDeep(input, defaults.argumentLevels) ? deepInputMark : input, validate),
  );
  return { ...reading, thought, calls: requested, answer: calls.length > 0 ? null : answer };
}

function renderFault(fault: string): string {
  return `Your reply could not be read: ${shorten(toOneLine(fault), 300)}. Write it again, in the required format.`;
}

function findProblem(calls: number, answer: string | null): string | null {
  if (calls > defaults.callsPerReply) return excessCallsProblem;
  if (calls > 0 || answer !== null) return null;
  return 'Your reply has neither a call of a tool nor an answer. Write one of them, in the required format.';
}
