/** The built-in tools that let an agent look at files: list, read, search. They change nothing and never leave their folder. */

import { resolve } from 'node:path';
import type { Tool } from '../define/define-tool.js';
import { listFiles, readFile, searchText } from './files/read-tools.js';
import { foldName, type Root } from './files/root.js';

export interface FileToolsOptions {
  /** The folder that the agent may read, on the machine of the worker. */
  readonly root: string;
  /**
   * Names of files and folders that it may not read, wherever they lie below the root. Names, not patterns.
   * Default `node_modules`, `.git` and `dist`, which it takes the place of.
   */
  readonly ignore?: readonly string[];
}

const defaultIgnored = ['node_modules', '.git', 'dist'];

/**
 * The tools `list_files`, `read_file` and `search_text` over one folder.
 *
 * Whether the folder exists is asked when they run: clients import an agent's definition too, elsewhere.
 *
 * @throws {TypeError} saying what to write instead
 * @example
 * defineAgent({ name: 'reviewer', tools: fileTools({ root: '.' }), … })
 */
export function fileTools(options: FileToolsOptions): readonly Tool[] {
  const root = toRoot('fileTools', options);
  return [listFiles(root), readFile(root), searchText(root)];
}

/** @throws {TypeError} in the name of those whose options they are */
export function toRoot(by: 'fileTools' | 'codeTools', { root, ignore = defaultIgnored }: FileToolsOptions): Root {
  if (typeof root !== 'string' || root === '') {
    throw new TypeError(`${by}: write the folder that the agent may work in as \`root\`, '.' for the current one.`);
  }
  const pattern = ignore.find((name) => name === '' || /[\\/*]/.test(name));
  if (pattern !== undefined) {
    throw new TypeError(`${by}: \`ignore\` takes names of files and folders, not ${JSON.stringify(pattern)}.`);
  }
  return { path: resolve(root), ignored: new Set(ignore.map(foldName)) };
}
