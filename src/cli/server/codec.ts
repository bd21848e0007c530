/** `longhand codec`: runs a codec server, with which Temporal's Web UI and CLI show encrypted payloads. */

import { readFileSync } from 'node:fs';
import { toErrorMessage } from '../../core/lib/index.js';
import {
  type CodecServer,
  type Encryption,
  isLoopback,
  resolveEncryption,
  startCodecServer,
} from '../../encryption/index.js';
import { readSecretVariable } from '../../secrets/index.js';
import { UsageError } from '../flags/usage-error.js';
import { parsePort } from '../flags/values.js';
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
      'No encryption key is configured. Create one with `longhand keys new` and set LONGHAND_ENCRYPTION_KEYS.',
    );
  }
  const { host, origin } = flags;
  const token = readToken(flags.auth);
  if (token === null && !isLoopback(host)) {
    throw new UsageError(
      `--host ${host} lets any machine that reaches it decrypt payloads. Require a token with --auth <file>, or omit --host.`,
    );
  }
  const origins = origin.length === 0 ? listDefaultOrigins(8233) : origin.map(parseOrigin);
  const port = parsePort(flags.port);
  const server = await startCodecServer({ codec: encryption.codec, host, port, origins, token, report }).catch(
    (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is in use' : (error.code ?? error.message);
      throw new UsageError(`Cannot listen at ${host}:${port}: ${why}. Choose another --port.`);
    },
  );
  const lines = [
    `Codec server  ${server.url}, with ${encryption.keyLocation}`,
    `Web UI        at ${origins.join(', ')}; set this server there as the codec endpoint`,
    `Temporal CLI  temporal workflow show --workflow-id … --codec-endpoint ${server.url}${token === null ? '' : ' --codec-auth "Bearer …"'}`,
    'Ctrl-C stops it.',
  ];
  await waitUntilStopped(() => report(lines.join('\n')));
  await server.close();
  return 0;
}

/** Starts the codec server of a Web UI that we started, on a free port. */
export async function startUiCodec(
  encryption: Encryption,
  uiPort: number,
  report: (line: string) => void,
): Promise<CodecServer> {
  const access = { origins: listDefaultOrigins(uiPort), token: null };
  return startCodecServer({ codec: encryption.codec, host: loopback, port: 0, ...access, report });
}

function listDefaultOrigins(uiPort: number): readonly string[] {
  return [`http://${loopback}:${uiPort}`, `http://localhost:${uiPort}`];
}

/** Returns the token that requests must carry, from the file or from `LONGHAND_CODEC_TOKEN`; null without either. */
function readToken(file: string | undefined): string | null {
  const token =
    file === undefined ? (readSecretVariable('LONGHAND_CODEC_TOKEN', process.env) ?? '') : readTokenFile(file);
  if (file === undefined && token === '') return null;
  if (token.trim().length < 16)
    throw new UsageError('The token of --auth has fewer than 16 characters. Create one with `openssl rand -hex 32`.');
  return token.trim();
}

function readTokenFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read the file of --auth: ${toErrorMessage(error)}.`, { cause: error });
  }
}

function parseOrigin(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : 'null';
  if (origin !== 'null' && origin === text.replace(/\/$/, '')) return origin;
  throw new UsageError(`Invalid --origin ${text}. Use the form http://127.0.0.1:8233.`);
}
