/** A process that prints the texts of a chain until it is killed: `<folder> <chain>`. */

import { createSocketSubscriber } from '../../src/relay/socket-subscriber.js';

const [folder = '', chainId = ''] = process.argv.slice(2);
createSocketSubscriber(folder).subscribe(chainId, ({ text }) => void process.stdout.write(text));
process.stdin.resume().on('end', () => process.exit());
