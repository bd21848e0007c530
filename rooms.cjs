/**
 * The rooms of src, from the ground up: what each may import, of ours and of packages. Nothing else is allowed.
 *
 * A room may import rooms above it in this table only, so that no arrow runs upwards and none in a circle. A room is a
 * folder with all that is in it, except a folder that has rooms of its own: `client` is the files directly in src/client.
 * In the lists, `core/*` is every room of core. `.dependency-cruiser.cjs` makes one wall of each row, test/walls.test.ts
 * proves each wall, docs/architecture.md shows the picture.
 */

/** @typedef {{ rooms?: string[], packages?: string[], node?: boolean }} Room  `node` allows Node's own modules. */

/** @type {{ readonly [room: string]: Room }} */
const table = {
  // Core: pure. No Temporal, Node, clock, randomness, I/O (L3).
  'core/lib': { packages: ['@cfworker/json-schema', '@noble/hashes', '@scure/base', 'fflate'] },
  'core/redact': { rooms: ['core/lib'], packages: ['@noble/hashes', '@scure/base', 'fflate'] },
  'core/model': { rooms: ['core/lib'] },
  'core/state': { rooms: ['core/lib', 'core/model'] },
  'core/plan': { rooms: ['core/lib', 'core/model', 'core/state'] },
  'core/approvals': { rooms: ['core/lib', 'core/model', 'core/state'] },
  'core/delegation': { rooms: ['core/lib', 'core/model', 'core/state'] },
  'core/strategies': { rooms: ['core/lib', 'core/model', 'core/state'] },
  'core/engine': {
    rooms: ['core/lib', 'core/model', 'core/state', 'core/plan', 'core/approvals', 'core/delegation'],
  },
  'core/record': { rooms: ['core/lib', 'core/model', 'core/state', 'core/engine', 'core/strategies'] },
  'core/view': {
    rooms: ['core/lib', 'core/model', 'core/state', 'core/approvals', 'core/engine', 'core/redact'],
  },
  // A chain in words: lines for every reader, and the printers that need no terminal.
  'core/print': {
    rooms: ['core/lib', 'core/model', 'core/state', 'core/engine', 'core/view'],
  },
  'core/audit': {
    rooms: [
      ...['core/lib', 'core/model', 'core/state', 'core/engine', 'core/record', 'core/redact', 'core/view'],
      'core/print',
    ],
  },

  // Options as users write them, to the values that chains store.
  options: { rooms: ['core/*'], packages: ['@temporalio/common', 'yaml'] },

  // What both sides of Temporal share, and the deterministic shell around the core.
  contract: { rooms: ['core/*'], packages: ['@temporalio/common'] },
  'workflows/web-ui': { rooms: ['core/*', 'contract'], packages: ['@temporalio/workflow'] },
  workflows: {
    rooms: ['core/*', 'options', 'contract', 'workflows/web-ui'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },

  // Everything below has I/O, or a clock.
  timing: { node: true },
  // The way to Temporal's server: settings, TLS, keys, and what is wrong when it cannot be reached.
  connection: {
    rooms: ['core/*', 'contract'],
    packages: ['@grpc/grpc-js', '@temporalio/client', '@temporalio/common', '@temporalio/envconfig'],
    node: true,
  },
  history: {
    rooms: ['core/*', 'contract', 'timing'],
    packages: ['@temporalio/client', '@temporalio/common', '@temporalio/proto', 'lru-cache'],
    node: true,
  },
  secrets: { rooms: ['core/*'], packages: ['lru-cache'], node: true },
  // The only rooms that know a provider's wire.
  'models/wire': {
    rooms: ['core/*', 'options', 'timing', 'secrets'],
    packages: ['@anthropic-ai/sdk', 'eventsource-parser', 'openai'],
    node: true,
  },
  // Endpoints that fail again and again are left alone.
  'models/endpoints': { rooms: ['core/*', 'timing', 'models/wire'], node: true },
  'models/anthropic': {
    rooms: ['core/*', 'options', 'timing', 'models/wire'],
    packages: ['@anthropic-ai/sdk'],
    node: true,
  },
  'models/openai': { rooms: ['core/*', 'options', 'timing', 'models/wire'], packages: ['openai'], node: true },
  'models/ai-sdk': { rooms: ['core/*', 'options', 'timing', 'models/wire'], node: true },
  'models/catalogue': { rooms: ['core/*', 'models/wire'], packages: ['yaml', 'zod'], node: true },
  models: { rooms: ['core/*', 'secrets', 'models/*'] },
  'tools/approval': { rooms: ['core/*', 'options'] },
  'tools/define': {
    rooms: ['core/*', 'options', 'secrets', 'tools/approval'],
    packages: ['@standard-schema/spec', 'zod'],
  },
  // Programs that tools run: their process group, their environment, their output.
  'tools/process': { rooms: ['core/*', 'timing'], node: true },
  // Functions of tools in a thread or a process of their own.
  'tools/isolation': { rooms: ['core/*', 'tools/define', 'tools/process'], node: true },
  // Tools of other libraries, programs, activities and workflows of the user.
  'tools/adapters': {
    rooms: ['core/*', 'options', 'secrets', 'tools/approval', 'tools/define', 'tools/process'],
    node: true,
  },
  // The HTTP client of all tools: checked hosts and addresses, limits of size and time. It knows no tool.
  'tools/http': { rooms: ['core/*'], packages: ['ipaddr.js', 'undici'], node: true },
  // Tools of MCP servers, by the official client.
  'tools/mcp': {
    rooms: ['core/*', 'options', 'secrets', 'timing', 'tools/adapters', 'tools/approval', 'tools/define'],
    packages: ['@modelcontextprotocol/sdk', 'zod'],
    node: true,
  },
  'tools/builtin': {
    rooms: [
      ...['core/*', 'options', 'secrets', 'tools/adapters', 'tools/approval', 'tools/define', 'tools/http'],
      ...['tools/process', 'tools/isolation'],
    ],
    packages: ['csv-parse', 'decimal.js', 'htmlparser2', 'pg', 'yaml', 'zod'],
    node: true,
  },
  // The operations of an OpenAPI document as tools, over the HTTP client of the built-in ones.
  'tools/openapi': { rooms: ['core/*', 'options', 'secrets', 'timing', 'tools/*'], packages: ['yaml'], node: true },
  agents: {
    rooms: ['core/*', 'options', 'contract', 'models', 'models/*', 'tools/*'],
    packages: ['lru-cache', 'zod'],
    node: true,
  },
  'presets/code': { rooms: ['core/*', 'secrets', 'tools/*'], packages: ['zod'], node: true },
  'presets/plans': { rooms: ['core/*', 'tools/define'], packages: ['zod'] },
  presets: { rooms: ['core/*', 'options', 'agents', 'tools/*', 'presets/code'] },

  // What outlives Temporal's retention. It knows no server: those who read histories hand over what is to be kept.
  'store/db': { rooms: ['core/*', 'secrets'], packages: ['better-sqlite3', 'kysely', 'pg'], node: true },
  'store/archive': { rooms: ['core/*', 'contract', 'store/db'], packages: ['kysely'], node: true },
  'store/blobs': { rooms: ['core/*', 'store/db'], packages: ['kysely'], node: true },
  'store/audit': { rooms: ['core/*', 'store/db'], packages: ['kysely'], node: true },
  'store/cache': { rooms: ['core/*', 'store/db', 'store/archive'], packages: ['kysely'], node: true },
  'store/memory': { rooms: ['core/*', 'store/db', 'store/archive'], packages: ['kysely'] },
  // The running workers with their agents.
  'store/workers': { rooms: ['core/*', 'store/db'], packages: ['kysely'], node: true },
  'store/preferences': { rooms: ['core/*', 'store/db'], packages: ['kysely'] },
  // API keys of the gateway, hashed; the webhooks of tenants.
  'store/keys': { rooms: ['core/*', 'store/db', 'store/audit'], packages: ['kysely'], node: true },
  'store/webhooks': { rooms: ['core/*', 'store/db', 'store/audit'], packages: ['kysely'], node: true },
  'store/ledger': { rooms: ['core/*', 'options', 'store/db'], packages: ['kysely'], node: true },
  encryption: {
    rooms: ['core/*', 'contract', 'secrets'],
    packages: ['@temporalio/common', '@temporalio/proto', 'lru-cache'],
    node: true,
  },
  // Tokens of replies under way, from workers to followers in other processes.
  relay: { rooms: ['core/*', 'contract', 'store/db', 'encryption'], packages: ['kysely'], node: true },
  // The only room that knows OpenTelemetry; it is loaded when the environment asks for it.
  telemetry: {
    rooms: ['core/*', 'contract', 'timing'],
    packages: [
      '@opentelemetry',
      '@temporalio/activity',
      '@temporalio/client',
      '@temporalio/interceptors-opentelemetry',
      '@temporalio/worker',
    ],
    node: true,
  },
  logs: { rooms: ['core/*', 'contract', 'secrets'], packages: ['@temporalio/common', 'lru-cache', 'pino'], node: true },

  'activities/context': {
    rooms: [
      'core/*',
      'contract',
      'timing',
      'history',
      'secrets',
      'models',
      'models/*',
      'tools/*',
      'agents',
      'store/*',
      'telemetry',
    ],
    packages: ['@temporalio/activity', '@temporalio/common'],
  },
  'activities/model': {
    rooms: [
      'core/*',
      'contract',
      'timing',
      'history',
      'models',
      'models/*',
      'tools/*',
      'agents',
      'store/db',
      'store/blobs',
      'activities/context',
    ],
    packages: ['@temporalio/activity'],
    node: true,
  },
  'activities/tool': {
    rooms: ['core/*', 'contract', 'timing', 'history', 'secrets', 'tools/*', 'agents', 'store/*', 'activities/context'],
    packages: ['@temporalio/activity'],
  },
  'activities/child': {
    rooms: ['core/*', 'contract', 'timing', 'history', 'activities/context'],
    packages: ['@temporalio/activity'],
  },
  'activities/archive': {
    rooms: ['core/*', 'contract', 'history', 'store/*', 'activities/context'],
    packages: ['@temporalio/activity'],
  },
  // Events of chains to webhooks.
  'activities/notify': {
    rooms: ['core/*', 'contract', 'tools/http', 'store/webhooks', 'activities/context'],
    packages: ['@temporalio/activity', '@temporalio/common'],
    node: true,
  },
  activities: { rooms: ['contract', 'activities/*'] },

  'client/errors': { rooms: ['core/*'], packages: ['@temporalio/client'] },
  'client/read': {
    rooms: ['core/*', 'contract', 'connection', 'history', 'store/*', 'client/errors'],
    packages: ['@temporalio/client', '@temporalio/common', 'p-map'],
    node: true,
  },
  'client/follow': { rooms: ['core/*', 'contract', 'client/read'] },
  'client/list': {
    rooms: ['core/*', 'contract', 'history', 'store/*', 'client/errors', 'client/read'],
    packages: ['@temporalio/client', '@temporalio/common'],
  },
  'client/start': {
    rooms: [
      ...['core/*', 'options', 'contract', 'connection', 'store/blobs', 'store/workers'],
      ...['client/errors', 'client/read'],
    ],
    packages: ['@temporalio/client', '@temporalio/common'],
  },
  'client/schedules': {
    rooms: ['core/*', 'options', 'contract', 'client/errors', 'client/read', 'client/start'],
    packages: ['@temporalio/client'],
  },
  'client/commands': {
    rooms: ['core/*', 'options', 'contract', 'client/errors', 'client/read'],
    packages: ['@temporalio/client', '@temporalio/common'],
    node: true,
  },
  client: {
    rooms: ['core/*', 'contract', 'connection', 'store/db', 'encryption', 'relay', 'telemetry', 'client/*'],
    packages: ['@temporalio/client', '@temporalio/common'],
    node: true,
  },

  // The worker knows the workflows by their path alone: what they import is for the bundler.
  worker: {
    rooms: [
      ...[
        'core/*',
        'options',
        'contract',
        'connection',
        'timing',
        'history',
        'secrets',
        'models',
        'models/*',
        'tools/*',
        'agents',
        'store/*',
      ],
      ...['encryption', 'relay', 'telemetry', 'activities', 'activities/*'],
    ],
    packages: ['@temporalio/client', '@temporalio/common', '@temporalio/proto', '@temporalio/worker', 'lru-cache'],
    node: true,
  },

  // Chains over HTTP. `http`: the operations, their schemas and the client, for browsers too: no Node, no Temporal.
  http: { rooms: ['core/*'], packages: ['eventsource-parser', 'zod'] },
  'gateway/identity': {
    rooms: ['core/*', 'http', 'options', 'store/db', 'store/keys'],
    packages: ['jose', 'lru-cache', 'rate-limiter-flexible', 'yaml', 'zod'],
    node: true,
  },
  'gateway/streams': { rooms: ['core/*', 'contract', 'http', 'client', 'client/*'], node: true },
  // The checks that every request passes, in one order, and what handlers get.
  'gateway/request': {
    rooms: [
      ...['core/*', 'timing', 'http', 'store/db', 'store/audit', 'client', 'client/*'],
      ...['gateway/identity', 'gateway/streams'],
    ],
    packages: ['@temporalio/client', 'hono', 'lru-cache', 'zod'],
    node: true,
  },
  // Protocols of chat frontends: the AI SDK's UI message stream and AG-UI.
  'gateway/chat': {
    rooms: [
      ...['core/*', 'contract', 'http', 'client', 'client/*'],
      ...['gateway/identity', 'gateway/streams', 'gateway/request'],
    ],
    packages: ['zod'],
    node: true,
  },
  'gateway/links': {
    rooms: ['core/*', 'http', 'options', 'secrets', 'client', 'client/*', 'gateway/identity', 'gateway/request'],
    node: true,
  },
  // One handler for each operation.
  'gateway/handlers': {
    rooms: [
      ...['core/*', 'options', 'contract', 'timing', 'http', 'history', 'store/*', 'client', 'client/*'],
      ...['gateway/identity', 'gateway/streams', 'gateway/request'],
    ],
    packages: ['kysely'],
    node: true,
  },
  gateway: {
    rooms: [
      ...[
        'core/*',
        'options',
        'contract',
        'timing',
        'http',
        'encryption',
        'store/*',
        'client',
        'client/*',
        'gateway/*',
      ],
    ],
    packages: ['@hono/node-server', 'hono', 'prom-client', 'zod'],
    node: true,
  },

  // The commands.
  'cli/terminal': {
    rooms: ['core/*', 'secrets', 'encryption', 'client/errors'],
    packages: ['@clack/prompts', '@temporalio/common', 'picocolors', 'string-width'],
    node: true,
  },
  'cli/flags': { rooms: ['core/*', 'options', 'logs'], packages: ['@temporalio/common', 'commander'], node: true },
  'cli/access': {
    rooms: [
      'core/*',
      'options',
      'contract',
      'connection',
      'store/*',
      'client',
      'client/*',
      'cli/flags',
      'cli/terminal',
    ],
    packages: ['@temporalio/client'],
    node: true,
  },
  'cli/server': {
    rooms: ['core/*', 'contract', 'connection', 'secrets', 'encryption', 'cli/flags', 'cli/terminal'],
    packages: ['@temporalio/client'],
    node: true,
  },
  'cli/doctor': {
    rooms: [
      ...['core/*', 'contract', 'connection', 'models', 'models/*', 'encryption', 'store/*', 'client/read', 'worker'],
      ...['cli/terminal', 'cli/access', 'cli/server'],
    ],
    packages: ['@temporalio/client', '@temporalio/common'],
    node: true,
  },
  'cli/print': { rooms: ['core/*', 'client/*', 'cli/flags', 'cli/terminal'], packages: ['log-update'] },
  'cli/approvals': {
    rooms: [
      ...['core/*', 'options', 'client', 'client/*', 'gateway/links'],
      ...['cli/flags', 'cli/terminal', 'cli/access', 'cli/print'],
    ],
    packages: ['commander'],
  },
  'cli/run': {
    rooms: [
      ...[
        'core/*',
        'options',
        'contract',
        'secrets',
        'models',
        'models/*',
        'tools/approval',
        'agents',
        'presets/plans',
      ],
      ...['connection', 'encryption', 'logs', 'client', 'client/*', 'worker'],
      ...['cli/flags', 'cli/terminal', 'cli/access', 'cli/server', 'cli/print', 'cli/approvals'],
    ],
    packages: ['@temporalio/common', '@temporalio/worker', 'commander', 'tsx'],
    node: true,
  },
  'cli/chain': {
    rooms: [
      ...[
        'core/*',
        'contract',
        'connection',
        'history',
        'tools/define',
        'store/*',
        'encryption',
        'client',
        'client/*',
        'worker',
      ],
      ...['cli/flags', 'cli/terminal', 'cli/access', 'cli/print', 'cli/run'],
    ],
    packages: ['@temporalio/worker', 'commander'],
    node: true,
  },
  'cli/audit': {
    rooms: ['core/*', 'models', 'models/*', 'store/*', 'cli/flags', 'cli/terminal', 'cli/access'],
    packages: ['commander'],
    node: true,
  },
  'cli/archive': {
    rooms: [
      ...['core/*', 'store/*', 'client/*', 'worker'],
      ...['cli/flags', 'cli/terminal', 'cli/access', 'cli/chain'],
    ],
    packages: ['commander'],
  },
  'cli/preferences': {
    rooms: ['core/*', 'store/*', 'cli/flags', 'cli/terminal', 'cli/access'],
    packages: ['commander'],
  },
  'cli/memory': {
    rooms: ['core/*', 'store/*', 'cli/flags', 'cli/terminal', 'cli/access'],
    packages: ['commander'],
  },
  'cli/schedules': {
    rooms: ['core/*', 'client', 'client/*', 'cli/flags', 'cli/terminal', 'cli/access'],
    packages: ['@temporalio/common', 'commander'],
  },
  'cli/gateway': {
    rooms: [
      ...['core/*', 'options', 'store/*', 'http', 'gateway', 'gateway/*', 'client', 'client/*', 'encryption', 'logs'],
      ...['cli/flags', 'cli/terminal', 'cli/access'],
    ],
    packages: ['commander'],
    node: true,
  },
  'cli/keys': { rooms: ['core/*', 'encryption', 'cli/flags', 'cli/terminal'], packages: ['commander'] },
  'cli/models': {
    rooms: ['core/*', 'models', 'models/*', 'secrets', 'cli/flags', 'cli/terminal'],
    packages: ['commander'],
    node: true,
  },
  'cli/plans': {
    rooms: ['core/*', 'agents', 'presets', 'presets/plans', 'cli/flags', 'cli/terminal', 'cli/run'],
    packages: ['commander'],
    node: true,
  },
  'cli/tools': {
    rooms: [
      ...['core/*', 'secrets', 'agents', 'client', 'models/*', 'models', 'tools/approval', 'tools/define'],
      ...['cli/flags', 'cli/terminal', 'cli/access', 'cli/server', 'cli/run'],
    ],
    packages: ['commander'],
  },
  'cli/demo': {
    rooms: [
      'core/*',
      'agents',
      'models',
      'models/*',
      'tools/builtin',
      'cli/flags',
      'cli/terminal',
      'cli/server',
      'cli/run',
    ],
    node: true,
  },
  cli: {
    rooms: ['core/*', 'contract', 'models', 'models/*', 'telemetry', 'cli/*'],
    packages: ['@temporalio/worker', 'commander'],
    node: true,
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

/** Folders of src that have rooms of their own. */
const houses = [...new Set(names.filter((name) => name.includes('/')).map((name) => name.split('/')[0]))];

/** A pattern for the files of a room. */
function filesOf(name) {
  return houses.includes(name) ? `^src/${name}/[^/]+$` : `^src/${name}/`;
}

module.exports = { table, importable, filesOf };
