/**
 * A worker's side of the local relay: a socket to which followers of the same user connect.
 *
 * A follower sends the id of a chain in one line, and receives the pieces of that chain, one in each line.
 *
 * S1 A follower never slows the worker: writes do not wait. A follower that reads too slowly loses pieces, which it sees by
 *    their offsets. The buffers and the number of followers are bounded.
 */

import { randomBytes } from 'node:crypto';
import { chmod, rename, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TokenPublisher } from '../contract/index.js';
import { formatPiece, parseRequest } from './piece-frame.js';
import { createSocketFolder, createSocketName, removeStaleSockets } from './socket-folder.js';

/** Bytes that wait for one follower. */
const maxBufferedBytes = 256 * 1024;
const maxFollowers = 256;
/** Characters of the line with the chain's id: Temporal's limit of an id, as JSON. */
const maxRequestLength = 8_000;
const requestTimeoutMs = 5_000;

export interface SocketPublisher extends TokenPublisher {
  readonly close: () => Promise<void>;
}

/** Opens a socket in the folder. @throws Error when the folder or the socket cannot be created */
export async function openSocketPublisher(folder: string): Promise<SocketPublisher> {
  await createSocketFolder(folder);
  await removeStaleSockets(folder);
  const followers = new Map<string, Set<Socket>>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.unref();
    socket.on('error', () => {});
    const removeFollower = receiveFollower(socket, followers);
    socket.once('close', () => {
      sockets.delete(socket);
      removeFollower();
    });
  });
  server.maxConnections = maxFollowers;
  // A failed accept concerns one follower, not the worker.
  server.on('error', () => {});
  server.unref();
  const path = join(folder, createSocketName(randomBytes(4).toString('hex')));
  await listen(server, path);
  return {
    publish: (piece) => {
      const own = followers.get(piece.chainId);
      if (own === undefined) return;
      const line = `${formatPiece(piece)}\n`;
      for (const socket of own) if (socket.writableLength < maxBufferedBytes) socket.write(line);
    },
    close: async () => {
      await rm(path, { force: true });
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The socket gets its name when it is ready and has its mode: F1, F2 of its folder. */
async function listen(server: Server, path: string): Promise<void> {
  const early = `${path}.new`;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(early, resolve);
  });
  await chmod(early, 0o600);
  await rename(early, path);
}

/** Reads the chain's id, and adds the follower. @returns a function that removes it */
function receiveFollower(socket: Socket, followers: Map<string, Set<Socket>>): () => void {
  let request = '';
  let chainId: string | null = null;
  const timer = setTimeout(() => socket.destroy(), requestTimeoutMs).unref();
  socket.setEncoding('utf8').on('data', (data: string) => {
    // More lines have no meaning, and are not kept.
    if (chainId !== null) return;
    request += data;
    const end = request.indexOf('\n');
    if (end === -1) {
      if (request.length > maxRequestLength) socket.destroy();
      return;
    }
    clearTimeout(timer);
    chainId = parseRequest(request.slice(0, end));
    request = '';
    if (chainId === null) socket.destroy();
    else followers.set(chainId, (followers.get(chainId) ?? new Set<Socket>()).add(socket));
  });
  return () => {
    clearTimeout(timer);
    if (chainId === null) return;
    const own = followers.get(chainId);
    own?.delete(socket);
    if (own?.size === 0) followers.delete(chainId);
  };
}
