/**
 * A follower's side of the local relay: connects to the sockets of all workers of the namespace, also of those that start
 * later. A worker that ends is not an error: another one continues the chain.
 */

import { connect, type Socket } from 'node:net';
import type { LivePiece, TokenSubscriber } from '../contract/index.js';
import { formatRequest, parsePiece } from './piece-frame.js';
import { listSockets } from './socket-folder.js';

/** Time between searches for new workers. */
const searchIntervalMs = 250;
/** Characters of one piece; a provider sends some hundreds. */
const maxLineLength = 4_000_000;

export function createSocketSubscriber(folder: string): TokenSubscriber {
  return {
    subscribe: (chainId, listener) => {
      const connections = new Map<string, Socket>();
      let isOpen = true;
      const search = async () => {
        for (const path of await listSockets(folder)) {
          if (!isOpen || connections.has(path)) continue;
          const socket = receivePieces(path, chainId, listener);
          connections.set(path, socket);
          socket.once('close', () => connections.delete(path));
        }
      };
      void search();
      const timer = setInterval(() => void search(), searchIntervalMs).unref();
      return () => {
        isOpen = false;
        clearInterval(timer);
        for (const socket of connections.values()) socket.destroy();
      };
    },
  };
}

function receivePieces(path: string, chainId: string, listener: (piece: LivePiece) => void): Socket {
  const socket = connect(path);
  // The history keeps a follower's process running, not its tokens.
  socket.unref();
  // A socket of a killed worker refuses; the next worker removes it.
  socket.on('error', () => {});
  socket.write(formatRequest(chainId));
  let rest = '';
  socket.setEncoding('utf8').on('data', (data: string) => {
    const lines = (rest + data).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineLength) socket.destroy();
    for (const line of lines) {
      const piece = socket.destroyed ? null : parsePiece(line, chainId);
      if (piece !== null) listener(piece);
    }
  });
  return socket;
}
