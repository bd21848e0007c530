/**
 * A long chain as it is often met: it reads one thing after another, 2 KB of text each, and says a sentence or two before
 * each. What it reads are this project's own pages and sources, so that no two results are alike, and none is noise.
 */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ChainRun, FiledTurn, Head } from '../../src/core/chain-file.js';
import type { Fact } from '../../src/core/fact.js';
import type { Json } from '../../src/core/json.js';
import type { ReplyBlock } from '../../src/core/model.js';
import type { Attempts } from '../../src/core/reasoning.js';
import { closeOf } from '../../src/core/result.js';
import { emptyState } from '../../src/core/state.js';
import { takeTurn } from '../../src/core/turn.js';
import { agentOf, rawReply, readBy, someInput, text, tool, usage, use } from './core-builders.js';

/** Bytes of a result. */
const pageBytes = 2_048;
const began = Date.UTC(2026, 10, 1, 8);
const root = fileURLToPath(new URL('../..', import.meta.url));

export interface TypicalRun {
  readonly chainId: string;
  readonly run: ChainRun;
}

export interface TypicalOptions {
  readonly steps: number;
  readonly chainId?: string;
  readonly runId?: string;
  readonly input?: Partial<typeof someInput>;
  readonly answer?: string;
  /** Milliseconds since 1970. */
  readonly startedAt?: number;
}

/** It has answered in its last step. */
export function typicalRun({ steps, chainId = 'reader-1', runId = 'run-1', ...more }: TypicalOptions): TypicalRun {
  const { input = {}, answer = 'All of it was read.', startedAt = began } = more;
  const agent = agentOf({
    name: 'reader',
    tools: [tool('read_page', { description: 'Reads a page.' })],
    limits: { steps: 1e6, tokens: 1e9, costUsd: 1e6, timeMs: 1e9, stallThreshold: 1e6 },
  });
  const asked = { ...someInput, agent: 'reader', task: 'Read the pages and say what they are about.', ...input };
  const turns: FiledTurn[] = [];
  const heads: Head[] = [];
  const attempts: Record<string, Attempts> = {};
  let state = emptyState;
  let at = startedAt;
  let eventId = 4;
  const take = (...told: readonly Fact[]) => {
    const history = { events: eventId - 1, bytes: eventId * 300 };
    const turn = takeTurn(state, history, told, sha256);
    state = turn.state;
    const begun = turn.actions.flatMap((action): readonly string[] => {
      if (action.type === 'prepare') return ['prepare'];
      if (action.type === 'callModel') return [action.call];
      return action.type === 'runCalls' ? action.calls.map(({ id }) => id) : [];
    });
    turns.push({ eventId, history, facts: told, asked: begun });
    for (const [place, id] of begun.entries()) {
      const scheduled = eventId + 1 + place;
      if (id.startsWith('model-')) heads.push({ call: id, eventId: scheduled, facts: state.facts, head: state.head });
      attempts[id] = attemptAt(scheduled, at);
    }
    eventId += 6;
    at += 1_700 + (eventId % 911);
  };
  take({ type: 'started', at, chainId, input: asked });
  take({ type: 'prepared', at, agent });
  for (let step = 1; step < steps; step += 1) {
    const { name, words } = pageAt(step);
    const said: readonly ReplyBlock[] = [
      text(`Step ${step - 1} said enough of that. Next I read ${name}, since it may say how the rest goes together.`),
      use(`toolu_${sha256(`${chainId} ${step}`).slice(0, 24)}`, 'read_page', { page: name }),
    ];
    const reply = readBy(agent, rawReply(said, 'tool_use', usage(2_000 + step * 520, 60 + (step % 17))));
    take({ type: 'modelReplied', at, call: `model-${step}`, reply });
    take({ type: 'toolReturned', at, call: `${step}.1`, observation: { content: words as Json, clippedFrom: null } });
  }
  const last = readBy(agent, rawReply([text(answer)], 'end_turn', usage(2_000 + steps * 520, 80)));
  take({ type: 'modelReplied', at, call: `model-${steps}`, reply: last });
  const result = closeOf(state);
  return { chainId, run: { runId, closed: 'completed', closedAt: at, result, turns, heads, attempts } };
}

function attemptAt(scheduled: number, at: number): Attempts {
  const startedAt = at + 12;
  const ends = { endedAt: at + 1_650, endedEventId: scheduled + 2 };
  return { made: 1, startedAt, worker: '4211@worker-7f9c', lastFailure: null, scheduledEventId: scheduled, ...ends };
}

let pages: readonly { readonly name: string; readonly words: string }[] | null = null;

/** Another page at each step, as long as there are any. */
function pageAt(step: number) {
  pages ??= ['docs', 'src', 'test'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:md|ts)$/.test(file))
      .sort()
      .flatMap((file) => pagesOf(`${folder}/${file}`)),
  );
  return pages[(step * 389) % pages.length] as (typeof pages)[number];
}

function pagesOf(file: string) {
  const words = readFileSync(`${root}${file}`, 'utf8');
  const whole = Math.floor(words.length / pageBytes);
  return Array.from({ length: whole }, (_, at) => {
    return { name: `${file}#${at + 1}`, words: words.slice(at * pageBytes, (at + 1) * pageBytes) };
  });
}

function sha256(said: string): string {
  return createHash('sha256').update(said).digest('hex');
}
