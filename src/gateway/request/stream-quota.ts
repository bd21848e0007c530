/** The open streams of each credential: one client that connects again and again must not take the memory of all. */

import type { Identity } from '../identity/identity.js';
import { GatewayError } from './problems.js';

/** Counts a stream, and returns a function that ends the count. @throws {GatewayError} `too_many_requests` */
export type EnterStream = (identity: Pick<Identity, 'id'>) => () => void;

export interface StreamQuota {
  readonly enter: EnterStream;
  /** Number of open streams of all credentials. */
  readonly count: () => number;
}

export function createStreamQuota(maxStreams: number): StreamQuota {
  const open = new Map<string, number>();
  const enter: EnterStream = ({ id }) => {
    const count = open.get(id) ?? 0;
    if (count >= maxStreams)
      throw new GatewayError('too_many_requests', `This credential has ${count} open streams. Close some of them.`, {
        headers: { 'retry-after': '5' },
      });
    open.set(id, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (open.get(id) ?? 1) - 1;
      if (left === 0) open.delete(id);
      else open.set(id, left);
    };
  };
  return { enter, count: () => [...open.values()].reduce((sum, streams) => sum + streams, 0) };
}
