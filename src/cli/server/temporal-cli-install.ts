/**
 * Installs the Temporal CLI into the cache: downloads it from the address that Temporal's SDKs use, or builds it with Go.
 *
 * The finished file is moved into place at once, so that two processes can install at the same time.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

/** The last version that `go install` accepts (later ones have replace directives); the download is the same. */
export const pinnedVersion = '1.5.1';

/** Short, so that a machine without access fails immediately; the download itself may be slow. */
const lookupTimeoutMs = 5_000;
const downloadTimeoutMs = 5 * 60_000;

interface InstallOptions {
  /** Path of the executable to install. */
  readonly target: string;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
}

/** Resolves when `target` exists; rejects with one sentence that is the reason. */
export type InstallCli = (request: InstallOptions) => Promise<void>;

/** @param origin for tests: a server with the interface of `temporal.download` */
export function createDownload(origin: string): InstallCli {
  return async ({ target, report }) => {
    const { archiveUrl, fileToExtract } = await fetchDownloadLocation(origin);
    report(`downloading the Temporal CLI ${pinnedVersion}`);
    await installAtomically(target, async (folder) => {
      const response = await fetch(archiveUrl, { signal: AbortSignal.timeout(downloadTimeoutMs) });
      if (!response.ok || !response.body)
        throw new Error(`the download failed with status ${response.status}: ${archiveUrl}`);
      const tar = spawn('tar', ['-xzf', '-', '-C', folder, fileToExtract], { stdio: ['pipe', 'ignore', 'pipe'] });
      const unpacked = waitForExit(tar, 'tar');
      const fed = pipeline(Readable.fromWeb(response.body as ReadableStream), tar.stdin);
      // The message of tar about an incomplete archive is more useful than a broken pipe.
      await Promise.all([fed.catch(() => undefined), unpacked]);
      return join(folder, fileToExtract);
    });
  };
}

export const downloadTemporalCli = createDownload('https://temporal.download');

/** Sends the request of the SDKs before a download. */
async function fetchDownloadLocation(origin: string) {
  const platform = process.platform;
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  if (!arch || !['linux', 'darwin'].includes(platform)) {
    throw new Error(`there is no download for ${platform} on ${process.arch}`);
  }
  const url = `${origin}/cli/v${pinnedVersion}?arch=${arch}&platform=${platform}&format=tar.gz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(lookupTimeoutMs) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return (await response.json()) as { readonly archiveUrl: string; readonly fileToExtract: string };
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Error(`the download is unreachable: ${cause instanceof Error ? cause.message : message} (${origin})`);
  }
}

/** Builds the CLI with Go, from the Go module proxy. */
export const buildTemporalCli: InstallCli = async ({ target, env, report }) => {
  const module = `github.com/temporalio/cli/cmd/temporal@v${pinnedVersion}`;
  await waitForExit(spawn('go', ['version'], { env, stdio: ['ignore', 'ignore', 'pipe'] }), 'go').catch(() => {
    throw new Error('Go, which could build it, is not installed');
  });
  report(`building the Temporal CLI ${pinnedVersion} with Go: about 6 minutes, once`);
  await installAtomically(target, async (folder) => {
    // Without this flag its version would be "0.0.0-DEV".
    const flags = ['-ldflags', `-X github.com/temporalio/cli/temporalcli.Version=${pinnedVersion}`];
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    await waitForExit(
      spawn('go', ['install', ...flags, module], { env: { ...env, GOBIN: folder }, stdio: [...stdio] }),
      'go install',
    );
    return join(folder, 'temporal');
  });
};

async function installAtomically(target: string, make: (folder: string) => Promise<string>): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const folder = await mkdtemp(`${target}-`);
  try {
    const made = await make(folder);
    await chmod(made, 0o755);
    await rename(made, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resolves when the program succeeds; rejects with the last lines of its error output. */
function waitForExit(child: ChildProcess, name: string): Promise<void> {
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-2_000);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${name} did not start: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(
            `${name} failed (${signal ?? `exit code ${code}`}): ${output.trim().split('\n').slice(-5).join('; ')}`,
          ),
        );
    });
  });
}
