/**
 * The walls between the rooms of src (rooms.cjs), and what holds for all files. test/walls.test.ts proves that each holds.
 */

const { filesOf, importable, table } = require('./rooms.cjs');

const walls = Object.entries(table).map(([name, { packages = [], node = false }]) => ({
  name: wallOf(name),
  comment: `src/${name} may import what rooms.cjs lists for it: ${[...importable[name], ...packages].join(', ')}.`,
  severity: 'error',
  from: { path: filesOf(name) },
  to: {
    couldNotResolve: false,
    pathNot: [filesOf(name), ...importable[name].map(filesOf), ...packages.map((each) => `(^|/)node_modules/${each}/`)],
    ...(node ? { dependencyTypesNot: ['core'] } : {}),
  },
}));

function wallOf(name) {
  return `${name.replace('/', '-')}-imports`;
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...walls,
    {
      name: 'known-rooms',
      comment: 'A new folder of src gets its row in rooms.cjs first.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: Object.keys(table).map(filesOf) },
      to: {},
    },
    {
      name: 'entry-imports',
      comment: 'What users import comes from the rooms made for them; workflows are known by their path alone.',
      severity: 'error',
      from: { path: '^src/[^/]+$' },
      to: { path: '^src/(workflows|activities|cli)/' },
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
      comment: 'A package that src imports belongs into "dependencies" or "peerDependencies".',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
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
