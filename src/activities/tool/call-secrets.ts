/**
 * Reads the secrets that a tool declares, for one call, and masks them in its logs, heartbeats and artifacts.
 *
 * L5: secrets are read before the tool's `execute`, so a call with a missing secret certainly did not happen.
 */

import type { Context } from '@temporalio/activity';
import { failureTypes } from '../../contract/index.js';
import { defaults } from '../../core/model/index.js';
import { maskUnknown, noSecretMasker, type SecretMasker, shortestSecret } from '../../core/redact/index.js';
import { readSecret, registerSecrets, type SecretProvider, type SecretScope } from '../../secrets/index.js';
import { withTimeout } from '../../timing/index.js';
import type { Tool, ToolContext, ToolLog } from '../../tools/define/index.js';
import type { Heartbeat } from '../context/activity-context.js';
import { createFailure } from '../context/failures.js';

export interface CallSecrets {
  /** For the tool. */
  readonly secret: (name: string) => string;
  /** Masks the secrets in everything that the tool emits. */
  readonly masker: SecretMasker;
}

/** @throws {NotDone} retryable if a secret could not be read */
export async function readCallSecrets(
  secrets: SecretProvider,
  tool: Tool,
  { tenant }: SecretScope,
): Promise<CallSecrets> {
  const { name: by, secrets: declared = [] } = tool;
  if (declared.length === 0) return { secret: createSecretGetter(by, new Map()), masker: noSecretMasker };
  const scope: SecretScope = { tenant };
  const read = async (name: string) => [name, await readDeclaredSecret(secrets, { by, name, scope })] as const;
  const values = new Map(await Promise.all(declared.map(read)));
  return { secret: createSecretGetter(by, values), masker: registerSecrets([...values.values()]) };
}

interface SecretLookup {
  readonly by: string;
  readonly name: string;
  readonly scope: SecretScope;
}

async function readDeclaredSecret(secrets: SecretProvider, { by, name, scope }: SecretLookup): Promise<string> {
  const notDone = (why: string, retryable = false) =>
    createFailure(failureTypes.notDone, `The secret ${name}, which ${by} needs, ${why}`, { retryable });
  const read = (await withTimeout(readSecret(secrets, name, scope), defaults.checkMs))?.value;
  if (read === undefined) throw notDone('was not read in time; the tool did not run.', true);
  if (read.kind === 'unreadable') throw notDone(`could not be read (${read.errorKind}); the tool did not run.`, true);
  if (read.kind === 'missing') {
    const whose = scope.tenant === null ? '' : ` for tenant ${scope.tenant}`;
    throw notDone(`is not set${whose}; the tool did not run. Set ${name} where this worker reads its secrets.`);
  }
  if (read.value.trim().length >= shortestSecret) return read.value;
  const problem = `is shorter than ${shortestSecret} characters, too short to mask`;
  throw notDone(`${problem}; the tool did not run. Set a longer one.`);
}

function createSecretGetter(tool: string, values: ReadonlyMap<string, string>): CallSecrets['secret'] {
  return (name) => {
    const value = values.get(name);
    if (value !== undefined) return value;
    // A TypeError: its name is part of the failure that the history records.
    throw new TypeError(`${tool} does not declare the secret ${name}. Add secrets: ['${name}'] to its defineTool.`);
  };
}

type Fields = Record<string, unknown>;

/** Masks secrets in log lines. Without secrets it is Temporal's own log. */
export function createRedactingLog(log: Context['log'], masker: SecretMasker): ToolLog {
  if (masker === noSecretMasker) return log;
  const at = (level: keyof ToolLog) => (message: string, fields?: Fields) => {
    const masked = fields === undefined ? undefined : maskUnknown(fields, masker);
    log[level](masker.text(String(message)), masked as Fields | undefined);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Masks secrets in the details of heartbeats. */
export function createRedactingHeartbeat(beat: Heartbeat['beat'], masker: SecretMasker): Heartbeat['beat'] {
  return masker === noSecretMasker ? beat : (details) => beat(maskUnknown(details, masker));
}

type PutArtifact = ToolContext['artifact'];

/** Bytes of a stream held back for the next piece: a secret may be cut in two. */
const overlapBytes = 64 * 1024;

/** Masks secrets in the names and the content of artifacts. */
export function createRedactingArtifact(keep: PutArtifact, masker: SecretMasker): PutArtifact {
  if (masker === noSecretMasker) return keep;
  return (name, content, { mediaType } = {}) => {
    const options = mediaType === undefined ? {} : { mediaType: masker.text(mediaType) };
    return keep(masker.text(name), redactContent(content, masker), options);
  };
}

function redactContent(content: Parameters<PutArtifact>[1], masker: SecretMasker): Parameters<PutArtifact>[1] {
  if (typeof content === 'string') return masker.text(content);
  return content instanceof Uint8Array ? redactBytes(Buffer.from(content), masker) : redactStream(content, masker);
}

/** Masks secrets in bytes; other bytes, text or not, are unchanged. */
export function redactBytes(bytes: Buffer, { text }: SecretMasker): Buffer {
  const latin1 = bytes.toString('latin1');
  const maskedLatin1 = text(latin1);
  if (maskedLatin1 !== latin1) return Buffer.from(maskedLatin1, 'latin1');
  // A secret with non-ASCII characters matches only as UTF-8.
  const utf8 = bytes.toString('utf8');
  const maskedUtf8 = text(utf8);
  return maskedUtf8 === utf8 ? bytes : Buffer.from(maskedUtf8, 'utf8');
}

async function* redactStream(content: AsyncIterable<Uint8Array>, masker: SecretMasker): AsyncIterable<Uint8Array> {
  let waiting: Buffer = Buffer.alloc(0);
  for await (const piece of content) {
    waiting = redactBytes(Buffer.concat([waiting, piece]), masker);
    const ready = waiting.length - overlapBytes;
    if (ready <= 0) continue;
    yield waiting.subarray(0, ready);
    waiting = Buffer.from(waiting.subarray(ready));
  }
  yield waiting;
}
