/** Opens the configured server for checks. */

import type { Connection } from '@temporalio/client';
import { type ConnectionSettings, openConnection, readConnectionSettings } from '../../connection/index.js';

export interface OpenedServer extends ConnectionSettings {
  /** For the caller to close. */
  readonly connection: Connection;
}

/** Whether a server is configured, so that no other one replaces it. Invalid settings count as one. */
export function isServerConfigured(env: NodeJS.ProcessEnv): boolean {
  try {
    return readConnectionSettings({}, env).isConfigured;
  } catch {
    return true;
  }
}

/** @throws {LonghandError} as `connect` */
export async function openConfigured(env: NodeJS.ProcessEnv, defaultAddress: string): Promise<OpenedServer> {
  const settings = readConnectionSettings({}, env, defaultAddress);
  return { ...settings, connection: await openConnection(settings) };
}

/** Returns null when the server cannot be used: its own check reports the cause. */
export async function tryOpenConfigured(env: NodeJS.ProcessEnv, defaultAddress: string): Promise<OpenedServer | null> {
  try {
    return await openConfigured(env, defaultAddress);
  } catch {
    return null;
  }
}
