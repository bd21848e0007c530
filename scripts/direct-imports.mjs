/**
 * Declarations without doors: a name is imported from the file that declares it. A door loads its whole room, and a type check of a
 * user's project would parse all declarations of the package for a few types.
 */

import { posix } from 'node:path';

/** `import type { A, type B as C } from './x.js';`, and the same with `export`. */
const statement = /^(import|export)( type)? \{([^}]*)\} from ["'](\.{1,2}\/[^"']+)\.js["'];$/gm;
/** `import("./x.js").A`, which the compiler writes for inferred types. */
const inline = /\bimport\(["'](\.{1,2}\/[^"']+)\.js["']\)\.(\w+)/g;

/** @param files declarations with their texts: `core/lib/index.d.ts` */
export function importDirectly(files) {
  const exported = new Map([...files].map(([name, text]) => [name, listExportedAgain(name, text)]));
  const findSource = (file, name) => {
    const next = exported.get(file)?.get(name);
    return next === undefined ? { file, name } : findSource(next.file, next.name);
  };
  const rewrite = (from, text) =>
    text
      .replace(statement, (_, keyword, isType = '', names, path) => {
        const sources = new Map();
        for (const { name, alias, kind } of parseNames(names)) {
          const source = findSource(resolve(from, path), name);
          const own = source.name === alias ? alias : `${source.name} as ${alias}`;
          sources.set(source.file, [...(sources.get(source.file) ?? []), `${kind}${own}`]);
        }
        const lines = [...sources].map(
          ([file, list]) => `${keyword}${isType} { ${list.join(', ')} } from '${toSpecifier(from, file)}';`,
        );
        return lines.join('\n');
      })
      .replace(inline, (_, path, name) => {
        const source = findSource(resolve(from, path), name);
        return `import("${toSpecifier(from, source.file)}").${source.name}`;
      });
  return new Map([...files].map(([name, text]) => [name, rewrite(name, text)]));
}

/** Returns what a file exports of other files, by name. */
function listExportedAgain(file, text) {
  const statements = [...text.matchAll(statement)].filter(([, keyword]) => keyword === 'export');
  return new Map(
    statements.flatMap(([, , , names, path]) =>
      parseNames(names).map(({ name, alias }) => [alias, { file: resolve(file, path), name }]),
    ),
  );
}

/** @throws for what the statement cannot be parsed for, instead of losing a name */
function parseNames(names) {
  if (!/^[\w\s,]*$/.test(names)) throw new Error(`A declaration imports { ${names} }: only plain names are supported.`);
  return [...names.matchAll(/(type )?(\w+)(?: as (\w+))?/g)].map(([, kind = '', name, alias = name]) => ({
    kind,
    name,
    alias,
  }));
}

function resolve(from, path) {
  return `${posix.join(posix.dirname(from), path)}.d.ts`;
}

function toSpecifier(from, file) {
  const path = posix.relative(posix.dirname(from), file).replace(/\.d\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}
