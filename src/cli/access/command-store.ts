/**
 * The store of a command: that of `LONGHAND_STORE`, else a file of the project. Programs have no default store; this one is a
 * person's, who sees where it is made. It is optional: a command runs without it, and reports the reason once.
 */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findSqliteDriver, isStoreConfigured, readStoreUrl } from '../../store/index.js';
import { writeError } from '../terminal/terminal.js';
import { findObstacle, findProjectFolder, makeProjectFolder } from './project-folder.js';

export type CommandStore =
  /** Of `LONGHAND_STORE`. */
  | { readonly kind: 'configured'; readonly where: string }
  /** `LONGHAND_STORE` is `none`. */
  | { readonly kind: 'off' }
  | { readonly kind: 'project'; readonly where: string; readonly folder: string; readonly exists: boolean }
  /** `reason` is a clause. `exists`: there is a file that cannot be used. */
  | { readonly kind: 'unusable'; readonly reason: string; readonly exists: boolean };

/** Finds the store, and makes nothing. @param from a folder in the project */
export async function findCommandStore(env: NodeJS.ProcessEnv, from = process.cwd()): Promise<CommandStore> {
  const located = locateStore(env, from);
  if (located.kind !== 'project') return located;
  const driver = await findSqliteDriver();
  return driver.kind === 'missing' ? { kind: 'unusable', reason: driver.reason, exists: located.exists } : located;
}

function locateStore(env: NodeJS.ProcessEnv, from: string): CommandStore {
  if (isStoreConfigured(env)) {
    const where = readStoreUrl(env);
    return where === null ? { kind: 'off' } : { kind: 'configured', where };
  }
  const folder = findProjectFolder(from, env.HOME || homedir());
  if (folder === null)
    return { kind: 'unusable', reason: `${from} is in no project (package.json or .git)`, exists: false };
  const path = join(folder, 'longhand.db');
  const exists = existsSync(path);
  const reason = findObstacle(folder);
  return reason === null
    ? { kind: 'project', where: `sqlite:${path}`, folder, exists }
    : { kind: 'unusable', reason, exists };
}

/** The store of a command that stores content, and a line for the person; null if there is nothing to report. */
export interface PreparedStore {
  readonly where: string | null;
  readonly notice: string | null;
}

/** Makes the folder of the project's store if it is missing. The store's file is made when it is opened. */
export async function prepareStore(env: NodeJS.ProcessEnv, from?: string): Promise<PreparedStore> {
  const commandStore = await findCommandStore(env, from);
  if (commandStore.kind === 'configured') return { where: commandStore.where, notice: null };
  if (commandStore.kind === 'off') return { where: null, notice: null };
  if (commandStore.kind === 'unusable') return { where: null, notice: formatUnusable(commandStore.reason) };
  const reason = makeProjectFolder(commandStore.folder);
  if (reason !== null) return { where: null, notice: formatUnusable(reason) };
  return { where: commandStore.where, notice: commandStore.exists ? null : formatMade(commandStore.where) };
}

/** Makes the store's folder, and reports where it is made, or why there is no archive. @returns the store's address; null without a store */
export async function prepareReportedStore(report: (line: string) => void): Promise<string | null> {
  const { where, notice } = await prepareStore(process.env);
  if (notice !== null) report(notice);
  return where;
}

let isReported = false;

/** Returns the store of a command that reads; null for none, and where the project has none yet. Makes nothing. */
export async function findStoreUrl(): Promise<string | null> {
  const located = locateStore(process.env, process.cwd());
  if (located.kind === 'configured') return located.where;
  if (located.kind === 'off' || !located.exists) return null;
  const commandStore = await findCommandStore(process.env);
  if (commandStore.kind === 'unusable' && !isReported) {
    isReported = true;
    writeError(`${formatUnusable(commandStore.reason)}\n`);
  }
  return getExistingUrl(commandStore);
}

/** Returns the store's address; null if there is no store, and where the project has none yet. */
export function getExistingUrl(commandStore: CommandStore): string | null {
  if (commandStore.kind === 'configured') return commandStore.where;
  return commandStore.kind === 'project' && commandStore.exists ? commandStore.where : null;
}

function formatMade(where: string): string {
  return `Ended chains are archived with their content in ${where}, which Git ignores. LONGHAND_STORE names another store, or none.`;
}

/** The same text for every command, and for `longhand doctor`. */
export function formatUnusable(reason: string): string {
  return `No archive: ${reason}. Name a store in LONGHAND_STORE, or set it to none to accept this.`;
}
