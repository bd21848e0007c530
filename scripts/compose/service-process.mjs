/** One container as a process: its start, its health check as it is written, its stop with the signal and time of the file. */

import { fork, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Docker checks every 5 seconds while a container starts; here a check costs less. */
const startIntervalMs = 500;

const guardFile = fileURLToPath(new URL('guard.mjs', import.meta.url));

/**
 * @typedef {object} Plan
 * @property {string} name  of the container
 * @property {string[]} command
 * @property {Record<string, string>} env  the whole environment
 * @property {string} cwd
 * @property {string} logFile
 * @property {Record<string, string>} execEnv  the environment of further commands in the container
 * @property {import('./read-compose.mjs').Service['healthcheck']} healthcheck
 * @property {NodeJS.Signals} stopSignal
 * @property {number} stopMs
 */

/** Starts a process. @param {Plan} plan */
export function startProcess(plan) {
  const { name, command, env, cwd, logFile, stopSignal, stopMs } = plan;
  const log = openSync(logFile, 'a');
  const guard = fork(guardFile, [JSON.stringify({ command, env, cwd })], {
    cwd,
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    execArgv: [],
  });
  closeSync(log);
  let pid = null;
  let ending = null;
  guard.on('message', (message) => {
    if ('pid' in message) pid = message.pid;
    else ending = message;
  });
  const ended = new Promise((resolve) => guard.once('exit', () => resolve(ending ?? { code: null, signal: null })));
  const stop = async () => {
    if (guard.connected) guard.send({ signal: stopSignal });
    const killed = await Promise.race([ended.then(() => false), sleep(stopMs, true, { ref: false })]);
    if (killed && guard.connected) guard.disconnect();
    return { ...(await ended), killed };
  };
  return {
    name,
    plan,
    ended,
    stop,
    getPid: () => pid,
    hasEnded: () => guard.exitCode !== null || guard.signalCode !== null,
    readLogEnd: () => formatLogEnd(readFileSync(logFile, 'utf8')),
  };
}

/** Runs the health check once. Resolves with null, or with what it printed. */
export async function checkHealth({ plan }) {
  const { execEnv: env, cwd, healthcheck } = plan;
  const [program, ...args] = healthcheck.test;
  const options = { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: healthcheck.timeoutMs };
  const check = spawn(program, args, options);
  let output = '';
  check.stdout.on('data', (data) => (output += data));
  check.stderr.on('data', (data) => (output += data));
  const code = await new Promise((resolve) => {
    check.once('error', (error) => resolve(error.message));
    check.once('close', (code, signal) => resolve(code ?? signal));
  });
  return code === 0 ? null : `${output.trim()} (${code})`;
}

/**
 * Waits until the health check succeeds, with the retries and the start period of the file.
 *
 * @throws when the process ends, or is unhealthy, with the end of its log
 */
export async function waitUntilHealthy(process) {
  const { retries, startMs, intervalMs } = process.plan.healthcheck;
  const started = performance.now();
  for (let failures = 0; ; ) {
    const problem = await checkHealth(process);
    if (problem === null) return;
    const isStarting = performance.now() - started < startMs;
    if (!isStarting) failures++;
    if (process.hasEnded() || failures >= retries) {
      const why = process.hasEnded() ? 'ended' : `is unhealthy: ${problem}`;
      throw new Error(`${process.name} ${why}. Its log ends with:\n${process.readLogEnd()}`);
    }
    await sleep(isStarting ? startIntervalMs : intervalMs);
  }
}

/** Returns the last lines of a log, each clipped: a server writes stacks of kilobytes into one. */
function formatLogEnd(text) {
  const lines = text.trim().split('\n').slice(-20);
  return lines.map((line) => line.slice(0, 400)).join('\n');
}
