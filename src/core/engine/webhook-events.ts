/**
 * The events of a chain for webhooks. Each is a function of the chain's state, so that the worker that sees it happen and a
 * sweep that finds it later make the same event, with the same id.
 */

import { computeDigest } from '../lib/index.js';
import {
  type ChainState,
  getRootId,
  listDecidingRoles,
  type WebhookEvent,
  type WebhookEventType,
  type WebhookRequest,
} from '../model/index.js';
import type { ChainResult } from './result.js';
import { listWaitingCalls } from './state/due-requests.js';
import { findHolder } from './state/retry-wait.js';

/** When the newest wait of each kind began; null if the chain does not wait. Milliseconds since 1970. */
export interface WaitTimes {
  /** The newest open request, or the pause. */
  readonly waiting: number | null;
  readonly held: number | null;
}

export function findWaitTimes(state: ChainState): WaitTimes {
  if (state.stop !== null) return { waiting: null, held: null };
  const { paused, requeue, failing } = state;
  const requestTimes = listWaitingCalls(state).map(({ request }) => request.requestedAt);
  const times = [...requestTimes, ...(paused === null ? [] : [paused.at])];
  return {
    waiting: times.length === 0 ? null : Math.max(...times),
    held: findHolder(state) === null ? null : (requeue?.since ?? failing?.since ?? null),
  };
}

/** Lists the events of a chain that waits. Empty for any other. */
export function listWaitEvents(state: ChainState): readonly WebhookEvent[] {
  const { waiting, held } = findWaitTimes(state);
  return [
    ...(waiting === null ? [] : [createWaitEvent(state, 'chain-waiting', waiting)]),
    ...(held === null ? [] : [createWaitEvent(state, 'chain-held', held)]),
  ];
}

function createWaitEvent(state: ChainState, type: WebhookEventType, at: number): WebhookEvent {
  const id = computeEventId(type, [state.chainId, state.startedAt, at]);
  return { ...toEventBase(state), id, type, at, outcome: null, reasonCode: null, ...toWaits(state) };
}

/** Returns the id of the end of a run, without reading it: a chain that was reset ends again. */
export function computeEndEventId({ workflowId, runId }: ChainRunId): string {
  return computeEventId('chain-ended', [workflowId, runId]);
}

interface ChainRunId {
  readonly workflowId: string;
  readonly runId: string;
}

/** @param runId the chain's last run */
export function createEndEvent(
  state: ChainState,
  { outcome, reasonCode, endedAt }: Pick<ChainResult, 'outcome' | 'reasonCode' | 'endedAt'>,
  runId: string,
): WebhookEvent {
  const none = { requests: [], paused: false, heldBy: null };
  const id = computeEndEventId({ workflowId: state.chainId, runId });
  return { ...toEventBase(state), id, type: 'chain-ended', at: Date.parse(endedAt), outcome, reasonCode, ...none };
}

/** @param place of the event: equal for every report of it */
function computeEventId(type: WebhookEventType, place: readonly (string | number)[]): string {
  return `${type}-${computeDigest(JSON.stringify(place)).slice(0, 32)}`;
}

function toEventBase(state: ChainState) {
  const { chainId, startedAt, input, agent } = state;
  return {
    ...{ chainId, rootId: getRootId(state), startedAt },
    agent: agent?.name ?? input?.agent ?? '',
    tenant: input?.tenant ?? null,
    user: input?.user ?? null,
  };
}

function toWaits(state: ChainState): Pick<WebhookEvent, 'requests' | 'paused' | 'question' | 'heldBy'> {
  const requests = listWaitingCalls(state).map(
    ({ id, request }): WebhookRequest => ({
      ...{ call: id, kind: request.kind, askedAt: request.requestedAt, expiresAt: request.expiresAt },
      roles: listDecidingRoles(request, state.now),
    }),
  );
  const { paused } = state;
  const question = paused?.question === undefined ? {} : { question: paused.question.reason.code };
  return { requests, paused: paused !== null, ...question, heldBy: findHolder(state) };
}
