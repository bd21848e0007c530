/** A chain as lines for a terminal: what it is, each thought, call and observation as they happen, and the end. */

import pc from 'picocolors';
import type { ChainEvent } from '../client/follow.js';
import type { Call } from '../core/chain.js';
import { count, duration, usd } from '../core/display.js';
import type { Entry, Settled } from '../core/entry.js';
import { asText, type Json } from '../core/json.js';
import { limitsText } from '../core/limits.js';
import { oneLine, plain } from '../core/plain.js';
import type { ChainResult } from '../core/result.js';
import { totalTokens } from '../core/usage.js';
import { cut, wrapped } from './chain/text.js';

export interface PrintOptions {
  readonly color: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

export type Print = (event: ChainEvent) => string;

/** @returns a function that gives the lines of one event, ending in a line break, or nothing */
export function chainPrinter({ color, width }: PrintOptions): Print {
  const c = pc.createColors(color);
  const room = Math.max(40, width - 6);
  /** Notices that stand above: the end does not say them again. */
  const told = new Set<string>();

  function entry(event: Entry): string {
    switch (event.type) {
      case 'started':
        return `${c.bold(oneLine(event.input.agent))}  ${wrap(event.input.task, room, 2)}\n`;
      case 'prepared': {
        const { limits, model } = event.agent;
        return c.dim(`${oneLine(model.name)} · at most ${limitsText(limits)}\n\n`);
      }
      case 'step': {
        const { number, thought, problem, calls } = event.step;
        const said = problem === null ? (thought ?? '') : `could not be read: ${problem}`;
        const head = `${c.cyan(c.bold(String(number).padStart(2)))}  ${problem === null ? wrap(said, room, 4) : c.yellow(wrap(said, room, 4))}\n`;
        const settled = calls.filter((call) => call.status !== 'pending');
        return head + calls.map(asked).join('') + settled.map((call) => observed(settledOf(call))).join('');
      }
      case 'observation':
        return observed(event.settled);
      case 'notice':
        // The summing-up is what the chain comes to: it stands at its end.
        if (event.notice.kind === 'closing') return '';
        told.add(event.notice.text);
        return `    ${c.yellow(`⚠ ${wrap(event.notice.text, room, 6)}`)}\n`;
      case 'message': {
        const { by, text } = event.message;
        return `    ${c.blue('▸')} ${c.bold(oneLine(by ?? 'user'))}  ${wrap(text, room, 6)}\n`;
      }
      case 'paused':
        return '';
    }
  }

  function asked(call: Call): string {
    return `    ${c.magenta('→')} ${c.bold(oneLine(call.tool))} ${cut(oneLine(asText(call.input)), room - call.tool.length)}\n`;
  }

  function observed({ status, observation, call }: Settled): string {
    const text = cut(oneLine(asText(observation)), room - 4);
    if (status === 'ok') return `    ${c.green('←')} ${c.dim(text)}\n`;
    if (status === 'reused') return `    ${c.green('←')} ${c.dim(`as in call ${asText(observation)}`)}\n`;
    return `    ${c.red('←')} ${c.red(`${status.replace('_', ' ')} (${call})`)} ${c.dim(text)}\n`;
  }

  function ended(result: ChainResult): string {
    const good = result.outcome === 'success' || result.outcome === 'custom';
    const mark = good ? c.green('✓') : c.red('■');
    const took = duration(Date.parse(result.endedAt) - Date.parse(result.startedAt));
    const facts = [`${count(totalTokens(result.usage))} tokens`, usdSpent(result.costUsd), took]
      .filter(Boolean)
      .join(' · ');
    const why = told.has(result.reason) ? [] : [result.reason];
    const head = [...(good ? [] : [result.outcome]), ...why].join(': ');
    const body = result.answer ?? result.partial;
    return `\n${mark} ${c.bold(oneLine(head))}  ${c.dim(facts)}\n${body === null ? '' : `\n${pretty(body)}\n`}`;
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
      const lead = event.call === speaking ? '' : `${silence()}    `;
      speaking = event.call;
      return c.dim(lead + plain(event.text).replace(/\n+/g, '\n    '));
    }
    if (event.provisional) return '';
    return silence() + (event.type === 'ended' ? ended(event.result) : entry(event));
  };
}

function settledOf(call: Call): Settled {
  return {
    call: call.id,
    status: call.status,
    observation: call.status === 'reused' ? (call.reusedFrom ?? '') : call.observation,
    clippedFrom: call.clippedFrom,
  };
}

function usdSpent(spent: number | null): string {
  return spent === null ? '' : usd(spent);
}

function pretty(value: Json): string {
  return plain(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}

/** Breaks at spaces; later lines stand under the first. */
function wrap(text: string, width: number, indent: number): string {
  return wrapped(text, width).join(`\n${' '.repeat(indent)}`);
}
