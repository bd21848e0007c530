/** A process that reserves, settles, releases and sometimes abandons, at full speed, and prints what it was granted. */

import { openStore } from '../../../src/store/db/open.js';
import { createLedger } from '../../../src/store/ledger/ledger.js';
import { waitUntilReady } from '../../support/store-process.js';

const [where = '', tries = '0'] = process.argv.slice(2);
const store = await openStore(where);
const ledger = createLedger(store);
await waitUntilReady();
let used = 0;
let granted = 0;
for (let n = 0; n < Number(tries); n++) {
  const amount = 1 + ((n * 7 + process.pid) % 9);
  const request = { scope: { namespace: 'default', tenant: 'acme' }, window: 'month' } as const;
  const reserved = await ledger.reserve({ ...request, amounts: { tokens: amount, calls: 1 }, limits: { tokens: 300 } });
  if (reserved.kind === 'rejected') continue;
  granted++;
  if (n % 3 === 0) await ledger.release(reserved.id);
  else if (n % 3 === 1) {
    await ledger.settle(reserved.id, { tokens: 1, calls: 1 });
    used += 1;
    // Not settled, as if the process had died.
  } else used += amount;
}
await store.close();
process.stdout.write(JSON.stringify({ used, granted }));
