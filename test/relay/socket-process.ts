/** A process that publishes a text to a chain every 10 ms until it is killed: `<folder> <chain> <text>`. */

import { openSocketPublisher } from '../../src/relay/socket-publisher.js';

const [folder = '', chainId = '', text = ''] = process.argv.slice(2);
const { publish } = await openSocketPublisher(folder);
process.stdout.write('ready\n');
let offset = 0;
setInterval(() => {
  publish({ chainId, runId: 'r', step: 1, call: text, offset, text });
  offset += text.length;
}, 10);
process.stdin.resume().on('end', () => process.exit());
