/** What a reader sees of a live chain in Temporal's Web UI without opening a payload. Details cost no history. */

import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { Entry } from '../core/entry.js';
import { asText } from '../core/json.js';
import { shorten, usd } from '../core/reasons.js';
import type { ChainResult } from '../core/result.js';
import type { State } from '../core/state.js';

/** Steps shown in full; earlier ones are in the history. */
const shown = 12;

export class WebUi {
  private readonly lines: string[] = [];

  show(state: State, entries: readonly Entry[]): void {
    this.lines.push(...entries.flatMap(lineOf));
    this.lines.splice(0, this.lines.length - 4 * shown);
    setCurrentDetails([heading(state), ...this.lines].join('\n\n'));
  }

  /** One upsert at the end, and only where the start could be registered: an unknown attribute blocks a workflow for ever. */
  conclude(result: ChainResult): void {
    const known = workflowInfo().typedSearchAttributes.get(keyword('LonghandAgent')) !== undefined;
    if (!known) return;
    const attributes: SearchAttributePair[] = [
      { key: keyword('LonghandStatus'), value: 'ended' },
      { key: keyword('LonghandOutcome'), value: result.outcome },
      { key: defineSearchAttributeKey('LonghandSteps', SearchAttributeType.INT), value: result.steps },
      { key: defineSearchAttributeKey('LonghandTokens', SearchAttributeType.INT), value: tokens(result) },
      { key: defineSearchAttributeKey('LonghandCostUsd', SearchAttributeType.DOUBLE), value: result.costUsd ?? 0 },
    ];
    upsertSearchAttributes(attributes);
  }
}

function heading(state: State): string {
  const { tokens, usd: spent } = state.spent;
  const cost = spent === null ? '' : ` · ${usd(spent)}`;
  const end = state.stop === null ? '' : ` · **${state.stop.outcome}**: ${state.stop.reason}`;
  return `### ${state.steps} steps · ${tokens} tokens${cost}${end}`;
}

function lineOf(entry: Entry): readonly string[] {
  switch (entry.type) {
    case 'step': {
      const { step } = entry;
      const said = step.problem === null ? (step.thought ?? '') : `could not be read: ${step.problem}`;
      const calls = step.calls.map(
        (call) =>
          `- ${code(`${call.tool}(${shorten(asText(call.input), 200)})`)}${call.status === 'pending' ? '' : ` *${call.status}*`}`,
      );
      const answer = step.answer === null ? [] : [`> ${quote(asText(step.answer), 2_000)}`];
      return [[`**${step.number}** ${plain(said, 400)}`, ...calls, ...answer].join('\n')];
    }
    case 'observation':
      return [
        `→ ${entry.settled.call} ${entry.settled.status === 'ok' ? '' : `*${entry.settled.status}* `}${code(shorten(asText(entry.settled.observation), 200))}`,
      ];
    case 'notice':
      return [`⚠ ${plain(entry.notice.text, 400)}`];
    case 'started':
    case 'prepared':
    case 'paused':
      return [];
  }
}

function plain(text: string, characters: number): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), characters);
}

function quote(text: string, characters: number): string {
  return shorten(text, characters).replace(/\n/g, '\n> ');
}

function code(text: string): string {
  return `\`${text.replace(/[`\n]/g, ' ')}\``;
}

function tokens(result: ChainResult): number {
  const { input, output, cacheRead, cacheWrite } = result.usage;
  return input + output + cacheRead + cacheWrite;
}

function keyword(name: string): ReturnType<typeof defineSearchAttributeKey<typeof SearchAttributeType.KEYWORD>> {
  return defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
}
