/** The built-in read-only file tools: list, read and search within one folder. */

import { resolve } from 'node:path';
import { check, LonghandError, projectFolderName } from '../../core/lib/index.js';
import { checkToolRoles, type Tool } from '../define/index.js';
import { findDirectory, walkFiles } from './files/find-files.js';
import { listFiles, readFile, searchText } from './files/read-tools.js';
import { foldName, type Root } from './files/root.js';

export interface FileToolsOptions {
  /** The folder that the agent may read, on the machine of the worker. */
  readonly root: string;
  /**
   * Names of files and folders that the agent may not read, at any depth. Names, not patterns.
   * Replaces the default: `node_modules`, `.git` and `dist`. `.longhand`, with the project's store, is always ignored.
   */
  readonly ignore?: readonly string[];
  /** Roles that may have these tools called. Default: all chains. */
  readonly roles?: readonly string[];
}

const defaultIgnored = ['node_modules', '.git', 'dist'];

/**
 * Creates the tools `list_files`, `read_file` and `search_text` for one folder.
 *
 * The folder is checked when a tool executes: clients import the agent's definition on other machines.
 *
 * @throws {LonghandError} `invalid_options`
 * @example
 * defineAgent({ name: 'reviewer', tools: fileTools({ root: '.' }), … })
 */
export function fileTools(options: FileToolsOptions): readonly Tool[] {
  const root = toRoot('fileTools', options);
  return restrictTools('fileTools', [listFiles(root), readFile(root), searchText(root)], options);
}

/** Yields the paths of the files that `fileTools` see in a folder, in their order. */
export async function* listFilesBelow(folder: string): AsyncGenerator<string> {
  const root = toRoot('fileTools', { root: folder });
  const { signal } = new AbortController();
  for await (const { path } of walkFiles(root, await findDirectory(root, '.', signal), signal)) yield path;
}

type FileToolsFactory = 'fileTools' | 'codeTools' | 'csvQuery' | 'jsonQuery';

/** Returns the tools with the roles that may have them called. @throws {LonghandError} `invalid_options` */
export function restrictTools(
  by: FileToolsFactory,
  tools: readonly Tool[],
  { roles }: FileToolsOptions,
): readonly Tool[] {
  if (roles === undefined) return tools;
  check.assertNoProblem(checkToolRoles(roles, 'roles'), by);
  return tools.map((tool) => ({ ...tool, snapshot: { ...tool.snapshot, roles } }));
}

/** @param by the function named in errors @throws {LonghandError} `invalid_options` */
export function toRoot(by: FileToolsFactory, { root, ignore = defaultIgnored }: FileToolsOptions): Root {
  if (typeof root !== 'string' || root === '') {
    throw new LonghandError('invalid_options', `${by}: root must be a folder, such as '.' for the current one.`);
  }
  const pattern = ignore.find((name) => name === '' || /[\\/*]/.test(name));
  if (pattern !== undefined) {
    throw new LonghandError(
      'invalid_options',
      `${by}: ignore must list names of files and folders, not ${JSON.stringify(pattern)}.`,
    );
  }
  return { path: resolve(root), ignored: new Set([...ignore, projectFolderName].map(foldName)) };
}
