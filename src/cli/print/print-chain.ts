/**
 * A chain as lines for a terminal: what it is, each thought, call and observation as they happen, and the end. L8: what
 * is secret in it has marks in its place, as in every other outlet; the result as JSON is whole.
 */

import type { ChainEvent } from '../../client/follow/follow.js';
import type { ChainResult } from '../../core/engine/result.js';
import { count, duration, usd } from '../../core/lib/display.js';
import { asText } from '../../core/lib/json.js';
import { oneLine, plain } from '../../core/lib/plain.js';
import type { AskKind } from '../../core/model/ask.js';
import type { Call, Notice } from '../../core/model/chain.js';
import { limitsText } from '../../core/model/limits.js';
import type { KnownTool } from '../../core/model/origin.js';
import type { Plan } from '../../core/model/plan.js';
import { totalTokens } from '../../core/model/usage.js';
import { controlTool } from '../../core/state/control-tools.js';
import { askFacts, decidedText } from '../../core/state/decided-text.js';
import type { Entry, Settled } from '../../core/state/entry.js';
import type { ChildNews } from '../../core/view/child-news.js';
import { createShown } from '../../core/view/snippet-masker.js';
import { speech } from '../../core/view/speech.js';
import { toldOfEnd } from '../../core/view/sub-chain.js';
import { stateText, subChainText } from '../../core/view/sub-chain-text.js';
import { colorsFor } from '../terminal/colors.js';
import { columns, cut, wrapped } from '../terminal/text.js';
import { taskLines } from './task-lines.js';

