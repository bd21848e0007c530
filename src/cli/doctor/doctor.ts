/** `longhand doctor`: checks what chains need on this machine and suggests fixes. */

import { defaults } from '../../core/model/index.js';
import { formatJson } from '../terminal/terminal.js';
import { checkEncryption } from './encryption.js';
import { checkCli, checkModel, checkNode } from './environment.js';
import { type DoctorCheck, formatDefaults, formatReport } from './format-report.js';
import { isServerConfigured } from './open-server.js';
import { checkArchive, checkAudit, checkStore } from './store.js';
import { checkServer } from './temporal-server.js';

export interface DoctorOptions {
  readonly write: (text: string) => void;
  readonly env: NodeJS.ProcessEnv;
  readonly color: boolean;
  /** Prints one object, `{ checks, defaults }`, instead of lines. */
  readonly json?: boolean;
  /** Address that is checked when none is configured. Default: Temporal's port on this machine. */
  readonly defaultAddress?: string;
}

/** Prints all limits and other defaults. */
export function printLimits({ write, json = false }: Pick<DoctorOptions, 'write' | 'json'>): number {
  write(json ? formatJson({ defaults }, 2) : formatDefaults());
  return 0;
}

/**
 * Runs all checks and prints the report; changes nothing.
 *
 * @returns the exit code: 0 if chains could run here, 1 if not
 * @example process.exitCode = await doctor({ write: (text) => process.stdout.write(text), env: process.env, color: true });
 */
export async function runDoctor({ write, env, color, json = false, defaultAddress }: DoctorOptions): Promise<number> {
  const [node, cli, ours, model, encryption, store, archive, audit] = await Promise.all([
    checkNode(),
    checkCli(env),
    checkServer(env, defaultAddress),
    checkModel(env),
    checkEncryption(env, defaultAddress),
    checkStore(env),
    checkArchive(env, defaultAddress),
    checkAudit(env),
  ]);
  const [server, ...inside] = ours;
  // One way to a server is enough: the CLI starts one where none answers. It never replaces a configured server.
  const startable = cli.status === 'ok' && !isServerConfigured(env);
  const ways: readonly DoctorCheck[] = [
    server.status === 'ok' ? toWarning(cli) : cli,
    startable ? toWarning(server) : server,
  ];
  const checks: readonly DoctorCheck[] = [node, ...ways, ...inside, model, encryption, store, archive, audit];
  write(json ? formatJson({ checks, defaults }, 2) : formatReport(checks, color));
  return [node, ...ways, ...inside, encryption].some((check) => check.status === 'missing') ? 1 : 0;
}

function toWarning(check: DoctorCheck): DoctorCheck {
  return check.status === 'missing' ? { ...check, status: 'warning' } : check;
}
