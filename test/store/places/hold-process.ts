/** A process that takes a place, prints a line, and keeps the place until it is killed. */

import { openStore } from '../../../src/store/db/open.js';
import { createFleetPlaces } from '../../../src/store/places/fleet-places.js';

const [where = '', leaseMs = ''] = process.argv.slice(2);
const store = await openStore(where);
const entry = await createFleetPlaces(store, { namespace: 'n', leaseMs: Number(leaseMs) }).join('query');
setInterval(() => void entry.renew(), Number(leaseMs) / 4);
process.stdout.write('held\n');
