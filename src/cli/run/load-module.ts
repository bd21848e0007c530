/** Loads a TypeScript or JavaScript module of the user. An error while it is loaded is reported with file, line and stack. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { require as requireModule } from 'tsx/cjs/api';
import { toErrorMessage } from '../../core/lib/index.js';
import { UsageError } from '../flags/usage-error.js';
import { formatStack, maskErrorText } from '../terminal/error-text.js';
import { importScoped } from './scoped-import.js';

/**
 * Imports a module and returns its exports by name.
 *
 * @throws {UsageError} if the module is missing or does not load
 */
export async function loadModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`Module ${file} not found. Write the path of an existing file.`);
  if (stats.isDirectory())
    throw new UsageError(`${file} is a folder. Write the path of the file that exports the agents.`);
  try {
    return (await importModule(resolve(file))) as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`Module ${file} does not load: ${formatLoadError(error)}`, { cause: error });
  }
}

/** A CommonJS module is required: an imported one would have a `data:` address instead of its file and its lines. */
async function importModule(path: string): Promise<unknown> {
  return isCommonJs(path) ? requireModule(path, import.meta.url) : importScoped(path);
}

/** By the rules of Node: the extension decides, else the nearest package. */
function isCommonJs(path: string): boolean {
  const extension = extname(path);
  if (/^\.[cm]/.test(extension)) return extension.startsWith('.c');
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) return !/"type"\s*:\s*"module"/.test(readFileSync(manifest, 'utf8'));
    if (dirname(folder) === folder) return true;
  }
}

/** Formats the message in one line, since that of a syntax error has several, and below it where the error was thrown. */
function formatLoadError(error: unknown): string {
  const message = maskErrorText(toErrorMessage(error)).replace(/\s+/g, ' ').replaceAll(loaderPart, '').trim();
  // A syntax error: its place is in its message.
  if (error instanceof Error && error.name === 'TransformError') return message;
  const name = error instanceof Error && !plainNames.has(error.name) ? `${error.name}: ` : '';
  return `${name}${message}${formatStack(error, { until: ownFrame, isShown: (frame) => !loaderFrame.test(frame) })}`;
}

/** Names of errors that add nothing to the message. */
const plainNames: ReadonlySet<string> = new Set(['Error', 'LonghandError']);

export const ownFrame = /[\\/](?:cli[\\/]run[\\/]load-module\.ts|chunks[\\/]load-module-[\w-]+\.js)/;

const loaderFrame = /node:internal|[\\/]node_modules[\\/](?:tsx|esbuild)[\\/]/;

/** The query that the loader adds to the path of a module, and the loader where a message lists who required it. */
const loaderPart = /\?namespace=[\w-]+| - \S*[\\/]node_modules[\\/]tsx[\\/]\S*/g;
