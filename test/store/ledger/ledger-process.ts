/** A process that reserves, settles, releases and sometimes abandons, at full speed, and prints what it was granted. */

import { openStore } from '../../../src/store/db/open.js';
import { createLedger } from '../../../src/store/ledger/ledger.js';
import { waitUntilReady } from '../../support/store-process.js';

const [where = '', tries = '0'] = process.argv.slice(2);
const store = await openStore(where);
const ledger = createLedger(store);
const spender = { namespace: 'default', tenant: 'acme', agent: 'clerk', model: { name: 'claude', id: 'claude-5' } };
await waitUntilReady();
let used = 0;
let granted = 0;
for (let n = 0; n < Number(tries); n++) {
  const amount = 1 + ((n * 7 + process.pid) % 9);
  const id = `${process.pid}/${n}`;
  const amounts = { tokens: amount, calls: 1 };
  const call = {
    ...spender,
    id,
    ticket: id,
    amounts,
    isPriced: true,
    ttlMs: 900_000,
    rates: [],
    maxWaitMs: 0,
    mayQueue: true,
  };
  const { admission } = await ledger.reserve(call);
  if (admission.kind !== 'reserved') continue;
  if (n % 3 === 0) {
    await ledger.settle(call, { used: {}, isSent: false, retryAfterMs: null });
    continue;
  }
  granted += 1;
  if (n % 3 === 1) {
    await ledger.settle(call, { used: { tokens: 1, calls: 1 }, isSent: true, retryAfterMs: null });
    used += 1;
    // Not settled, as if the process had died.
  } else used += amount;
}
await store.close();
process.stdout.write(JSON.stringify({ used, granted }));
