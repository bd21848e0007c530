/** Checks Node, the Temporal CLI and the model's endpoint for `longhand doctor`. */

import { createRequire } from 'node:module';
import { anyKeyVariable } from '../../core/model/index.js';
import { createProvidersFromEnvironment, describeProviders, readDefaultModel } from '../../models/index.js';
import { findTemporalCli } from '../server/temporal-cli.js';
import type { DoctorCheck } from './format-report.js';

const modelTimeoutMs = 5_000;

export function checkNode(version = process.versions.node): DoctorCheck {
  const { engines } = createRequire(import.meta.url)('longhand/package.json') as { engines: { node: string } };
  const floor = engines.node.replace('>=', '');
  const [[major = 0, minor = 0], [leastMajor = 0, leastMinor = 0]] = [parseVersion(version), parseVersion(floor)];
  const enough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  return {
    name: 'Node',
    status: enough ? 'ok' : 'missing',
    found: version,
    remedy: enough ? null : `install Node ${floor} or newer from https://nodejs.org`,
  };
}

function parseVersion(version: string): readonly number[] {
  return version.split('.').map(Number);
}

export async function checkCli(env: NodeJS.ProcessEnv): Promise<DoctorCheck> {
  const name = 'Temporal CLI';
  try {
    const cli = await findTemporalCli({ env });
    if (cli) return { name, status: 'ok', found: `${cli.version} (${cli.source})`, remedy: null };
    const remedy = 'install it from https://docs.temporal.io/cli, or run `longhand dev`, which downloads or builds it';
    return { name, status: 'missing', found: 'not found', remedy };
  } catch (error) {
    const [found = '', remedy = null] = (error as Error).message.split(/(?<=\.) /);
    return { name, status: 'missing', found, remedy };
  }
}

export async function checkModel(env: NodeJS.ProcessEnv): Promise<DoctorCheck> {
  const name = 'Model';
  try {
    const configured = await createProvidersFromEnvironment(env);
    if (configured.length === 0) {
      const remedy =
        `set ${anyKeyVariable}, or LONGHAND_MODEL_URL or OPENAI_BASE_URL for another server; ` +
        '`npm run demo` needs no model';
      return { name, status: 'warning', found: 'no model endpoint', remedy };
    }
    const defaultModel = readDefaultModel(env);
    const suffix = defaultModel === null ? '' : `, default model ${defaultModel}`;
    const summary = describeProviders(configured) + suffix;
    const troubles = await Promise.all(configured.map(({ address }) => findConnectionProblem(address)));
    const index = troubles.findIndex((trouble) => trouble !== null);
    const unreachable = configured[index];
    if (unreachable === undefined) return { name, status: 'ok', found: summary, remedy: null };
    const { description, address } = unreachable;
    const where = configured.length === 1 ? summary : `${summary}; ${description}`;
    const remedy = `check that ${new URL(address).host} is running and that no firewall or proxy blocks it`;
    return { name, status: 'warning', found: `${where}, unreachable: ${troubles[index]}`, remedy };
  } catch (error) {
    return { name, status: 'warning', found: 'no usable address', remedy: (error as Error).message };
  }
}

/** Any HTTP status counts as reachable, also 401 and 404: testing the key could cost money. */
async function findConnectionProblem(address: string): Promise<string | null> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(modelTimeoutMs), redirect: 'manual' });
    await response.body?.cancel();
    return null;
  } catch (error) {
    const { message, cause } = error as Error;
    return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
  }
}
