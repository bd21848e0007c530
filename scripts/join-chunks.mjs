/**
 * Fewer files: joins chunks of a bundle where that makes imports cheaper. One more file costs an import as much as 14 KB of code, and
 * without this an entry has up to fifty.
 */

/** Bytes of code that cost as much CPU time as one more file, with Node 20. */
const fileCost = 14_000;

/** Weight of a file that is loaded with its first use, beside that of an entry. */
const dynamicWeight = 0.2;

/**
 * Returns the name of its file for each module that is in no entry's own. No entry loads another package, or another file, because of it.
 *
 * @param chunks output of a build in which each chunk has the modules of the same users
 * @param exact entries that a join must not make larger, because bundlers for browsers keep what a module runs when it is loaded
 * @param mayJoin whether two chunks may be one file: by their packages, for example
 */
export function joinChunks(chunks, exact, mayJoin) {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, toFile(chunk)]));
  for (const { fileName, isEntry, isDynamicEntry } of chunks) {
    if (!isEntry && !isDynamicEntry) continue;
    for (const name of listReached(byName, fileName)) {
      byName.get(name)?.users.set(fileName, isEntry ? 1 : dynamicWeight);
    }
  }
  const pairs = [];
  const addPairs = (file, others) => {
    for (const other of others) {
      const isExact = exact.every((entry) => file.users.has(entry) === other.users.has(entry));
      const gain = isExact && mayJoin(file.chunks[0], other.chunks[0]) ? computeGain(file, other) : 0;
      if (gain > 0) pairs.push({ file, other, gain });
    }
    pairs.sort((pair, next) => next.gain - pair.gain);
  };
  const shared = [...byName.values()].filter(({ chunks: [chunk] }) => !chunk.isEntry && !chunk.isDynamicEntry);
  for (const [index, file] of shared.entries()) addPairs(file, shared.slice(index + 1));
  const current = new Set(shared);
  for (;;) {
    const index = pairs.findIndex(
      (pair) => current.has(pair.file) && current.has(pair.other) && isJoinable(byName, pair),
    );
    if (index === -1) break;
    const [{ file, other }] = pairs.splice(index, 1);
    const joined = join(byName, file, other);
    current.delete(file);
    current.delete(other);
    addPairs(joined, current);
    current.add(joined);
  }
  // The others keep their file: without a name, the bundler would assign their modules again.
  const files = [...current, ...chunks.filter(({ isDynamicEntry, isEntry }) => isDynamicEntry && !isEntry).map(toFile)];
  return new Map(files.flatMap(({ chunks }, index) => nameModules(chunks, index)));
}

function toFile(chunk) {
  return {
    name: chunk.fileName,
    chunks: [chunk],
    bytes: chunk.code.length,
    imports: new Set(chunk.imports),
    users: new Map(),
  };
}

/** The name of the largest chunk; the number makes it the name of one file. */
function nameModules(chunks, index) {
  const largest = chunks.reduce((most, chunk) => (chunk.code.length > most.code.length ? chunk : most));
  return chunks.flatMap(({ moduleIds }) => moduleIds.map((id) => [id, `${largest.name}-${index}`]));
}

/** Lists a file, and the files and packages that it imports, directly or not. */
function listReached(files, name) {
  const reached = new Set([name]);
  for (const each of reached) for (const other of files.get(each)?.imports ?? []) reached.add(other);
  return reached;
}

/** Bytes that all users together save when two files are one. */
function computeGain(file, other) {
  let gain = 0;
  for (const [user, weight] of file.users) gain += weight * (other.users.has(user) ? fileCost : -other.bytes);
  for (const [user, weight] of other.users) if (!file.users.has(user)) gain -= weight * file.bytes;
  return gain;
}

function isJoinable(files, { file, other }) {
  return [
    [file, other],
    [other, file],
  ].every(([one, two]) => !isBetween(files, one, two) && addsNothing(files, one, two));
}

/** Whether a third file is on a path of imports from one file to another: joined, they would import each other. */
function isBetween(files, file, other) {
  return [...file.imports].some((name) => name !== other.name && listReached(files, name).has(other.name));
}

/** Whether the users of a file load all that another one imports. */
function addsNothing(files, file, other) {
  const needed = [...listReached(files, other.name)].filter((name) => name !== other.name);
  return [...file.users.keys()].every((user) => {
    if (other.users.has(user)) return true;
    const reached = listReached(files, user);
    return needed.every((name) => reached.has(name));
  });
}

/** Replaces two files by one, which has the name of the first. */
function join(files, file, other) {
  for (const each of files.values()) if (each.imports.delete(other.name)) each.imports.add(file.name);
  const imports = new Set([...file.imports, ...other.imports]);
  imports.delete(file.name);
  const users = new Map([...file.users, ...other.users]);
  const joined = {
    name: file.name,
    chunks: [...file.chunks, ...other.chunks],
    bytes: file.bytes + other.bytes,
    imports,
    users,
  };
  files.delete(other.name);
  files.set(file.name, joined);
  return joined;
}
