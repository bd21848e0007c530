/**
 * The walls between the folders of src: what each may import, of ours and of packages. Nothing else is allowed.
 *
 * test/walls.test.ts proves that each of them holds. docs/architecture.md says why they stand where they do.
 */

/** `packages` are names; `node` allows Node's own modules. */
const layers = {
  core: { layers: [], packages: ['@cfworker/json-schema', '@noble/hashes', '@scure/base', 'fflate'], node: false },
  contract: { layers: ['core'], packages: ['@temporalio/common'], node: false },
  workflows: { layers: ['core', 'contract'], packages: ['@temporalio/workflow', '@temporalio/common'], node: false },
  history: {
    layers: ['core', 'contract'],
    packages: ['@temporalio/common', '@temporalio/client', '@temporalio/proto'],
    node: true,
  },
  secrets: { layers: ['core'], packages: [], node: true },
  models: { layers: ['core', 'secrets'], packages: ['@anthropic-ai/sdk'], node: true },
  tools: { layers: ['core', 'contract', 'secrets'], packages: ['zod', '@temporalio/common'], node: true },
  agents: { layers: ['core', 'contract', 'models', 'tools'], packages: ['zod', '@temporalio/common'], node: true },
  templates: { layers: ['core', 'tools'], packages: ['zod'], node: false },
  // What outlives Temporal's retention. It knows no server: who reads histories hands over what is to be kept.
  store: { layers: ['core', 'contract'], packages: ['kysely', 'better-sqlite3', 'pg'], node: true },
  encryption: { layers: ['core', 'contract'], packages: ['@temporalio/common', '@temporalio/proto'], node: true },
  // The only one that knows OpenTelemetry; it is loaded when the environment asks for it.
  telemetry: {
    layers: ['core', 'contract'],
    packages: [
      '@opentelemetry',
      '@temporalio/interceptors-opentelemetry',
      '@temporalio/activity',
      '@temporalio/client',
      '@temporalio/worker',
    ],
    node: true,
  },
  logs: { layers: ['core', 'contract', 'secrets'], packages: ['@temporalio/common', 'pino'], node: true },
  activities: {
    layers: ['core', 'contract', 'history', 'secrets', 'models', 'tools', 'agents', 'telemetry', 'store'],
    packages: ['@temporalio/activity', '@temporalio/common', '@temporalio/client', '@temporalio/proto', 'zod'],
    node: true,
  },
  client: {
    layers: ['core', 'contract', 'history', 'telemetry', 'store', 'encryption'],
    packages: ['@temporalio/client', '@temporalio/common', '@temporalio/proto'],
    node: true,
  },
  // The worker knows the workflows by their path alone: what they import is for the bundler.
  worker: {
    layers: [
      'core',
      'contract',
      'history',
      'secrets',
      'models',
      'tools',
      'agents',
      'telemetry',
      'store',
      'encryption',
      'activities',
    ],
    packages: [
      '@temporalio/worker',
      '@temporalio/activity',
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/proto',
    ],
    node: true,
  },
  cli: {
    layers: [
      'core',
      'contract',
      'history',
      'secrets',
      'models',
      'tools',
      'agents',
      'templates',
      'telemetry',
      'logs',
      'store',
      'encryption',
      'client',
      'worker',
    ],
    packages: [
      '@temporalio/client',
      '@temporalio/worker',
      '@temporalio/common',
      '@clack/prompts',
      'commander',
      'log-update',
      'picocolors',
      'tsx',
      'zod',
    ],
    node: true,
  },
};

const names = Object.keys(layers).join('|');

const walls = Object.entries(layers).flatMap(([name, { layers: ours, packages, node }]) => [
  {
    name: `${name}-imports`,
    comment: `src/${name} may import ${['itself', ...ours.map((layer) => `src/${layer}`)].join(', ')}, and of packages ${packages.join(', ')}.`,
    severity: 'error',
    from: { path: `^src/${name}/` },
    to: {
      couldNotResolve: false,
      pathNot: [`^src/(${[name, ...ours].join('|')})/`, `(^|/)node_modules/(${packages.join('|')})/`],
      ...(node ? { dependencyTypesNot: ['core'] } : {}),
    },
  },
]);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...walls,
    {
      name: 'known-layers',
      comment: 'A new folder of src gets its walls here first.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: `^src/(${names})/` },
      to: {},
    },
    {
      name: 'entry-imports',
      comment: 'What users import comes from the layers made for them; workflows are known by their path alone.',
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
      comment: 'A package that src imports belongs into "dependencies".',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
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
