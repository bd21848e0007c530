/**
 * Keeps two workflow tasks apart for who replays them. The SDK takes a task that asked for nothing, behind another such
 * one and directly before the next, for a sign of life: on replay, what it delivered comes with the next task, at another
 * time (`find_end_index_of_next_wft_seq` in the SDK's core). An update that somebody sends is such a next one.
 *
 * L1: so each turn leaves a command in the history, if only this one, which changes nothing and costs one small event.
 */

import { upsertMemo } from '@temporalio/workflow';
import type { Action } from '../core/model/action.js';

/** @param actions what the turn asks for; telling what runs to stop may come to nothing */
export function keepApart(actions: readonly Action[]): void {
  if (actions.every(({ type }) => type === 'interrupt')) upsertMemo({ LonghandTurn: null });
}
