/** A process that appends to the audit log in an endless series of transactions, and prints its progress. */

import { appendAudit, createOutsideDraft } from '../../../src/store/audit/append.js';
import { openStore } from '../../../src/store/db/open.js';
import { waitUntilReady } from '../../support/store-process.js';

const [where = '', times = ''] = process.argv.slice(2);
const store = await openStore(where);
await waitUntilReady();
for (let at = 0; at < Number(times); at++) {
  const who = { by: `process ${process.pid}`, roles: [] };
  const draft = (tenant: string | null) =>
    createOutsideDraft(
      { namespace: 'default', tenant, who, at },
      { type: 'content_viewed', what: { role: 'auditor', command: 'show' } },
    );
  await store.write((tx) => appendAudit(tx, [draft('acme'), draft(null), draft('acme')]));
  process.stdout.write(`${at}\n`);
}
await store.close();
