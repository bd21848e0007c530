/** One closed run of a chain, as the archive takes it: the run, and what lists and searches know of the chain by then. */

import type { Chain } from '../../core/chain.js';
import type { ChainRun, Closed } from '../../core/chain-file.js';
import { resultOfClosed } from '../../core/closed-result.js';
import { parentOf, rootOf } from '../../core/delegate/lineage.js';
import type { ChainInput } from '../../core/fact.js';
import { wellFormed } from '../../core/json.js';
import type { VisibilityConfig } from '../../core/visibility.js';
import { searchWords } from './search-words.js';

export interface Segment {
  readonly namespace: string;
  readonly chainId: string;
  readonly run: ClosedRun;
  /** Null for a chain's first. */
  readonly previousRunId: string | null;
  /** Facts before it and the head over them, and the same at its end. */
  readonly before: Reached;
  readonly after: Reached;
  readonly glance: Glance;
  readonly words: ReadonlySet<string>;
}

export interface ClosedRun extends ChainRun {
  readonly closed: Closed;
  readonly closedAt: number;
}

export interface Reached {
  readonly facts: number;
  readonly head: string;
}

/** A chain in a row of a list, at the end of the run. */
export interface Glance {
  readonly agent: string;
  readonly model: string;
  readonly tenant: string | null;
  readonly user: string | null;
  /** Of its tree; its own id where it is one. */
  readonly root: string;
  readonly parent: string | null;
  /** Null where it went on in another run. */
  readonly outcome: string | null;
  /** With the beginning of its task, and without what it carried of another chain. */
  readonly input: ChainInput | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number | null;
}

export interface SegmentSource {
  readonly namespace: string;
  readonly chainId: string;
  readonly run: ChainRun;
  /** At the run's end; its steps may be those of this run alone. */
  readonly chain: Chain;
  /** Head over the facts of the runs before; empty for a chain's first. */
  readonly headBefore: string;
  /** What the runs before have found to be sensitive. */
  readonly hidden?: readonly string[];
  readonly visibility?: VisibilityConfig;
}

/** Null for a run that has not closed, or in which no chain had begun. */
export function segmentOf({ namespace, chainId, run, chain, headBefore, ...view }: SegmentSource): Segment | null {
  const { closed, closedAt } = run;
  const { state } = chain;
  if (closed === null || closedAt === null || state.input === null) return null;
  const [first] = run.turns[0]?.facts ?? [];
  const over = closed !== 'continuedAsNew';
  return {
    namespace,
    chainId,
    run: { ...run, closed, closedAt },
    previousRunId: first?.type === 'continued' ? first.runId : null,
    before: { facts: state.run?.facts ?? 0, head: headBefore },
    after: { facts: state.facts, head: state.head },
    glance: {
      agent: state.input.agent,
      model: state.agent?.model.name ?? state.input.model ?? '',
      tenant: state.input.tenant,
      user: state.input.user,
      root: rootOf({ chainId, input: state.input }),
      parent: parentOf(state)?.chainId ?? null,
      outcome: over ? resultOfClosed({ chain, closed, closedAt }).outcome : null,
      input: listedInput(state.input),
      startedAt: state.startedAt,
      steps: state.steps,
      tokens: state.spent.tokens,
      costUsd: state.spent.usd,
    },
    words: searchWords({ run, chain, ...view }),
  };
}

/** Characters of a task that lists know. */
const longestTask = 4_000;

function listedInput({ origin: _, plan: __, ...input }: ChainInput): ChainInput {
  const { task } = input;
  // The cut may go through a surrogate pair.
  return { ...input, task: task.length <= longestTask ? task : `${wellFormed(task.slice(0, longestTask))}…` };
}
