/**
 * Two ways to get the Temporal CLI into the cache: the address that Temporal's SDKs download it from, and Go.
 *
 * Each puts the finished file in place in one move, so that two processes that install at once do not disturb each other.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

/** The last version that `go install` accepts (later ones have replace directives); the download is the same. */
export const pinnedVersion = '1.5.1';

/** Whoever has no way to the download should learn so at once; whoever has a slow one should get it. */
const lookupTimeoutMs = 5_000;
const downloadTimeoutMs = 5 * 60_000;

export interface InstallOptions {
  /** Where the executable belongs. */
  readonly target: string;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
}

/** Contract: resolves once `target` is in place, else rejects with one sentence on why it is not. */
export type InstallCli = (request: InstallOptions) => Promise<void>;

/** @param origin another server that answers as `temporal.download` does, for tests */
export function createDownload(origin: string): InstallCli {
  return async ({ target, report }) => {
    const { archiveUrl, fileToExtract } = await fetchDownloadLocation(origin);
    report(`downloading the Temporal CLI ${pinnedVersion}`);
    await installAtomically(target, async (folder) => {
      const response = await fetch(archiveUrl, { signal: AbortSignal.timeout(downloadTimeoutMs) });
      if (!response.ok || !response.body) throw new Error(`the download answered ${response.status}: ${archiveUrl}`);
      const tar = spawn('tar', ['-xzf', '-', '-C', folder, fileToExtract], { stdio: ['pipe', 'ignore', 'pipe'] });
      const unpacked = waitForExit(tar, 'tar');
      const fed = pipeline(Readable.fromWeb(response.body as ReadableStream), tar.stdin);
      // What tar says of an archive that ended early is worth more than a broken pipe.
      await Promise.all([fed.catch(() => undefined), unpacked]);
      return join(folder, fileToExtract);
    });
  };
}

export const downloadTemporalCli = createDownload('https://temporal.download');

/** The same question that the SDKs ask before they download. */
async function fetchDownloadLocation(origin: string) {
  const platform = process.platform;
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  if (!arch || !['linux', 'darwin'].includes(platform)) {
    throw new Error(`there is no download for ${platform} on ${process.arch}`);
  }
  const url = `${origin}/cli/v${pinnedVersion}?arch=${arch}&platform=${platform}&format=tar.gz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(lookupTimeoutMs) });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return (await response.json()) as { readonly archiveUrl: string; readonly fileToExtract: string };
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Error(`the download is out of reach: ${cause instanceof Error ? cause.message : message} (${origin})`);
  }
}

/** Builds it with Go, from the Go module proxy. */
export const buildTemporalCli: InstallCli = async ({ target, env, report }) => {
  const module = `github.com/temporalio/cli/cmd/temporal@v${pinnedVersion}`;
  await waitForExit(spawn('go', ['version'], { env, stdio: ['ignore', 'ignore', 'pipe'] }), 'go').catch(() => {
    throw new Error('Go, to build it with, is not installed');
  });
  report(`building the Temporal CLI ${pinnedVersion} with Go: about 6 minutes, once`);
  await installAtomically(target, async (folder) => {
    // Without this its version would be "0.0.0-DEV".
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

/** Resolves when the program ended well; else rejects with the last that it said. */
function waitForExit(child: ChildProcess, name: string): Promise<void> {
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-2_000);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${name} did not start: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(
            `${name} failed (${signal ?? `exit code ${code}`}): ${said.trim().split('\n').slice(-5).join('; ')}`,
          ),
        );
    });
  });
}
