/** Segments for an archive, from chains that need no server. */

import { defaultDataConverter } from '@temporalio/common';
import type { Archive } from '../../src/activities/context/dependencies.js';
import { foldRecordedTurns } from '../../src/core/engine/fold-turns.js';
import { toCloseResult } from '../../src/core/engine/result.js';
import type { ChainRun } from '../../src/core/record/chain-file.js';
import type { Store } from '../../src/entries/store.js';
import { computeSha256 } from '../../src/history/fold.js';
import { type Segment, toSegment } from '../../src/store/archive/segment.js';
import type { Play } from './core-play.js';
import { type TypicalOptions, typicalRun } from './typical-run.js';

export const namespace = 'default';

/** An archive without settings, except those in `more`. */
export function archiveIn(store: Store, more: Partial<Archive> = {}): Archive {
  return {
    store,
    namespace,
    server: null,
    converter: defaultDataConverter,
    retention: [],
    visibility: {},
    audit: {},
    ...more,
  };
}

export function typicalSegment(options: TypicalOptions & Pick<Parameters<typeof toSegment>[0], 'visibility'>): Segment {
  const { chainId, run } = typicalRun(options);
  return segment(chainId, run, options);
}

/** The same run as that of another chain: to make one of many steps takes long. */
export function renameSegment(made: Segment, chainId: string, runId: string): Segment {
  return { ...made, chainId, run: { ...made.run, runId } };
}

/** The segment of a chain's first run. */
export function segment(
  chainId: string,
  run: ChainRun,
  more: Pick<Parameters<typeof toSegment>[0], 'visibility'> = {},
): Segment {
  const { visibility } = more;
  const { chain } = foldRecordedTurns(run.turns, undefined, computeSha256);
  const made = toSegment({
    namespace,
    server: null,
    chainId,
    run,
    chain,
    headBefore: '',
    ...(visibility ? { visibility } : {}),
  });
  if (made === null) throw new Error('The run has not closed.');
  return made;
}

/** Of a chain that a test played: its first run, or a later one. */
export function playedSegment(
  chainId: string,
  play: Play,
  { startedAt, runId = `run of ${chainId}`, previousRunId = null }: Partial<Played> = {},
): Segment {
  const attempt = { startedAt: null, endedAt: null, worker: null, lastFailure: null };
  const attempts = play.ran.map(
    (id) => [id, { ...attempt, made: 1, scheduledEventId: 1, endedEventId: null }] as const,
  );
  const run: ChainRun = {
    ...{ runId, closed: 'completed', closedAt: play.at, result: toCloseResult(play.state), heads: [] },
    turns: play.turns.map((turn) => ({ ...turn, scheduled: [] })),
    attempts: Object.fromEntries(attempts),
  };
  const made = toSegment({ namespace, server: null, chainId, run, chain: play.chain, headBefore: '' });
  if (made === null) throw new Error('The chain has not started.');
  return { ...made, previousRunId, glance: { ...made.glance, startedAt: startedAt ?? made.glance.startedAt } };
}

interface Played {
  readonly startedAt: number;
  readonly runId: string;
  readonly previousRunId: string | null;
}
