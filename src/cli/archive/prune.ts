/** `longhand archive prune`: deletes the archived chains that were kept for long enough. */

import { count } from '../../core/lib/display.js';
import { prune } from '../../store/archive/prune.js';
import { retentionFrom } from '../../store/archive/retention.js';
import { blobsFrom } from '../../store/blobs/blobs.js';
import { namespaceOf, withStore } from '../access/with-store.js';
import { UsageError } from '../flags/usage-error.js';
import { jsonLine } from '../terminal/json-line.js';
import type { Terminal } from '../terminal/terminal.js';

export interface PruneFlags {
  readonly atOnce?: boolean;
  readonly json?: boolean;
}

export async function pruneArchive(terminal: Terminal, { atOnce = false, json }: PruneFlags): Promise<number> {
  const retention = retentionFrom(process.env);
  if (atOnce && !process.env.LONGHAND_RETENTION) {
    throw new UsageError(
      '--at-once goes by LONGHAND_RETENTION, which is not set here, and what rules your workers have is not known. Set it to their rules; [] is 90 days for all.',
    );
  }
  return withStore(async (store) => {
    const namespace = namespaceOf({});
    const blobs = blobsFrom(store, process.env);
    const pruned = await prune(store, {
      namespace,
      retention,
      now: Date.now(),
      forget: async (chainId, until) => void (await blobs.delete({ namespace, chainId }, until)),
      ...(atOnce ? { graceMs: 0 } : {}),
    });
    if (json) terminal.write(jsonLine({ pruned }));
    else terminal.write(`${count(pruned)} ${pruned === 1 ? 'chain' : 'chains'} deleted from ${store.place}\n`);
    return 0;
  });
}
