/** A process that prints the texts of a chain until it is killed: `<folder> <chain>`. */

import { isInterimPiece } from '../../src/contract/tokens.js';
import { createSocketSubscriber } from '../../src/relay/socket-subscriber.js';

const [folder = '', chainId = ''] = process.argv.slice(2);
createSocketSubscriber(folder).subscribe(chainId, (piece) => {
  if (!isInterimPiece(piece)) process.stdout.write(piece.text);
});
process.stdin.resume().on('end', () => process.exit());
