/** ReAct: the model reasons and acts in plain text, in labelled sections. */

import { labelled } from '../../lib/framed.js';
import type { AgentSnapshot, ReactOptions, ToolSnapshot } from '../../model/agent.js';
import type { Chain, Step } from '../../model/chain.js';
import type { Message, ModelRequest, Reply, TextBlock } from '../../model/model.js';
import type { Reading } from '../../model/reading.js';
import { labelledObservation } from '../../state/observation.js';
import { saidByPeople } from '../conversation.js';
import { reactDefaults, type Strategy, type Validate } from '../strategy.js';
import { toolThatAsks } from './action.js';
import { shapeOf, type ToolShape } from './arguments.js';
import { parseReact } from './parse.js';
import { reactPrompt } from './prompt.js';

export const react: Strategy = { render, interpret };

function render(chain: Chain, agent: AgentSnapshot): ModelRequest {
  const options = optionsOf(agent);
  return {
    system: reactPrompt(agent, options),
    messages: messagesOf(chain, options),
    tools: [],
    toolChoice: 'auto',
    stopSequences: [`\n${options.observationTag}:`, ...agent.model.stopSequences],
  };
}

function interpret(reply: Reply, agent: AgentSnapshot, validate: Validate): Reading {
  const reading = parseReact(textOf(reply), {
    options: optionsOf(agent),
    tools: shapesOf(agent.tools),
    asks: toolThatAsks(agent.tools),
    cut: reply.stopReason === 'max_tokens' || reply.stopReason === 'model_context_window_exceeded',
    thinking: thinkingOf(reply),
  });
  const { thought, answer, problem, scratchpad, kept } = reading;
  return {
    thought,
    calls: reading.calls.map(({ tool, input }) => ({ useId: null, tool, input, rejected: validate(tool, input) })),
    answer,
    problem,
    scratchpad,
    // Providers refuse empty text.
    content: kept === '' ? [] : [{ type: 'text', text: kept }],
  };
}

/** The notes come last: what stands before them stays the same from step to step, so that it is cached. */
function messagesOf(chain: Chain, options: ReactOptions): readonly Message[] {
  const task = [chain.state.input?.task ?? '', ...saidByPeople(chain, 0)].map(text);
  const notes = options.scratchpad ? chain.state.scratchpad.trim() : '';
  const pad = notes === '' ? [] : [text(labelled('Scratchpad (your notes so far)', notes))];
  if (chain.steps.length === 0) return [{ role: 'user', content: [...task, ...pad] }];
  const last = chain.steps.length - 1;
  return [
    { role: 'user', content: task },
    ...chain.steps.flatMap((step, at): Message[] => [
      { role: 'assistant', content: [text(saidIn(step))] },
      { role: 'user', content: [...heardAfter(chain, step, options).map(text), ...(at === last ? pad : [])] },
    ]),
  ];
}

function saidIn(step: Step): string {
  const said = step.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return said.trim() || '(no text)';
}

/**
 * Each in a block of its own, so that none of them says what another does. Never nothing: a conversation that ends with the
 * assistant would ask it to go on in its own words.
 */
function heardAfter(chain: Chain, step: Step, options: ReactOptions): readonly string[] {
  const people = saidByPeople(chain, step.number);
  const answered = step.problem === null && step.calls.length === 0;
  return [...(answered && people.length > 0 ? [] : answersTo(chain, step, options)), ...people];
}

function answersTo(chain: Chain, step: Step, { observationTag }: ReactOptions): readonly string[] {
  if (step.problem !== null) return [`Correction: ${step.problem}`];
  if (step.calls.length === 0) return ['Go on.'];
  const name = (tool: string) => (step.calls.length > 1 ? ` (${tool})` : '');
  return step.calls.map((call) => labelledObservation(`${observationTag}${name(call.tool)}`, chain, call));
}

/** Text that belongs together, and on lines of its own where something else stood in between. */
function textOf(reply: Reply): string {
  return reply.content
    .map((block, at) => {
      if (block.type !== 'text') return '';
      const before = reply.content[at - 1];
      return before === undefined || before.type === 'text' ? block.text : `\n${block.text}`;
    })
    .join('');
}

function thinkingOf(reply: Reply): string | null {
  const thinking = reply.content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []));
  return thinking.join('\n').trim() || null;
}

function shapesOf(tools: readonly ToolSnapshot[]): ReadonlyMap<string, ToolShape> {
  return new Map(tools.map((tool) => [tool.name, shapeOf(tool.inputSchema)]));
}

function optionsOf(agent: AgentSnapshot): ReactOptions {
  return agent.strategy.name === 'react' ? agent.strategy : reactDefaults;
}

function text(words: string): TextBlock {
  return { type: 'text', text: words };
}
