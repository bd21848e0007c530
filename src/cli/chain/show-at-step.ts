/** `longhand chain at`: shows a chain as it was when a step was complete. */

import type { RecordedChain } from '../../client/read/recorded-chain.js';
import { foldRecordedTurns } from '../../core/engine/fold-turns.js';
import { findOriginTurns } from '../../core/engine/recorded-turn.js';
import { LonghandError } from '../../core/lib/errors.js';
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
    const truncated = truncateAtStep(recorded, number);
    const chain = seen.viewRecorded(truncated);
    if (flags.json) {
      terminal.write(formatJson(chain));
      return 0;
    }
    if (truncated.chainId !== recorded.chainId) {
      terminal.report(
        `Step ${number} belongs to ${toOneLine(truncated.chainId)}, the origin of ${toOneLine(recorded.chainId)}.`,
      );
    }
    terminal.write(formatChainTree(truncated, chain, noFilter, { ...terminal, now: truncated.chain.state.now, named }));
    return 0;
  });
}

const noFilter = { kinds: null, since: null, search: null, last: null };

/**
 * Returns the chain after the turn that completed a step, before the next model call. For a step that a fork took over,
 * returns its origin at that step, as far as the fork carries it.
 *
 * @throws LonghandError call_not_found
 */
export function truncateAtStep(recorded: RecordedChain, number: number): RecordedChain {
  const { steps, state } = recorded.chain;
  if (number > steps.length) {
    const there = steps.length === 0 ? 'it has none yet' : `it has steps 1 to ${steps.length}`;
    throw new LonghandError('call_not_found', `The chain has no step ${number}: ${there}.`);
  }
  if (state.origin !== null && number < state.origin.steps) return truncateAtStep(toCarriedChain(recorded), number);
  // The first steps of a fork are complete before its agent is known.
  const complete = recorded.turns.findIndex(
    ({ state: after }) => countCompleteSteps(after) >= number && after.agent !== null,
  );
  // No such turn: the chain was terminated before the step was complete.
  if (complete === -1 || complete === recorded.turns.length - 1) return recorded;
  const { chain, turns } = foldRecordedTurns(recorded.turns.slice(0, complete + 1));
  return { ...recorded, chain, turns, closed: null, closedAt: null };
}

/** Returns the origin as far as a fork carries it: only its facts. */
function toCarriedChain(fork: RecordedChain): RecordedChain {
  const { chain, turns } = foldRecordedTurns(findOriginTurns(fork.turns) ?? []);
  const absent = { runId: '', heads: [], attempts: new Map(), runs: [], events: null };
  // The id is that of the facts: a fork of a fork may carry only steps of the first chain.
  return { chainId: chain.state.chainId, chain, turns, closed: null, closedAt: null, ...absent };
}
