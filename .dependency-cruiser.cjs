/**
 * The walls between the rooms of src (rooms.cjs), and what holds for all files. test/walls.test.ts proves that each holds.
 */

const { readdirSync } = require('node:fs');
const { doorOf, filesOf, folders, importable, table } = require('./rooms.cjs');

/** What the packages other than `longhand` need. */
const published = readdirSync(`${__dirname}/packages`).flatMap((name) => {
  const { dependencies, peerDependencies } = require(`${__dirname}/packages/${name}/package.json`);
  return Object.keys({ ...dependencies, ...peerDependencies });
});

/** A room imports itself, the doors of the rooms in its row, and the packages there. */
const walls = Object.entries(table).map(([room, { packages = [], node = false }]) => ({
  name: `${room.replace('/', '-')}-imports`,
  comment: `src/${room} may import what rooms.cjs lists for it: the index.ts of ${importable[room].join(', ')}; ${packages.join(', ')}.`,
  severity: 'error',
  from: { path: filesOf(room) },
  to: {
    couldNotResolve: false,
    pathNot: [filesOf(room), ...importable[room].map(doorOf), ...packages.map((each) => `(^|/)node_modules/${each}/`)],
    ...(node ? { dependencyTypesNot: ['core'] } : {}),
  },
}));

/** Within a room, a folder imports itself and the folders in its row. */
const inside = folders.map(({ room, folder, allowed }) => ({
  name: `${room.replace('/', '-')}-${folder === '.' ? 'files' : folder}-imports`,
  comment: `src/${room}/${folder} may import in its room: ${allowed.join(', ') || 'nothing'}.`,
  severity: 'error',
  from: { path: filesOf(room, folder), pathNot: doorOf(room) },
  to: { path: filesOf(room), pathNot: [folder, ...allowed].map((each) => filesOf(room, each)) },
}));

/** What the package exports: src/index.ts and src/entries. */
const entries = '^src/(entries/)?[^/]+$';
const closed = ['workflows', 'activities', 'cli'];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...walls,
    ...inside,
    {
      name: 'known-rooms',
      comment: 'A new folder of src gets its row in rooms.cjs first.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: [entries, ...Object.keys(table).map((room) => filesOf(room))] },
      to: {},
    },
    {
      name: 'entry-imports',
      comment:
        'What users import comes from the doors of the rooms made for them; workflows are known by their path alone.',
      severity: 'error',
      from: { path: entries },
      to: {
        path: '^src/',
        pathNot: Object.keys(table)
          .filter((room) => !closed.includes(room))
          .map(doorOf),
      },
    },
    {
      name: 'static-doors',
      comment:
        'import() of a door keeps all of its room in the build, for each entry that uses the door. Import a file of the own room that uses it.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: Object.keys(table).map(doorOf), dynamic: true },
    },
    {
      name: 'only-src',
      comment: 'What is published may not need what is not: tests, examples, benchmarks, scripts.',
      severity: 'error',
      from: { path: '^src/' },
      to: { pathNot: ['^src/', '(^|/)node_modules/'], dependencyTypesNot: ['core'], couldNotResolve: false },
    },
    {
      name: 'no-dev-packages',
      comment: 'A package that src imports belongs into the manifest of the package that publishes the file.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm-peer'],
        pathNot: published.map((name) => `(^|/)node_modules/${name}/`),
      },
    },
    {
      name: 'no-cycles',
      comment: 'Files that import each other in a circle are one file in disguise.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types count: they bind a folder to another just as well.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: `${__dirname}/tsconfig.json` },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
