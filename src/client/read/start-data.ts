/** The start of a chain that no worker has taken: its input is in the first event of its history only. */

import { fromContinuation, isContinuation } from '../../core/engine/index.js';
import { isObject } from '../../core/lib/index.js';
import type { Chain, ChainInput } from '../../core/model/index.js';
import { type HistoryEvent, interpretEvent } from '../../history/index.js';
import type { ChainSource } from './chain-source.js';

export interface StartData {
  readonly input: ChainInput | null;
  /** Set when this run continues an earlier one; otherwise the run's own start time holds. */
  readonly startedAt?: number;
}

/** Reads the chain's input from the first event of a run; null input when this client did not write it. */
export async function readStartData(source: ChainSource): Promise<StartData> {
  const { service, namespace, chainId, runId } = source;
  const { history } = await service.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId: chainId, runId },
    maximumPageSize: 1,
  });
  return parseStartData(history?.events?.[0], source);
}

async function parseStartData(
  first: HistoryEvent | undefined,
  { converter }: Pick<ChainSource, 'converter'>,
): Promise<StartData> {
  const meaning = await interpretEvent(first ?? {}, converter);
  if (meaning.type !== 'started') return { input: null };
  if (isContinuation(meaning.input)) {
    const { input, startedAt } = fromContinuation(meaning.input);
    return { input, startedAt };
  }
  const { input } = meaning;
  return { input: isObject(input) && typeof input.task === 'string' ? input : null };
}

/** Adds id and input to a chain whose first workflow task is not complete: readers show its agent and its task. */
export async function addStartData(
  chain: Chain,
  source: ChainSource,
  first?: HistoryEvent | undefined,
): Promise<Chain> {
  const { chainId } = source;
  if (chain.state.input !== null) return chain;
  const { input } = first === undefined ? await readStartData(source) : await parseStartData(first, source);
  return { ...chain, state: { ...chain.state, chainId, input } };
}
