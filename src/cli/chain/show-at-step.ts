/** `longhand chain at`: a chain as it stood when a step was complete. */

import type { RecordedChain } from '../../client/read/recorded-chain.js';
import { foldRecordedTurns } from '../../core/engine/fold-turns.js';
import { findOriginTurns } from '../../core/engine/recorded-turn.js';
import { toOneLine } from '../../core/lib/plain-text.js';
import { countCompleteSteps } from '../../core/state/flight.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { parseWholeNumber } from '../flags/values.js';
import { formatChainTree } from '../print/tree.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export async function showChainAt(
  terminal: Terminal,
  named: string,
  step: string,
  flags: ViewFlags & { readonly json?: boolean },
): Promise<number> {
  const number = parseWholeNumber('<step>', step);
  const seen = createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(named, connect);
    await recordView({ role: seen.role, command: 'chain at', named }, [toViewedChain(recorded)]);
    const then = truncateAtStep(recorded, number);
    const chain = seen.viewRecorded(then);
    if (flags.json) {
      terminal.write(formatJson(chain));
      return 0;
    }
    if (then.chainId !== recorded.chainId) {
      terminal.report(
        `Step ${number} is one of ${toOneLine(then.chainId)}, which ${toOneLine(recorded.chainId)} was forked off.`,
      );
    }
    terminal.write(formatChainTree(then, chain, noFilter, { ...terminal, now: then.chain.state.now, named }));
    return 0;
  });
}

const noFilter = { kinds: null, since: null, search: null, last: null };

/**
 * The chain after the workflow task in which the last of the step's calls was settled: before the model was heard again.
 * Of a step that a fork began with, its origin as it stood then: the fork carries it.
 *
 * @throws Error when it has no such step
 */
export function truncateAtStep(recorded: RecordedChain, number: number): RecordedChain {
  const { steps, state } = recorded.chain;
  if (number > steps.length) {
    const there = steps.length === 0 ? 'it has none yet' : `it has steps 1 to ${steps.length}`;
    throw new Error(`The chain has no step ${number}: ${there}.`);
  }
  if (state.origin !== null && number < state.origin.steps) return truncateAtStep(toCarriedChain(recorded), number);
  // A fork has its first steps before it knows its agent.
  const complete = recorded.turns.findIndex(
    ({ state: then }) => countCompleteSteps(then) >= number && then.agent !== null,
  );
  // A chain that was ended from outside never got that far: then this is all there is.
  if (complete === -1 || complete === recorded.turns.length - 1) return recorded;
  const { chain, turns } = foldRecordedTurns(recorded.turns.slice(0, complete + 1));
  return { ...recorded, chain, turns, closed: null, closedAt: null };
}

/** As much of its origin as a fork carries: the facts, and nothing that lies beside them. */
function toCarriedChain(fork: RecordedChain): RecordedChain {
  const { chain, turns } = foldRecordedTurns(findOriginTurns(fork.turns) ?? []);
  const beside = { runId: '', heads: [], attempts: new Map(), runs: [], events: null };
  // Not the id that the fork was made of: a fork of a fork may carry the steps of the first chain alone.
  return { chainId: chain.state.chainId, chain, turns, closed: null, closedAt: null, ...beside };
}
