/**
 * The connection of a worker to an MCP server: opened when it is needed, opened again after it broke, with growing pauses.
 *
 * M1 Never two at a time: callers that come while it is opened wait for the same one.
 * M2 After `close`, no process and no socket of it is left.
 */

import { shorten, toErrorMessage } from '../../core/lib/index.js';
import type { SourceContext } from '../define/index.js';
import { type McpClient, openMcpClient } from './client.js';
import type { McpSettings } from './options.js';

export interface McpConnection {
  /** Returns the open client, or opens one. @throws where the server cannot be reached: nothing was sent for the caller */
  readonly getClient: () => Promise<McpClient>;
  readonly isOpen: () => boolean;
  /** Ends a client that is no longer of use; the next caller opens another one. */
  readonly drop: (client: McpClient) => void;
  readonly close: () => Promise<void>;
}

/** A connection that breaks sooner counts as a failed attempt. */
const stableMs = 10_000;
const firstPauseMs = 500;
const longestPauseMs = 30_000;

export function createMcpConnection(settings: McpSettings, context: SourceContext): McpConnection {
  const { name } = settings.options;
  let opening: Promise<McpClient> | null = null;
  let current: McpClient | null = null;
  let isClosed = false;
  let failures = 0;
  let notBefore = 0;
  let problem = '';
  /** What still has to end: processes get some seconds to end by themselves. */
  const endings = new Set<Promise<void>>();
  /** Clients that still wait for answers, but get no more requests. */
  const dropped = new Set<McpClient>();

  const track = (ending: Promise<void>) => {
    const tracked: Promise<void> = ending.catch(() => {}).finally(() => endings.delete(tracked));
    endings.add(tracked);
  };

  const noteFailure = (message: string) => {
    failures += 1;
    problem = message;
    // The first is repeated immediately: servers are deployed, and end.
    notBefore = failures === 1 ? 0 : Date.now() + Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 2));
  };

  const noteEnd = (client: McpClient, why: string, openedAt: number) => {
    if (current !== client) return;
    current = null;
    opening = null;
    if (Date.now() - openedAt > stableMs) failures = 0;
    noteFailure(`The connection ended. ${why}`.trim());
    const message = `The connection to the MCP server ${name} ended; it is opened again when it is needed. ${why}`;
    context.log.warn(message.trim());
  };

  const closeDropped = async (client: McpClient): Promise<void> => {
    if (dropped.delete(client)) await client.close();
  };

  const open = async (): Promise<McpClient> => {
    const openedAt = Date.now();
    try {
      const client = await openMcpClient(settings, context, track);
      if (isClosed) {
        track(client.close());
        throw new Error('The worker is stopping.');
      }
      current = client;
      void client.ended.then((why) => noteEnd(client, why, openedAt));
      return client;
    } catch (error) {
      opening = null;
      noteFailure(shorten(toErrorMessage(error), 500));
      throw error;
    }
  };

  return {
    getClient: async () => {
      if (isClosed) throw new Error('The worker is stopping.');
      const retryInMs = notBefore - Date.now();
      if (opening === null && retryInMs > 0)
        throw new Error(`${problem} The next attempt is in ${Math.ceil(retryInMs / 1_000)} s.`);
      opening ??= open();
      return await opening;
    },
    isOpen: () => current !== null,
    drop: (client) => {
      if (current !== client) return;
      current = null;
      opening = null;
      dropped.add(client);
      // Other calls wait for their answers over it.
      track(client.settled().then(() => closeDropped(client)));
    },
    close: async () => {
      isClosed = true;
      const last = await opening?.catch(() => null);
      current = null;
      if (last) track(last.close());
      for (const client of dropped) track(closeDropped(client));
      while (endings.size > 0) await Promise.all(endings);
    },
  };
}
