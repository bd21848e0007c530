/** `longhand codec`: a codec server, so that Temporal's Web UI and CLI show what is encrypted. Runs until it is stopped. */

import { readFileSync } from 'node:fs';
import { isLoopback } from '../../encryption/codec-access.js';
import { type CodecServer, startCodecServer } from '../../encryption/codec-server.js';
import { type Encryption, resolveEncryption } from '../../encryption/encryption.js';
import { UsageError } from '../flags/usage-error.js';
import { waitUntilStopped } from '../terminal/shutdown.js';
import type { Terminal } from '../terminal/terminal.js';
import { loopback } from './ports.js';

export interface CodecFlags {
  readonly host: string;
  readonly port: string;
  readonly origin: readonly string[];
  readonly auth?: string;
}

export async function runCodec({ report }: Terminal, flags: CodecFlags): Promise<number> {
  const encryption = resolveEncryption(undefined, process.env);
  if (encryption === null) {
    throw new UsageError(
      'No key is configured: `longhand keys new` writes a key file, LONGHAND_ENCRYPTION_KEYS names it.',
    );
  }
  const { host, origin } = flags;
  const token = readToken(flags.auth);
  if (token === null && !isLoopback(host)) {
    throw new UsageError(
      `At ${host} everybody who gets there could read what is encrypted: give --auth <file> with a token that they must bring, or leave out --host.`,
    );
  }
  const origins = origin.length === 0 ? listDefaultOrigins(8233) : origin.map(parseOrigin);
  const port = parsePort(flags.port);
  const server = await startCodecServer({ codec: encryption.codec, host, port, origins, token, report }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new UsageError(
        `Nothing can listen at ${host}:${port} (${error.code ?? error.message}): choose another --port.`,
      );
    },
  );
  report(
    [
      `Codec server  ${server.url}, with ${encryption.keyLocation}`,
      `Web UI        at ${origins.join(', ')}; there, set it as the codec endpoint`,
      `Temporal CLI  temporal workflow show --workflow-id … --codec-endpoint ${server.url}${token === null ? '' : ' --codec-auth "Bearer …"'}`,
      'Ctrl-C stops it.',
    ].join('\n'),
  );
  await waitUntilStopped();
  await server.close();
  return 0;
}

/** For a Web UI of our own; on a free port, since the usual one may be taken. */
export async function startUiCodec(
  encryption: Encryption,
  uiPort: number,
  say: (line: string) => void,
): Promise<CodecServer> {
  const access = { origins: listDefaultOrigins(uiPort), token: null };
  return startCodecServer({ codec: encryption.codec, host: loopback, port: 0, ...access, report: say });
}

function listDefaultOrigins(uiPort: number): readonly string[] {
  return [`http://${loopback}:${uiPort}`, `http://localhost:${uiPort}`];
}

/** The token that must be brought; from the file, else from `LONGHAND_CODEC_TOKEN`. */
function readToken(file: string | undefined): string | null {
  const token = file === undefined ? (process.env.LONGHAND_CODEC_TOKEN ?? '') : readTokenFile(file);
  if (file === undefined && token === '') return null;
  if (token.trim().length < 16)
    throw new UsageError('The token of --auth has fewer than 16 characters: `openssl rand -hex 32` makes one.');
  return token.trim();
}

function readTokenFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The file of --auth cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

function parseOrigin(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : 'null';
  if (origin !== 'null' && origin === text.replace(/\/$/, '')) return origin;
  throw new UsageError(`--origin ${text} is none: write it as the browser says it, http://127.0.0.1:8233.`);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--port ${text} is none: give a number up to 65535.`);
}
