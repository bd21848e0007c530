/** The hubs of a gateway: a follower gets the hub of its chain and view, or opens it. */

import { type ChainSource, listRunIds } from '../../client/index.js';
import type { Format } from './frame.js';
import { Hub, type HubChain } from './hub.js';

export interface HubRequest {
  /** Equal for followers that may share a hub. */
  readonly key: string;
  readonly source: ChainSource;
  readonly chain: HubChain;
  readonly format: Format;
}

export interface HubsOptions {
  /** Bytes of the logs of all hubs. */
  readonly maxBytes: number;
  /** Bytes of one log. */
  readonly maxLogBytes: number;
  readonly lingerMs: number;
}

/** With many hubs, each log may still have so many bytes. */
const minLogBytes = 65_536;

export class Hubs {
  private readonly hubs = new Map<string, Hub>();

  constructor(private readonly options: HubsOptions) {}

  /** Returns a hub that the caller has entered, and leaves. */
  async enter({ key, source, chain, format }: HubRequest): Promise<Hub> {
    for (;;) {
      const open = this.hubs.get(key);
      if (open === undefined) return this.open(key, chain, format);
      open.enter();
      const isSame = await isOfChain(open, source).catch((error: unknown) => {
        open.leave();
        throw error;
      });
      if (isSame) return open;
      open.leave();
      // The chain id was used again, or the chain was reset: the hub is that of another history.
      if (this.hubs.get(key) === open) this.hubs.delete(key);
    }
  }

  stop(): void {
    for (const hub of [...this.hubs.values()]) hub.stop();
  }

  private open(key: string, chain: HubChain, format: Format): Hub {
    const { maxBytes, maxLogBytes, lingerMs } = this.options;
    const hub: Hub = new Hub(chain, {
      format,
      lingerMs,
      getLogLimit: () => Math.max(minLogBytes, Math.min(maxLogBytes, maxBytes / this.hubs.size)),
      onStopped: () => {
        if (this.hubs.get(key) === hub) this.hubs.delete(key);
      },
    });
    hub.enter();
    this.hubs.set(key, hub);
    // The share of each is smaller now, also of those whose chains wait.
    for (const { log } of this.hubs.values()) log.evict();
    return hub;
  }
}

/** A hub may be ahead of the source, or not yet have an event of its newest run. */
async function isOfChain({ lastRunId, log }: Hub, source: ChainSource): Promise<boolean> {
  const { runId } = source;
  if (runId === lastRunId || log.hasRun(runId)) return true;
  return (await listRunIds(source)).includes(lastRunId);
}
