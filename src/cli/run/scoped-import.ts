/** Imports a user's module in TypeScript or JavaScript. It shares the modules of this package with the command. */

import { randomUUID } from 'node:crypto';
import module, { createRequire, register as registerHook } from 'node:module';
import { pathToFileURL } from 'node:url';
import { register as registerRequire } from 'tsx/cjs/api';
import { register as registerImport } from 'tsx/esm/api';

/**
 * Imports an ES module and its imports through tsx, in a namespace: code outside it is not affected, and two imports of a file
 * are two modules.
 *
 * Longhand's packages and the library of their schemas stay outside the namespace. A copy of them would take tsx longer than all else
 * that a command does at its start, and would have registries of its own.
 */
export async function importScoped(path: string): Promise<unknown> {
  const namespace = randomUUID();
  registerRequire({ namespace });
  const { import: importIn } = registerImport({ namespace });
  // After tsx: the hook that is registered last is called first, and sees what the others return.
  registerSharing(namespace);
  return importIn(pathToFileURL(path).href, import.meta.url);
}

const ownPackages = ['longhand', '@longhand/tools', '@longhand/gateway'];

type Resolve = (specifier: string, context: unknown) => { readonly url: string };

/** Node's hooks in the same thread, which versions before 22.15 lack. */
const { registerHooks } = module as unknown as {
  readonly registerHooks?: (hooks: {
    readonly resolve: (specifier: string, context: unknown, next: Resolve) => ReturnType<Resolve>;
  }) => void;
};

function registerSharing(namespace: string): void {
  const { resolve } = createRequire(import.meta.url);
  const toFolder = (name: string, below: string) => new URL(below, pathToFileURL(resolve(`${name}/package.json`))).href;
  const folders = [...ownPackages.map((name) => toFolder(name, 'dist/')), toFolder('zod', '.')];
  if (registerHooks !== undefined) {
    registerHooks({
      resolve: (specifier, context, next) => {
        const resolution = next(specifier, context);
        return { ...resolution, url: toSharedUrl(resolution.url, namespace, folders) };
      },
    });
    return;
  }
  // Runs in the thread of the loader.
  const hook = `${toSharedUrl}
    export async function resolve(specifier, context, next) {
      const resolution = await next(specifier, context);
      return { ...resolution, url: ${toSharedUrl.name}(resolution.url, ${JSON.stringify(namespace)}, ${JSON.stringify(folders)}) };
    }`;
  registerHook(`data:text/javascript,${encodeURIComponent(hook)}`);
}

/** Removes the namespace from the URL of a module in one of the folders. Uses nothing outside itself: its text is a module. */
function toSharedUrl(url: string, namespace: string, folders: readonly string[]): string {
  const [path = '', query = ''] = url.split('?');
  return query.includes(namespace) && folders.some((folder) => path.startsWith(folder)) ? path : url;
}
