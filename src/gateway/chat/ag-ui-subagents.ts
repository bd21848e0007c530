/** Sub-chains as subagents of AG-UI: each begins and ends once in a run, and a run ends without open ones. */

import type { ChildStatus } from '../../core/view/index.js';
import type { AgUiEvent } from './ag-ui-event.js';
import { formatCallId } from './chat-ids.js';

export interface Subagents {
  readonly change: (child: ChildStatus) => readonly AgUiEvent[];
  /** The run ends, and its subagents continue in the next one. */
  readonly suspend: () => readonly AgUiEvent[];
  /** The run ends for good. */
  readonly abandon: () => readonly AgUiEvent[];
  /** Starts the open ones in another run. */
  readonly startAgain: () => readonly AgUiEvent[];
}

export function createSubagents(chainId: string): Subagents {
  const open = new Map<string, ChildStatus>();
  const startedIds = new Set<string>();

  const start = (child: ChildStatus): AgUiEvent => {
    const parent = child.path.at(-2) ?? chainId;
    return {
      type: 'SUBAGENT_STARTED',
      subagentRunId: child.chainId,
      name: child.agent,
      ...(parent === chainId ? { parentToolCallId: formatCallId(chainId, child.call) } : {}),
      ...(parent !== chainId && startedIds.has(parent) ? { parentSubagentRunId: parent } : {}),
    };
  };
  const endAll = (toEvent: (child: ChildStatus) => AgUiEvent) => [...open.values()].reverse().map(toEvent);

  return {
    change: (child) => {
      const isNew = !startedIds.has(child.chainId);
      // It is reported again when more is known about its end.
      if (!isNew && !open.has(child.chainId)) return [];
      startedIds.add(child.chainId);
      open.set(child.chainId, child);
      const end = toEnd(child);
      if (end !== null) open.delete(child.chainId);
      return [...(isNew ? [start(child)] : []), ...(end === null ? [] : [end])];
    },
    suspend: () =>
      endAll((child) => ({
        type: 'SUBAGENT_FINISHED',
        subagentRunId: child.chainId,
        outcome: { type: 'suspended' },
      })),
    abandon: () => {
      const events = endAll(({ chainId: id }) => toError(id, 'abandoned'));
      open.clear();
      return events;
    },
    startAgain: () => [...open.values()].map(start),
  };
}

function toEnd({ chainId, state, outcome }: ChildStatus): AgUiEvent | null {
  switch (state) {
    case 'completed':
      return { type: 'SUBAGENT_FINISHED', subagentRunId: chainId, outcome: { type: 'success' } };
    case 'failed':
      return toError(chainId, outcome ?? 'failure');
    case 'abandoned':
    case 'not_started':
      return toError(chainId, state);
    default:
      return null;
  }
}

function toError(chainId: string, code: string): AgUiEvent {
  return { type: 'SUBAGENT_ERROR', subagentRunId: chainId, message: `The sub-chain ended as ${code}.`, code };
}