export interface PrintOptions {
  readonly color: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

/** Characters of one text. */
const longest = 200_000;

export type Print = (event: ChainEvent) => string;

/** @returns a function that gives the lines of one event, ending in a line break, or nothing */
export function chainPrinter({ color, width }: PrintOptions): Print {
  const c = colorsFor({ color });
  const room = Math.max(40, width - 6);
  /** Notices that stand above: the end does not say them again. */
  const told = new Set<string>();
  const shown = createShown();
  let hear = speech({});
  let heard = '';
  /** Null until the agent is prepared: what came before, of a fork, waits until it is known what is sensitive in it. */
  let tools: readonly KnownTool[] | null = null;
  const held: Entry[] = [];
  let plan: Plan | null = null;
  let plans = false;
  /** What sub-chains were last told to be at. */
  const looks = new Map<string, ChildNews['state']>();

  function entry(event: Entry): string {
    switch (event.type) {
      case 'asked':
        return waits(event);
      case 'decided':
        return decided(event);
      case 'started':
        return `${c.bold(oneLine(event.input.agent))}  ${wrap(text(event.input.task), room, 2)}\n`;
      case 'prepared': {
        const { limits, model } = event.agent;
        tools = event.agent.tools;
        plans = event.agent.strategy.name === 'plan';
        const head = c.dim(`${oneLine(model.name)} · at most ${limitsText(limits)}\n\n`);
        return head + held.splice(0).map(entry).join('');
      }
      case 'step': {
        const { number, thought, problem, calls } = event.step;
        shown.begin(tools, calls);
        const said = text(problem === null ? (thought ?? '') : `could not be read: ${problem}`);
        // An answer alone stands at the end.
        if (said === '' && calls.length === 0) return '';
        const head = `${c.cyan(c.bold(String(number).padStart(2)))}  ${problem === null ? wrap(said, room, 4) : c.yellow(wrap(said, room, 4))}\n`;
        const settled = calls.filter((call) => call.status !== 'pending');
        return (
          head +
          calls.filter(isShown).map(asked).join('') +
          settled.map((call) => observed(call.tool, settledOf(call))).join('')
        );
      }
      case 'observation':
        return observed(event.tool, event.settled);
      case 'notice':
        // The summing-up is what the chain comes to: it stands at its end.
        if (event.notice.kind === 'closing') return '';
        told.add(event.notice.text);
        return noticed(event.notice);
      case 'message': {
        const { by, text: said } = event.message;
        return `    ${c.blue('▸')} ${c.bold(oneLine(shown.line(by ?? 'user', 100)))}  ${wrap(text(said), room, 6)}\n`;
      }
      case 'chainBegun': {
        const { chainId, agent, task } = event.chain;
        const words = cut(oneLine(shown.line(task, room)), Math.max(0, room - columns(agent) - columns(chainId) - 6));
        return `      ${c.blue('⇢')} ${c.bold(oneLine(agent))}  ${words}  ${c.dim(oneLine(chainId))}\n`;
      }
      case 'chainEnded':
        return subChainEnded(event);
      case 'planned': {
        const options = { c, width: room, line: (said: string) => shown.line(said, 200) };
        const lines = taskLines(plan, event.plan, options);
        plan = event.plan;
        return lines.map((line) => `    ${line}\n`).join('');
      }
      // What the model is told of its plan stands above, as what became of it.
      case 'guided':
      case 'paused':
        return '';
    }
  }

  function noticed({ kind, text: said }: Notice): string {
    const lines = wrap(shown.reason(said, longest), room, 6);
    return `    ${kind === 'plan' ? c.cyan(`≡ ${lines}`) : c.yellow(`⚠ ${lines}`)}\n`;
  }

  /** What a call did to the plan, the tasks' own lines tell; one that failed says so itself. */
  function isShown({ tool }: Pick<Call, 'tool'>): boolean {
    return !plans || controlTool(tool) === null;
  }

  function asked(call: Call): string {
    return `    ${c.magenta('→')} ${c.bold(oneLine(call.tool))} ${cut(oneLine(shown.value(call.tool, call.input, room)), room - 1 - columns(call.tool))}\n`;
  }

  function waits({ call, tool, request: { kind, rules, expiresAt } }: Extract<Entry, { type: 'asked' }>): string {
    const facts = askFacts({ ...rules, request: kind, expiresAt, approved: 0 });
    // Why it is not known what became of a call, a notice has said, and a question stands in its call.
    const why = kind !== 'approval' ? '' : shown.reason(rules.reason, longest);
    const about = [why, facts.map(oneLine).join(' · ')]
      .filter((line) => line !== '')
      .map((line) => wrap(line, room, 6));
    return [
      `${c.yellow(`    ⏸ ${waitsFor[kind]} ${oneLine(tool)} (${call})`)}`,
      ...about.map((line) => `      ${c.dim(line)}`),
      '',
    ].join('\n');
  }

  function decided({ call, tool, decided: said }: Extract<Entry, { type: 'decided' }>): string {
    const { what, input } = said;
    const changed = input === undefined ? null : shown.value(tool, input, room);
    if (input !== undefined) shown.change({ tool, input });
    const mark = what === 'denied' || what === 'expired' || what === 'given_up' ? c.yellow('▸') : c.green('▸');
    return `    ${mark} ${wrap(`${shown.reason(decidedText(said, changed), longest)} (${call})`, room, 6)}\n`;
  }

  function observed(tool: string, { status, observation, call }: Settled): string {
    const text = cut(oneLine(shown.value(tool, observation, room)), room - 4);
    if (status === 'ok' && !isShown({ tool })) return '';
    if (status === 'ok' || status === 'answered') return `    ${c.green('←')} ${c.dim(text)}\n`;
    // Who denied it and why stands above.
    if (status === 'denied') return '';
    if (status === 'reused') return `    ${c.green('←')} ${c.dim(`as in call ${asText(observation)}`)}\n`;
    return `    ${c.red('←')} ${c.red(`${status.replace('_', ' ')} (${call})`)} ${c.dim(text)}\n`;
  }

  /** Where its own history is read first, it is told once that is. */
  function subChainEnded({ chainId, end }: Extract<Entry, { type: 'chainEnded' }>): string {
    const told = toldOfEnd(end);
    if (told.whole === null && told.state !== 'not_begun') return '';
    const mark = told.state === 'completed' ? c.green('⇠') : c.red('⇠');
    return `      ${mark} ${c.bold(oneLine(chainId))}  ${c.dim(subChainText(told))}\n`;
  }

  /** What is told of it here is its state: what it takes grows by the second. */
  function lookedAt({ chainId, agent, state }: ChildNews): string {
    if (looks.get(chainId) === state || (state === 'running' && !looks.has(chainId))) return '';
    looks.set(chainId, state);
    const mark = state === 'running' ? c.cyan('●') : c.yellow('⏸');
    return `      ${mark} ${c.bold(oneLine(chainId))}  ${oneLine(agent)} ${stateText({ state, outcome: null })}\n`;
  }

  function ended(result: ChainResult): string {
    const good = result.outcome === 'success' || result.outcome === 'custom';
    const mark = good ? c.green('✓') : c.red('■');
    const took = duration(Date.parse(result.endedAt) - Date.parse(result.startedAt));
    const facts = [`${count(totalTokens(result.usage))} tokens`, usdSpent(result.costUsd), took, below(result)]
      .filter(Boolean)
      .join(' · ');
    const why = told.has(result.reason) ? [] : [shown.reason(result.reason, longest)];
    const head = [...(good ? [] : [result.outcome]), ...why].join(': ');
    const body = result.answer ?? result.partial;
    return `\n${mark} ${c.bold(oneLine(head))}  ${c.dim(facts)}\n${body === null ? '' : `\n${plain(text(typeof body === 'string' ? body : JSON.stringify(body, null, 2)))}\n`}`;
  }

  function text(said: string): string {
    return shown.block(said, longest);
  }

  /** What is being said stands dim where its step will stand, and ends with it; each attempt on lines of its own. */
  let speaking = '';
  const silence = (): string => {
    const end = speaking === '' ? '' : '\n';
    speaking = '';
    return end;
  };

  return (event) => {
    if (event.type === 'spoken') {
      const open = tools?.every(({ view }) => (view.sensitive ?? []).length === 0) ?? false;
      if (event.call !== heard) hear = speech({});
      heard = event.call;
      const said = open ? hear(event.step, event.text) : '';
      if (said === '') return '';
      const lead = event.call === speaking ? '' : `${silence()}    `;
      speaking = event.call;
      return c.dim(lead + plain(said).replace(/\n+/g, '\n    '));
    }
    if (event.type === 'child') return silence() + lookedAt(event.child);
    if (event.provisional) return '';
    if (event.type === 'ended') return silence() + ended(event.result);
    if (tools === null && waitsForTools.has(event.type)) {
      held.push(event);
      return '';
    }
    return silence() + entry(event);
  };
}

/** Until it is known what is sensitive in them. */
const waitsForTools: ReadonlySet<Entry['type']> = new Set(['step', 'observation', 'message', 'asked', 'decided']);

const waitsFor = {
  approval: 'Waits for approval of',
  outcome: 'Waits for somebody to say what became of',
  question: 'Waits for an answer to',
} as const satisfies { readonly [kind in AskKind]: string };

function settledOf(call: Call): Settled {
  return {
    call: call.id,
    status: call.status,
    observation: call.status === 'reused' ? (call.reusedFrom ?? '') : call.observation,
    clippedFrom: call.clippedFrom,
  };
}

/** A tree has one budget: what it came to in all. */
function below({ subtree, costUsd }: ChainResult): string {
  if (subtree === undefined) return '';
  const chains = `with ${count(subtree.chains)} sub-${subtree.chains === 1 ? 'chain' : 'chains'}`;
  return subtree.costUsd === null ? chains : `${chains} ${usd((costUsd ?? 0) + subtree.costUsd)} in all`;
}

function usdSpent(spent: number | null): string {
  return spent === null ? '' : usd(spent);
}

/** Breaks at spaces; later lines stand under the first. */
function wrap(text: string, width: number, indent: number): string {
  return wrapped(text, width).join(`\n${' '.repeat(indent)}`);
}
