/** Starts and stops Temporal's dev server, with settings that make chains fast. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LonghandError } from '../../core/lib/index.js';
import { type GuardMessage, guardScript } from './dev-server-guard.js';
import { findFreePort, isPortFree, loopback } from './ports.js';
import { tryConnect } from './server-connection.js';
import { ensureTemporalCli } from './temporal-cli.js';

/** The first start on a cold disk takes seconds, a warm one less than a second. */
const startTimeoutMs = 60_000;
/** Another program may take a free port between its choice and the server's start, also one that the server chooses. */
const maxStarts = 5;
const failedByChance = /address already in use|^panic: /m;
const shownLogLines = 10;
const pollMs = 50;

/**
 * By default a server polls each shard's queue at most 20 times a second, which costs a single chain 200 ms a step. Eager
 * activities save a round trip to the matching service. The new matcher orders backlogs by priority, and fairly by tenant.
 */
const usualSettings = [
  ...['history.transferProcessorMaxPollRPS=200', 'system.enableActivityEagerExecution=true'],
  ...['matching.useNewMatcher=true', 'matching.enableFairness=true'],
];

export interface DevServerOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** Port of the Web UI. Default: a free one. */
  readonly uiPort?: number;
  /** Address at which the Web UI decodes payloads. */
  readonly uiCodecEndpoint?: string;
  /** Starts no Web UI. Default: false. */
  readonly headless?: boolean;
  /** File that keeps the workflows. Default: they are lost when the server stops. */
  readonly dbFile?: string;
  /** Further values of the server's dynamic configuration, such as `frontend.enableUpdateWorkflowExecution=true`. */
  readonly settings?: readonly string[];
  /** Default: a file in a temporary folder that is removed when the server stops. */
  readonly logFile?: string;
  /** Created at start. Default: `default`. */
  readonly namespace?: string;
  /** Registered at start. */
  readonly searchAttributes?: readonly { readonly name: string; readonly type: string }[];
  /** Path of the Temporal CLI. Default: found or installed. */
  readonly cli?: string;
  /** Receives a line when an operation takes long. */
  readonly report?: (line: string) => void;
}

export interface DevServer {
  /** Host and port, as in `TEMPORAL_ADDRESS`. */
  readonly address: string;
  /** Null without a Web UI. */
  readonly uiUrl: string | null;
  readonly pid: number;
  readonly logFile: string;
  /** Stops the server, and kills it after 5 s. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts the dev server on 127.0.0.1 and resolves when it answers. It also stops when this process ends in any way.
 *
 * @throws LonghandError `server_not_started`: a port is in use, or the end of the server's log; `cli_not_found`
 * @example const server = await startDevServer({ headless: true });
 */
export async function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const cli = options.cli ?? (await ensureTemporalCli(options.report ?? (() => {}))).path;
  for (let left = maxStarts - 1; ; left--) {
    const start = await startOnce(cli, options);
    if (start.kind === 'started') return start.server;
    if (!start.byChance || left === 0) throw start.error;
  }
}

type StartResult =
  | { readonly kind: 'started'; readonly server: DevServer }
  | { readonly kind: 'failed'; readonly error: Error; readonly byChance: boolean };

/** @throws LonghandError when a requested port is in use */
async function startOnce(cli: string, options: DevServerOptions): Promise<StartResult> {
  const { headless = false, namespace = 'default' } = options;
  const port = await choosePort(options.port, 'port');
  const uiPort = headless ? null : await choosePort(options.uiPort, 'Web UI port');
  const address = `${loopback}:${port}`;

  const temporary = options.logFile ? null : mkdtempSync(join(tmpdir(), 'longhand-dev-server-'));
  const logFile = options.logFile ?? join(temporary as string, 'server.log');
  const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const guard = startGuard(cli, buildArguments(port, uiPort, options), logFile);
  const ended = new Promise<void>((resolve) => guard.once('exit', () => resolve()));
  const stop = async () => {
    if (guard.connected) guard.disconnect();
    guard.ref();
    await ended;
    if (temporary) await rm(temporary, { recursive: true, force: true });
  };

  try {
    const pid = await waitUntilReady(guard, address, namespace);
    const uiUrl = uiPort === null ? null : `http://${loopback}:${uiPort}`;
    return { kind: 'started', server: { address, uiUrl, pid, logFile, stop } };
  } catch (error) {
    const log = (await readFile(logFile).catch(() => Buffer.alloc(0))).subarray(logStart).toString().trim();
    await stop();
    const message = `The dev server did not start: ${(error as Error).message}. ${excerptLog(log)}`;
    const failure = new LonghandError('server_not_started', message);
    return { kind: 'failed', error: failure, byChance: failedByChance.test(log) };
  }
}

/** A crash is explained by the first line of its stack, any other failure by the last lines of the log. */
function excerptLog(log: string): string {
  const crash = log.search(/^panic: /m);
  if (crash === -1) return `Its log ends with:\n${log.split('\n').slice(-shownLogLines).join('\n')}`;
  return `It crashed:\n${log.slice(crash).split('\n').slice(0, shownLogLines).join('\n')}`;
}

async function choosePort(port: number | undefined, name: string): Promise<number> {
  if (port === undefined) return findFreePort();
  if (await isPortFree(port)) return port;
  throw new LonghandError(
    'server_not_started',
    `The ${name} ${port} is in use. Stop the program that listens there, or choose another port. ` +
      `If it is the Temporal server that you want, set TEMPORAL_ADDRESS=${loopback}:${port} instead.`,
  );
}

function buildArguments(port: number, uiPort: number | null, options: DevServerOptions): string[] {
  const { dbFile, namespace, uiCodecEndpoint, settings = [], searchAttributes = [] } = options;
  return [
    ...['server', 'start-dev', '--ip', loopback, '--port', String(port)],
    ...(uiPort === null ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...(uiCodecEndpoint ? ['--ui-codec-endpoint', uiCodecEndpoint] : []),
    ...(dbFile ? ['--db-filename', dbFile] : []),
    ...(namespace ? ['--namespace', namespace] : []),
    ...[...usualSettings, ...settings].flatMap((setting) => ['--dynamic-config-value', setting]),
    ...searchAttributes.flatMap(({ name, type }) => ['--search-attribute', `${name}=${type}`]),
  ];
}

function startGuard(cli: string, args: readonly string[], logFile: string): ChildProcess {
  const log = openSync(logFile, 'a');
  const guard = spawn(process.execPath, ['-e', guardScript, '--', cli, ...args], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  // An idle server must not keep this process alive.
  guard.unref();
  guard.channel?.unref();
  return guard;
}

/** Resolves with the server's process id when it answers; rejects when it ends first or takes too long. */
async function waitUntilReady(guard: ChildProcess, address: string, namespace: string): Promise<number> {
  let pid: number | null = null;
  let failed: string | null = null;
  guard.on('message', (message: GuardMessage) => {
    if ('pid' in message) pid = message.pid;
    else failed = message.failed;
  });
  guard.once('exit', () => {
    failed ??= 'it ended at once';
  });
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    if (failed !== null) throw new Error(failed);
    if (pid !== null && (await isNamespaceReady(address, namespace))) return pid;
    await sleep(pollMs);
  }
  throw new Error(`it does not answer at ${address} after ${startTimeoutMs / 1000} s`);
}

/** The namespace is ready a moment after the server, and chains cannot start without it. */
async function isNamespaceReady(address: string, namespace: string): Promise<boolean> {
  const connection = await tryConnect(address);
  if (!connection) return false;
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}
