/** `longhand archive sweep`: what a worker does every few minutes, at once, and for all that the server still has. */

import { glancing } from '../../client/read/glancing.js';
import { count } from '../../core/lib/display.js';
import { archiveOf } from '../../worker/archive-of.js';
import { sweep } from '../../worker/sweep.js';
import { withServer } from '../access/open.js';
import { type ViewFlags, viewing } from '../access/viewed.js';
import { withStore } from '../access/with-store.js';
import { jsonLine } from '../terminal/json-line.js';
import type { Terminal } from '../terminal/terminal.js';

export interface SweepFlags extends Pick<ViewFlags, 'visibility'> {
  readonly json?: boolean;
}

/** @returns 1 when a run could not be archived */
export async function sweepAll(terminal: Terminal, { json, ...flags }: SweepFlags): Promise<number> {
  const { config: visibility } = viewing(flags);
  return withStore((store) =>
    withServer(async (connect) => {
      const { client } = await connect();
      const { workflow, workflowService, options } = client;
      const { namespace } = options;
      const { loadedDataConverter: converter } = workflow.options;
      const { archive, forget } = archiveOf({ store, namespace, converter, visibility });
      const swept = await sweep({
        archive,
        history: { service: workflowService, namespace },
        list: (query) => glancing(client).list({ query, pageSize: 100 }),
        forget,
        whole: true,
        onRun: (chainId, came) => {
          if (came instanceof Error) terminal.say(`${chainId}: ${came.message}`);
        },
      });
      if (swept === null) throw new Error('Another sweep is under way.');
      const { archived, there, failed, pruned } = swept;
      if (json) terminal.write(jsonLine({ archived, there, failed, pruned, store: store.place }));
      else {
        terminal.write(`${count(archived)} ${archived === 1 ? 'run' : 'runs'} archived in ${store.place}\n`);
        terminal.say(`${count(there)} were there, ${count(failed.length)} could not be archived.`);
        if (pruned > 0) terminal.say(`${count(pruned)} chains had been kept for long enough, and are gone.`);
      }
      return failed.length === 0 ? 0 : 1;
    }),
  );
}
