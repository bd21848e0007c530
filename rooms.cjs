/**
 * The rooms of src, from the ground up: what each may import, of ours and of packages. Nothing else is allowed.
 *
 * A room has one door, its `index.ts`, and other rooms import that file alone. A room may import rooms above it in this table
 * only, so that no arrow runs upwards and none in a circle. `core/*` is every room of core. `folders` orders the folders of a room
 * in the same way: each may import those that its row lists; `.` is the files of the room itself. The door may import them all.
 * `package` is the package that publishes the room; `longhand` without it (scripts/split-packages.mjs).
 * `.dependency-cruiser.cjs` makes walls of each row, test/walls.test.ts proves each wall, docs/architecture.md shows the picture.
 */

/** @typedef {{ package?: string, rooms?: string[], packages?: string[], node?: boolean, folders?: Record<string, string[]> }} Room  `node` allows Node's own modules. */

/** @type {{ readonly [room: string]: Room }} */
const table = {
  // Core: pure. No Temporal, Node, clock, randomness, I/O (L3).
  'core/lib': { packages: ['@cfworker/json-schema', '@noble/hashes', '@scure/base', 'fflate'] },
  'core/redact': { rooms: ['core/lib'], packages: ['@noble/hashes', '@scure/base'] },
  'core/model': { rooms: ['core/lib'] },
  'core/engine': {
    rooms: ['core/lib', 'core/model'],
    folders: {
      state: [],
      plan: ['state'],
      approvals: ['state'],
      delegation: ['state'],
      '.': ['state', 'plan', 'approvals', 'delegation'],
    },
  },
  'core/strategies': { rooms: ['core/lib', 'core/model', 'core/engine'] },
  'core/record': { rooms: ['core/lib', 'core/model', 'core/engine', 'core/strategies'] },
  // `print`: lines for every reader, and the printers that need no terminal.
  'core/view': {
    rooms: ['core/lib', 'core/model', 'core/engine', 'core/record', 'core/redact'],
    folders: { '.': [], print: ['.'] },
  },
  'core/audit': { rooms: ['core/lib', 'core/model', 'core/engine', 'core/record', 'core/redact', 'core/view'] },

  // Options as users write them, to the values that chains store.
  options: { rooms: ['core/*'], packages: ['ms', 'yaml'] },

  // What both sides of Temporal share, and the deterministic shell around the core.
  contract: { rooms: ['core/*'], packages: ['@temporalio/common'] },
  workflows: {
    rooms: ['core/*', 'options', 'contract'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
    folders: { 'web-ui': [], '.': ['web-ui'] },
  },

  // Everything below has I/O, or a clock.
  timing: {},
  // The files of this package, from source or from the build.
  package: { rooms: ['core/lib'], node: true },
  // The way to Temporal's server: settings, TLS, keys, and what is wrong when it cannot be reached.
  connection: {
    rooms: ['core/*', 'contract'],
    packages: ['@grpc/grpc-js', '@temporalio/client', '@temporalio/envconfig'],
    node: true,
  },
  history: {
    rooms: ['core/*', 'contract', 'timing'],
    packages: ['@temporalio/client', '@temporalio/common', '@temporalio/proto', 'lru-cache'],
    node: true,
  },
  secrets: { rooms: ['core/*'], packages: ['lru-cache'], node: true },
  // The only room that knows a provider's wire. `endpoints`: those that fail again and again are left alone.
  models: {
    rooms: ['core/*', 'package', 'options', 'timing', 'secrets'],
    packages: ['@anthropic-ai/sdk', 'eventsource-parser', 'openai', 'yaml', 'zod'],
    node: true,
    folders: {
      wire: [],
      endpoints: ['wire'],
      anthropic: ['wire'],
      openai: ['wire'],
      'ai-sdk': ['wire'],
      catalogue: ['wire'],
      '.': ['wire', 'endpoints', 'anthropic', 'openai', 'ai-sdk', 'catalogue'],
    },
  },
  'tools/define': {
    rooms: ['core/*', 'options', 'secrets'],
    packages: ['@standard-schema/spec', 'zod'],
    folders: { approval: [], '.': ['approval'] },
  },
  // The HTTP client of all tools: checked hosts and addresses, limits of size and time. It knows no tool.
  'tools/http': { rooms: ['core/*'], packages: ['ipaddr.js', 'undici'], node: true },
  // Activities and workflows of the user as tools.
  'tools/temporal': { rooms: ['core/*', 'options', 'tools/define'] },
  agents: { rooms: ['core/*', 'options', 'contract', 'models', 'tools/define'], packages: ['lru-cache', 'zod'] },
  // Prompts of agents: files of instructions with variables and examples.
  prompts: { rooms: ['core/*', 'options', 'agents'], packages: ['yaml'], node: true },
  // Plan templates.
  plans: { rooms: ['core/*', 'tools/define'], packages: ['zod'] },

  // What outlives Temporal's retention. It knows no server: readers of histories pass what is to be kept.
  store: {
    rooms: ['core/*', 'package', 'options', 'contract', 'secrets'],
    packages: ['better-sqlite3', 'kysely', 'pg'],
    node: true,
    folders: {
      db: [],
      archive: ['db'],
      blobs: ['db'],
      audit: ['db'],
      cache: ['db', 'archive'],
      memory: ['db', 'archive'],
      workers: ['db'],
      preferences: ['db'],
      keys: ['db', 'audit'],
      webhooks: ['db', 'audit'],
      ledger: ['db', 'audit'],
    },
  },
  encryption: {
    rooms: ['core/*', 'package', 'contract', 'secrets'],
    packages: ['@temporalio/common', '@temporalio/proto', 'lru-cache'],
    node: true,
  },
  // Tokens of replies under way, from workers to followers in other processes.
  relay: { rooms: ['core/*', 'contract', 'store', 'encryption'], packages: ['kysely'], node: true },
  // The only room that knows OpenTelemetry; it is loaded when the environment asks for it.
  telemetry: {
    rooms: ['core/*', 'contract', 'timing', 'package'],
    packages: [
      '@opentelemetry',
      '@temporalio/activity',
      '@temporalio/client',
      '@temporalio/interceptors-opentelemetry',
      '@temporalio/worker',
    ],
    node: true,
  },
  logs: { rooms: ['core/*', 'contract', 'secrets'], packages: ['@temporalio/common', 'lru-cache'] },

  activities: {
    rooms: [
      ...['core/*', 'options', 'contract', 'timing', 'history', 'secrets', 'models', 'tools/define', 'tools/http'],
      ...['agents', 'store', 'telemetry'],
    ],
    packages: ['@temporalio/activity', '@temporalio/common'],
    node: true,
    folders: {
      context: [],
      model: ['context'],
      tool: ['context'],
      child: ['context'],
      archive: ['context'],
      notify: ['context'],
      '.': ['context', 'model', 'tool', 'child', 'archive', 'notify'],
    },
  },

  client: {
    rooms: ['core/*', 'options', 'contract', 'connection', 'history', 'store', 'encryption', 'relay', 'telemetry'],
    packages: ['@temporalio/client', '@temporalio/common', 'p-map'],
    node: true,
    folders: {
      errors: [],
      read: ['errors'],
      follow: ['read'],
      list: ['errors', 'read'],
      start: ['errors', 'read'],
      schedules: ['errors', 'read', 'start'],
      commands: ['errors', 'read'],
      '.': ['errors', 'read', 'follow', 'list', 'start', 'schedules', 'commands'],
    },
  },

  // The worker knows the workflows by their path alone: what they import is for the bundler.
  worker: {
    rooms: [
      ...[
        'core/*',
        'package',
        'options',
        'contract',
        'connection',
        'timing',
        'history',
        'secrets',
        'models',
        'tools/define',
      ],
      ...['agents', 'store', 'encryption', 'relay', 'telemetry', 'activities'],
    ],
    packages: ['@temporalio/client', '@temporalio/common', '@temporalio/proto', '@temporalio/worker', 'lru-cache'],
    node: true,
  },

  // Chains over HTTP: the operations, their schemas and the client, for browsers too: no Node, no Temporal.
  http: { rooms: ['core/*'], packages: ['eventsource-parser', 'zod'] },
  gateway: {
    package: '@longhand/gateway',
    rooms: [
      ...['core/*', 'options', 'contract', 'timing', 'secrets', 'history', 'store', 'encryption', 'client', 'http'],
    ],
    packages: [
      ...['@hono/node-server', '@temporalio/client', 'hono', 'jose', 'kysely', 'lru-cache', 'prom-client'],
      ...['rate-limiter-flexible', 'yaml', 'zod'],
    ],
    node: true,
    folders: {
      identity: [],
      streams: [],
      // The checks that every request passes, in one order, and what handlers get.
      request: ['identity', 'streams'],
      // Protocols of chat frontends: the AI SDK's UI message stream and AG-UI.
      chat: ['identity', 'streams', 'request'],
      links: ['identity', 'request'],
      // One handler for each operation.
      handlers: ['identity', 'streams', 'request'],
      '.': ['identity', 'streams', 'request', 'chat', 'links', 'handlers'],
    },
  },

  // The package @longhand/tools.
  // Programs that tools run: their process group, their environment, their output.
  'tools/process': { package: '@longhand/tools', rooms: ['core/*', 'timing'], node: true },
  // Functions of tools in a thread or a process of their own.
  'tools/isolation': {
    package: '@longhand/tools',
    rooms: ['core/*', 'package', 'tools/define', 'tools/process'],
    node: true,
  },
  // Tools of other libraries, and programs as tools.
  'tools/adapters': {
    package: '@longhand/tools',
    rooms: ['core/*', 'options', 'secrets', 'tools/define', 'tools/process'],
    node: true,
  },
  // Tools of MCP servers, by the official client.
  'tools/mcp': {
    package: '@longhand/tools',
    rooms: ['core/*', 'options', 'secrets', 'timing', 'tools/adapters', 'tools/define'],
    packages: ['@modelcontextprotocol/sdk', 'zod'],
    node: true,
  },
  'tools/builtin': {
    package: '@longhand/tools',
    rooms: [
      ...['core/*', 'options', 'secrets', 'tools/adapters', 'tools/define', 'tools/http', 'tools/process'],
      'tools/isolation',
    ],
    packages: ['csv-parse', 'decimal.js', 'htmlparser2', 'pg', 'yaml', 'zod'],
    node: true,
  },
  // The operations of an OpenAPI document as tools, over the HTTP client of the built-in ones.
  'tools/openapi': {
    package: '@longhand/tools',
    rooms: ['core/*', 'options', 'secrets', 'timing', 'tools/*'],
    packages: ['yaml'],
    node: true,
  },
  // Ready-made agents and plan templates, and tools for code.
  presets: {
    package: '@longhand/tools',
    rooms: ['core/*', 'options', 'secrets', 'agents', 'plans', 'tools/*'],
    packages: ['zod'],
    node: true,
    folders: { code: [], '.': ['code'] },
  },

  // The commands: a folder for each group, above the five that all share.
  cli: {
    package: '@longhand/cli',
    rooms: [
      ...['core/*', 'package', 'options', 'contract', 'connection', 'history', 'secrets', 'models', 'tools/define'],
      ...[
        'tools/builtin',
        'agents',
        'prompts',
        'plans',
        'presets',
        'store',
        'encryption',
        'telemetry',
        'logs',
        'client',
        'worker',
      ],
      'gateway',
    ],
    packages: [
      ...['@clack/prompts', '@temporalio/client', '@temporalio/common', '@temporalio/worker', 'commander'],
      ...['log-update', 'picocolors', 'string-width', 'tsx'],
    ],
    node: true,
    folders: {
      terminal: [],
      flags: ['terminal'],
      access: ['terminal', 'flags'],
      server: ['terminal', 'flags'],
      print: ['terminal', 'flags'],
      doctor: ['terminal', 'access', 'server'],
      approvals: ['terminal', 'flags', 'access', 'print'],
      run: ['terminal', 'flags', 'access', 'server', 'print', 'approvals'],
      chain: ['terminal', 'flags', 'access', 'print', 'run'],
      audit: ['terminal', 'flags', 'access'],
      archive: ['terminal', 'flags', 'access', 'chain'],
      preferences: ['terminal', 'flags', 'access'],
      memory: ['terminal', 'flags', 'access'],
      schedules: ['terminal', 'flags', 'access'],
      gateway: ['terminal', 'flags', 'access'],
      budget: ['terminal', 'flags', 'access'],
      keys: ['terminal', 'flags'],
      models: ['terminal', 'flags'],
      plans: ['terminal', 'flags', 'run'],
      prompts: ['terminal', 'flags', 'access', 'print'],
      tools: ['terminal', 'flags', 'access', 'server', 'run'],
      demo: ['terminal', 'flags', 'server', 'run'],
    },
  },
};

const names = Object.keys(table);

/** The rooms that a room may import, without patterns. */
const importable = Object.fromEntries(
  names.map((name, at) => {
    const allowed = (table[name].rooms ?? []).flatMap((entry) =>
      entry.endsWith('/*') ? names.filter((other) => other !== name && other.startsWith(entry.slice(0, -1))) : [entry],
    );
    const upwards = allowed.find((other) => !names.slice(0, at).includes(other));
    if (upwards !== undefined) throw new Error(`rooms.cjs: ${name} may not import ${upwards}, which is not above it.`);
    return [name, allowed];
  }),
);

/** The folders of all rooms with their row, `.` aside for a room that lists none. */
const folders = names.flatMap((room) => {
  const rows = Object.entries(table[room].folders ?? {});
  return rows.map(([folder, allowed], at) => {
    const upwards = allowed.find((other) => !rows.slice(0, at).some(([above]) => above === other));
    if (upwards !== undefined) throw new Error(`rooms.cjs: ${room}/${folder} may not import ${upwards}.`);
    return { room, folder, allowed };
  });
});

/** A pattern for the files of a room, or of a folder in it. */
function filesOf(room, folder) {
  if (folder === undefined) return `^src/${room}/`;
  return folder === '.' ? `^src/${room}/[^/]+$` : `^src/${room}/${folder}/`;
}

/** A pattern for the one file of a room that others import. */
function doorOf(room) {
  return `^src/${room}/index\\.ts$`;
}

module.exports = { table, importable, folders, filesOf, doorOf };
