/**
 * A long chain in a small context window: a book of many pages is read one page at a time, and the answer needs codes from all over
 * it. The models know nothing but their request (test/support/page-reader.ts): the reader answers with the codes in it, and the model
 * that compacts writes down the codes in its own. Beside it the same chain with compaction by rule, whose lines have the start of a page.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent } from '../../src/agents/define-agent.js';
import type { Longhand } from '../../src/client/connect.js';
import { anthropicProvider } from '../../src/models/anthropic/provider.js';
import { startMessagesServer } from '../../test/support/messages-server.js';
import { codeOf, readPage, replyAsReader, toReadingTask } from '../../test/support/page-reader.js';
import type { Case, CaseOptions } from '../case.js';
import { between } from '../plausible.js';
import { promises } from '../promises.js';
import { round } from '../repeat.js';
import { withLocalWorker } from '../rig/local-worker.js';

interface ContextSize {
  /** One page each; the answer is one more step. */
  readonly steps: number;
  readonly windowTokens: number;
  /** Codes that the answer needs, from pages at equal distances. */
  readonly asked: number;
}

export interface ContextRow {
  readonly compaction: 'model' | 'rule';
  readonly steps: number;
  readonly windowTokens: number;
  /** Bytes of the longest request of a step, at four bytes a token. */
  readonly longestTokens: number;
  readonly compactions: number;
  readonly notesCalls: number;
  /** The part of the chain's tokens that the calls for notes used. */
  readonly notesShare: number;
  readonly asked: number;
  /** Right codes in the answer. */
  readonly known: number;
}

const model = 'claude-sonnet-5-5';
const writer = 'claude-haiku-5-5';

const common = {
  model,
  tools: [readPage],
  maxTokens: 1_024,
  // Out of the way: the answer ends the chains.
  limits: { steps: 1_000, tokens: 1_000_000_000, costUsd: 1_000_000, time: '1h', stallThreshold: 1_000 },
} as const;

const agents = {
  model: defineAgent({ ...common, name: 'noting', compaction: 'model', models: { compaction: writer } }),
  rule: defineAgent({ ...common, name: 'ruled' }),
};

const kinds = ['model', 'rule'] as const;

export const context: Case<ContextRow, ContextSize> = {
  full: { steps: 300, windowTokens: 32_000, asked: 30 },
  smoke: { steps: 24, windowTokens: 8_000, asked: 6 },
  measure: measureChains,
  columns: [
    ['compaction', (row) => row.compaction],
    ['steps', (row) => String(row.steps)],
    ['window', (row) => String(row.windowTokens)],
    ['longest request', (row) => String(row.longestTokens)],
    ['compactions', (row) => String(row.compactions)],
    ['calls for notes', (row) => String(row.notesCalls)],
    ['their tokens', (row) => `${(row.notesShare * 100).toFixed(1)} %`],
    ['facts asked', (row) => String(row.asked)],
    ['known', (row) => String(row.known)],
  ],
  expected: ({ steps, windowTokens, asked }) =>
    kinds.map((compaction) => ({
      compaction,
      steps: steps + 1,
      windowTokens,
      longestTokens: between(500, windowTokens),
      compactions: between(1, steps),
      notesCalls: compaction === 'rule' ? 0 : between(1, steps),
      notesShare: compaction === 'rule' ? 0 : between(0.0001, 0.5),
      asked,
      known: between(0, asked),
    })),
  contradictions: () => [],
  misses: (rows) =>
    rows.flatMap(({ compaction, known, asked }) =>
      compaction === 'rule' || known / asked >= promises.contextFacts
        ? []
        : [
            `With notes of a model, the chain knows ${known} of ${asked} facts; required: ${promises.contextFacts * asked}.`,
          ],
    ),
  findings: (rows) => {
    const [noted, ruled] = kinds.map((kind) => rows.find(({ compaction }) => compaction === kind));
    if (!noted || !ruled) return [];
    return [
      `After ${noted.steps} steps in a window of ${noted.windowTokens} tokens, the chain knows ${noted.known} of ${noted.asked} facts with notes of a model, and ${ruled.known} with compaction by rule. The notes take ${(noted.notesShare * 100).toFixed(1)} % of its tokens.`,
    ];
  },
};

async function measureChains({ rig, progress }: CaseOptions, size: ContextSize): Promise<readonly ContextRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-bench-context-'));
  const prices = join(folder, 'prices.json');
  await writeFile(prices, JSON.stringify({ [model]: { max_input_tokens: size.windowTokens } }));
  const longest = { bytes: 0 };
  const messages = await startMessagesServer((request) => {
    if (request.body.model === model)
      longest.bytes = Math.max(longest.bytes, Buffer.byteLength(JSON.stringify(request.body)));
    return replyAsReader(request);
  });
  const providers = [anthropicProvider({ baseURL: messages.url, apiKey: 'none' })];
  const worker = { agents: Object.values(agents), providers, prices, tokens: false, address: rig.address } as const;
  try {
    return await withLocalWorker({ ...worker, taskQueue: 'context' }, async (longhand) => {
      const rows: ContextRow[] = [];
      for (const kind of kinds) {
        longest.bytes = 0;
        const row = await measureChain(longhand, kind, size);
        rows.push({ ...row, longestTokens: Math.ceil(longest.bytes / 4) });
        progress(`compaction by ${kind}: ${row.known} of ${row.asked} facts`);
      }
      return rows;
    });
  } finally {
    await messages.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureChain(
  longhand: Longhand,
  compaction: ContextRow['compaction'],
  { steps, windowTokens, asked: count }: ContextSize,
): Promise<Omit<ContextRow, 'longestTokens'>> {
  const asked = Array.from({ length: count }, (_, nth) => 1 + Math.floor((nth * steps) / count));
  const handle = await longhand.start(agents[compaction].name, toReadingTask(steps, asked));
  const { success, reason, answer, steps: made } = await handle.result();
  if (!success) throw new Error(`The chain with compaction by ${compaction} did not complete: ${reason}`);
  const { notices, state } = await handle.read();
  const noted = notices.flatMap((notice) => (notice.code === 'notes_written' && notice.asked ? [notice.asked] : []));
  const tokens = noted.reduce((sum, call) => sum + call.inputTokens + call.outputTokens, 0);
  const rows = String(answer).split('\n');
  return {
    compaction,
    steps: made,
    windowTokens,
    compactions: notices.filter(({ code, text }) => code === 'compacted' && text.startsWith('Step')).length,
    notesCalls: noted.length,
    notesShare: round(tokens / state.charged.tokens, 4),
    asked: count,
    known: asked.filter((page) => rows.includes(`${page}: ${codeOf(page)}`)).length,
  };
}
