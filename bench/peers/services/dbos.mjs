/** DBOS: a hand-written loop in a workflow; a database keeps the results of its steps. */

import { DBOS } from '@dbos-inc/dbos-sdk';
import { takeStock } from './loop.mjs';
import { readPlaces, serve } from './serve.mjs';

const { modelUrl, postgresUrl } = readPlaces();

const take = DBOS.registerWorkflow((task) => takeStock(modelUrl, task, (name, work) => DBOS.runStep(work, { name })), {
  name: 'take',
});

DBOS.setConfig({ name: 'stock', systemDatabaseUrl: postgresUrl, logLevel: 'error', runAdminServer: false });
// Also resumes the workflows of a process that died.
await DBOS.launch();

serve({
  run: async (id, task) => {
    const handle = await DBOS.startWorkflow(take, { workflowID: id })(task);
    return typeof (await handle.getResult()) === 'string';
  },
  resume: async (id) => typeof (await DBOS.retrieveWorkflow(id).getResult()) === 'string',
  stop: () => DBOS.shutdown(),
});
