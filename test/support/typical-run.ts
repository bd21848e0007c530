/**
 * A typical long chain: it looks up one thing after another. Each result has 2 KB: in turn a page of prose or source (of this
 * project), rows of a table as JSON, and lines of a log. All results differ, and none is noise.
 */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toCloseResult } from '../../src/core/engine/result.js';
import { takeTurn } from '../../src/core/engine/turn.js';
import type { ActivityAttempts } from '../../src/core/model/activity.js';
import type { Fact } from '../../src/core/model/fact.js';
import type { ReplyBlock } from '../../src/core/model/model.js';
import { emptyState } from '../../src/core/model/state.js';
import type { ChainFileTurn, ChainRun, ModelCallHead } from '../../src/core/record/chain-file.js';
import type { Json } from '../../src/index.js';
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

/** A closed run, which has answered in its last step. */
export function typicalRun({ steps, chainId = 'reader-1', runId = 'run-1', ...more }: TypicalOptions): TypicalRun {
  const { input = {}, answer = 'All of it was read.', startedAt = began } = more;
  const agent = agentOf({
    name: 'reader',
    tools: [tool('look_up', { description: 'Looks something up.' })],
    limits: { steps: 1e6, tokens: 1e9, costUsd: 1e6, timeMs: 1e9, stallThreshold: 1e6 },
  });
  const chainInput = { ...someInput, agent: 'reader', task: 'Read the pages and state their subjects.', ...input };
  const turns: ChainFileTurn[] = [];
  const heads: ModelCallHead[] = [];
  const attempts: Record<string, ActivityAttempts> = {};
  let state = emptyState;
  let at = startedAt;
  let eventId = 4;
  const take = (...facts: readonly Fact[]) => {
    const history = { events: eventId - 1, bytes: eventId * 300, continueSuggested: false };
    const turn = takeTurn(state, history, facts, sha256);
    state = turn.state;
    const begun = turn.actions.flatMap((action): readonly string[] => {
      if (action.type === 'prepare') return ['prepare'];
      if (action.type === 'callModel') return [action.call];
      return action.type === 'runCalls' ? action.calls.map(({ id }) => id) : [];
    });
    turns.push({ eventId, history, facts, scheduled: begun });
    for (const [place, id] of begun.entries()) {
      const scheduled = eventId + 1 + place;
      if (id.startsWith('model-')) heads.push({ call: id, eventId: scheduled, facts: state.facts, head: state.head });
      attempts[id] = createAttempt(scheduled, at);
    }
    eventId += 6;
    at += 1_700 + (eventId % 911);
  };
  take({ type: 'started', at, chainId, input: chainInput });
  take({ type: 'prepared', at, agent });
  for (let step = 1; step < steps; step += 1) {
    const { name, words } = createResult(step);
    const content: readonly ReplyBlock[] = [
      text(
        `Step ${step - 1} showed enough of it. Next I look at ${name}, since it may show how the rest fits together.`,
      ),
      use(`toolu_${sha256(`${chainId} ${step}`).slice(0, 24)}`, 'look_up', { what: name }),
    ];
    const reply = readBy(agent, rawReply(content, 'tool_use', usage(2_000 + step * 520, 60 + (step % 17))));
    take({ type: 'modelReplied', at, call: `model-${step}`, reply });
    take({ type: 'toolReturned', at, call: `${step}.1`, observation: { content: words as Json, clippedFrom: null } });
  }
  const last = readBy(agent, rawReply([text(answer)], 'end_turn', usage(2_000 + steps * 520, 80)));
  take({ type: 'modelReplied', at, call: `model-${steps}`, reply: last });
  const result = toCloseResult(state);
  return { chainId, run: { runId, closed: 'completed', closedAt: at, result, turns, heads, attempts } };
}

function createAttempt(scheduled: number, at: number): ActivityAttempts {
  const startedAt = at + 12;
  const ends = { endedAt: at + 1_650, endedEventId: scheduled + 2 };
  return { made: 1, startedAt, worker: '4211@worker-7f9c', lastFailure: null, scheduledEventId: scheduled, ...ends };
}

interface Result {
  readonly name: string;
  readonly words: string;
}

function createResult(step: number): Result {
  if (step % 3 === 0) return getPage(step);
  return step % 3 === 1 ? createRows(step) : createLog(step);
}

function createRows(step: number): Result {
  const rows = fillText((row) => {
    const some = computeNoise(step, row);
    const [first, last] = [names[some % 16], names[(some >> 4) % 16]];
    const order = { id: 40_000 + step * 16 + row, customer: `${first} ${last}`, city: cities[(some >> 8) % 8] };
    const total = Number((((some >> 3) % 90_000) / 100).toFixed(2));
    const status = ['paid', 'open', 'shipped', 'returned'][(some >> 12) % 4];
    return JSON.stringify({
      ...order,
      total,
      currency: 'EUR',
      status,
      due: `2026-${1 + (some % 12)}-${1 + (some % 28)}`,
    });
  }, ',');
  return { name: `orders of week ${step}`, words: `{"rows":[${rows}]}` };
}

function createLog(step: number): Result {
  const words = fillText((line) => {
    const some = computeNoise(step, line);
    const at = new Date(began + step * 60_000 + line * 137 + (some % 100)).toISOString();
    const service = ['checkout', 'billing', 'search', 'mailer'][some % 4];
    const what = logged[(some >> 5) % logged.length];
    return `${at} ${some % 9 === 0 ? 'WARN' : 'INFO'} ${service} request ${100_000 + step * 32 + line}: ${what} in ${some % 800} ms`;
  }, '\n');
  return { name: `the log of minute ${step}`, words };
}

function fillText(line: (at: number) => string, between: string): string {
  let words = line(0);
  for (let at = 1; words.length < pageBytes; at += 1) words += between + line(at);
  return words;
}

function computeNoise(step: number, at: number): number {
  return Number.parseInt(sha256(`${step} ${at}`).slice(0, 7), 16);
}

const names =
  'Ada Grace Alan Edsger Barbara Donald Radia Leslie Tony Niklaus Frances John Margaret Ken Jean Robin'.split(' ');
const cities = ['Zürich', 'Paris', 'Lisboa', 'Oslo', 'Warszawa', 'Bremen', 'Torino', 'Graz'];
const logged = [
  'GET /cart answered 200',
  'POST /orders answered 201',
  'cache miss, loaded from the database',
  'retry 2 of 5 after a timeout of the payment gateway',
  'mail queued for delivery',
  'index refreshed',
];

let pages: readonly Result[] | null = null;

/** Returns another page at each step, until all pages were used. */
function getPage(step: number): Result {
  pages ??= ['docs', 'src', 'test'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:md|ts)$/.test(file))
      .sort()
      .flatMap((file) => readPages(`${folder}/${file}`)),
  );
  return pages[(step * 389) % pages.length] as Result;
}

function readPages(file: string): readonly Result[] {
  const words = readFileSync(`${root}${file}`, 'utf8');
  const whole = Math.floor(words.length / pageBytes);
  return Array.from({ length: whole }, (_, at) => {
    return { name: `${file}#${at + 1}`, words: words.slice(at * pageBytes, (at + 1) * pageBytes) };
  });
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
