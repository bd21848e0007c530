/** `longhand archive sweep` and `prune`: do immediately what workers do every few minutes. */

import { createMetadataClient } from '../../client/index.js';
import { formatCount, formatPlural, LonghandError } from '../../core/lib/index.js';
import { openConfiguredBlobs, pruneChains, readRetention } from '../../store/index.js';
import { createForget, createStoreArchive, sweep } from '../../worker/index.js';
import { readVisibilityConfig, type ViewFlags } from '../access/chain-viewer.js';
import { getNamespace, readServerId, withServer, withStore, withWrittenStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface SweepFlags extends Pick<ViewFlags, 'visibility'> {
  readonly json?: boolean;
}

/** Archives all closed runs that the server still has. @returns 1 when a run could not be archived */
export async function sweepArchive(terminal: Terminal, { json, ...flags }: SweepFlags): Promise<number> {
  const visibility = flags.visibility === undefined ? {} : readVisibilityConfig(flags.visibility);
  return withWrittenStore((store) =>
    withServer(async (connect) => {
      const { client } = await connect();
      const { workflow, workflowService, options } = client;
      const { namespace } = options;
      const { loadedDataConverter: converter } = workflow.options;
      const { archive, forget } = createStoreArchive({
        ...{ store, namespace, converter, visibility },
        server: await readServerId(client),
      });
      const swept = await sweep({
        archive,
        history: { service: workflowService, namespace },
        list: (query) => createMetadataClient(client).list({ query, pageSize: 100 }),
        forget,
        all: true,
        onRun: (chainId, result) => {
          if (result instanceof Error) terminal.report(`${chainId}: ${result.message}`);
        },
      });
      if (swept === null) throw new LonghandError('sweep_running', 'Another sweep is running. Try again later.');
      const { archived, alreadyArchived, failed, pruned } = swept;
      if (json) terminal.write(formatJson({ archived, alreadyArchived, failed, pruned, store: store.location }));
      else {
        terminal.write(`${formatPlural(archived, 'run')} archived in ${store.location}\n`);
        terminal.report(
          `${formatCount(alreadyArchived)} were already archived, ${formatCount(failed.length)} could not be.`,
        );
        if (pruned > 0) terminal.report(`${formatCount(pruned)} chains past their retention were deleted.`);
      }
      return failed.length === 0 ? 0 : 1;
    }),
  );
}

export interface PruneFlags {
  readonly atOnce?: boolean;
  readonly json?: boolean;
}

/** Deletes the archived chains whose retention has ended. */
export async function pruneArchive(terminal: Terminal, { atOnce = false, json }: PruneFlags): Promise<number> {
  const retention = readRetention(process.env);
  if (atOnce && !process.env.LONGHAND_RETENTION) {
    throw new UsageError(
      '--at-once needs LONGHAND_RETENTION, which is not set here. Set it to the rules of your workers; [] keeps all chains for 90 days.',
    );
  }
  return withStore(async (store) => {
    const namespace = getNamespace();
    const pruned = await pruneChains(store, {
      namespace,
      retention,
      now: Date.now(),
      forget: createForget(store, namespace, openConfiguredBlobs(store, process.env)),
      ...(atOnce ? { graceMs: 0 } : {}),
    });
    if (json) terminal.write(formatJson({ pruned }));
    else terminal.write(`${formatPlural(pruned, 'chain')} deleted from ${store.location}\n`);
    return 0;
  });
}
