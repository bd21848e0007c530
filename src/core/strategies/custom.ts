/**
 * A text protocol of an author. Its prompt is data of the snapshot, so that readers render every request. Its parser is code of the
 * worker, which reads each reply once: facts have the reading, and nothing parses the reply again.
 */

import { check, isTooDeep, type Json, parseJson, shorten, toErrorMessage, toOneLine } from '../lib/index.js';
import { type CustomOptions, deepInputMark, defaults, type Reading, type Reply } from '../model/index.js';
import { joinThinking } from './conversation.js';
import { renderOutputRule } from './output.js';
import { appendStatus, joinParagraphs, renderGuide, renderStatus } from './prompt-parts.js';
import { renderFraming, renderTool } from './react/prompt.js';
import { joinReplyText, renderTextMessages } from './react/react.js';
import { type CallValidator, excessCallsProblem, type Strategy } from './strategy.js';
import { cutOffProblem, renderCallExample, toRequestedCall } from './tools.js';

/** A reply as a parser read it: calls, an answer, or a problem. */
export interface StrategyReading {
  readonly thought?: string | null;
  /** An answer beside calls is dropped: the model has not seen their results. */
  readonly calls?: readonly { readonly tool: string; readonly input: Json }[];
  /** With an output schema, JSON text. */
  readonly answer?: string | null;
  /** What is wrong with the reply and how to write it, for the model. */
  readonly problem?: string | null;
}

/** Reads the text of a reply. Pure: equal texts give equal readings. */
export type StrategyParser = (text: string) => StrategyReading;

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

const checkReading = check.members<StrategyReading>({
  thought: check.nullable(check.text),
  // A name is in the label of its observation, which has a bound.
  calls: check.list(
    check.shape({ tool: check.pattern(/^.{1,64}$/s, 'must be a text of 1 to 64 characters'), input: check.present }),
  ),
  answer: check.nullable(check.text),
  problem: check.nullable(check.text),
});

/**
 * Calls a parser, which is an author's code: one that throws or returns any other value is a fault, never an exception (L4).
 *
 * @returns the reading in its JSON form, as facts store it, or the fault
 */
export function callParser(parse: StrategyParser, text: string): StrategyReading | string {
  try {
    const json = JSON.stringify(parse(text)) ?? 'null';
    // Facts store what is not in the reply a second time (L2). An escaped character has six.
    if (json.length > 6 * text.length + 10_000) return 'the reading of the parser is much longer than the reply';
    const reading = parseJson(json);
    const problem = checkReading(reading, '');
    return problem === null ? (reading as StrategyReading) : `the parser returned an invalid reading: ${problem}`;
  } catch (error) {
    return `the parser threw: ${toErrorMessage(error)}`;
  }
}
