/**
 * Settings of the connection to Temporal. A value comes from an option, else from Temporal's variables, else from a profile
 * of `temporal.toml`: the same variables and file that Temporal's own command line and SDKs read.
 */

import { existsSync } from 'node:fs';
import type { ConnectionOptions, TLSConfig } from '@temporalio/client';
import { type ClientConfigProfile, loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import { LonghandError, maskAddress, omitUndefined, toErrorMessage } from '../core/lib/index.js';
import { findTlsProblem } from './tls-problem.js';

/** Options of `connect` and of workers for the connection to Temporal. */
export interface TemporalOptions {
  /** Host and port. Default: `TEMPORAL_ADDRESS`, else the profile's address, else `127.0.0.1:7233`. */
  readonly address?: string | undefined;
  /** Default: `TEMPORAL_NAMESPACE`, else the profile's namespace, else `default`. */
  readonly namespace?: string | undefined;
  /** API key, as for Temporal Cloud. Switches TLS on. Default: `TEMPORAL_API_KEY`, else the profile's key. */
  readonly apiKey?: string | undefined;
  /**
   * True for TLS with public certificates; an object for an own CA, a client certificate or another server name. Default:
   * `TEMPORAL_TLS` and `TEMPORAL_TLS_*`, else the profile's, else TLS only with an API key.
   */
  readonly tls?: TLSConfig | boolean | undefined;
  /** Profile of `temporal.toml`. Default: `TEMPORAL_PROFILE`, else `default`. */
  readonly profile?: string | undefined;
}

export interface ConnectionSettings {
  /** `host:port` */
  readonly address: string;
  readonly host: string;
  readonly port: number;
  /** False when nothing names a server or its credentials: the address is then the default. */
  readonly isConfigured: boolean;
  readonly namespace: string;
  readonly apiKey: string | null;
  /** Null for a connection without TLS. */
  readonly tls: TLSConfig | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export const defaultAddress = '127.0.0.1:7233';
const defaultPort = 7233;

/** @throws {LonghandError} `invalid_connection` */
export function readConnectionSettings(
  options: TemporalOptions,
  env: NodeJS.ProcessEnv,
  fallbackAddress = defaultAddress,
): ConnectionSettings {
  const profile = readProfile(options.profile, env);
  const apiKey = options.apiKey ?? profile.apiKey ?? null;
  const configuredTls = options.tls ?? readTls(profile);
  const tls = toTlsConfig(configuredTls ?? apiKey !== null);
  const problem = tls === null ? null : findTlsProblem(tls);
  if (problem !== null) throw createSettingsError(problem);
  const configured = options.address ?? profile.address;
  const { host, port } = parseAddress(configured ?? fallbackAddress);
  return {
    ...{ address: formatAddress(host, port), host, port },
    isConfigured: configured !== undefined || tls !== null,
    namespace: options.namespace ?? profile.namespace ?? 'default',
    ...{ apiKey, tls, metadata: profile.grpcMeta ?? {} },
  };
}

/** Returns the namespace alone, for what needs no server. @throws {LonghandError} `invalid_connection` */
export function readNamespace(env: NodeJS.ProcessEnv): string {
  return readProfile(undefined, env).namespace ?? 'default';
}

/** Returns the settings as options of Temporal's client and worker. */
export function toConnectionOptions({ address, tls, apiKey, metadata }: ConnectionSettings) {
  return {
    address,
    // False, not undefined: the SDK switches TLS on for an API key.
    tls: tls ?? false,
    metadata: { ...metadata },
    ...(apiKey === null ? {} : { apiKey }),
  } satisfies ConnectionOptions;
}

function readProfile(requested: string | undefined, env: NodeJS.ProcessEnv): ClientConfigProfile {
  const variables = removeEmpty(env);
  const name = requested ?? variables.TEMPORAL_PROFILE;
  const file = variables.TEMPORAL_CONFIG_FILE;
  if (file !== undefined && !existsSync(file)) {
    throw createSettingsError(`TEMPORAL_CONFIG_FILE is ${file}, which does not exist. Correct or unset it.`);
  }
  if (/^(1|true)$/i.test(variables.TEMPORAL_TLS_DISABLE_HOST_VERIFICATION ?? '')) {
    const fix = 'Unset it, and set TEMPORAL_TLS_SERVER_CA_CERT_PATH or TEMPORAL_TLS_SERVER_NAME';
    throw createSettingsError(
      `TEMPORAL_TLS_DISABLE_HOST_VERIFICATION is set, but servers are always verified. ${fix}.`,
    );
  }
  const load = (disableFile: boolean) =>
    loadClientConfigProfile({
      overrideEnvVars: variables,
      disableFile,
      ...omitUndefined({ profile: name }),
    });
  try {
    return load(false);
  } catch (error) {
    // A file without any profile.
    if (error instanceof TypeError && name === undefined) return load(true);
    throw createSettingsError(formatProfileProblem(error, name, file ?? 'temporal.toml'), error);
  }
}

function formatProfileProblem(error: unknown, name: string | undefined, file: string): string {
  const message = toErrorMessage(error);
  if (name !== undefined && (error instanceof TypeError || message.startsWith('Profile '))) {
    return `Profile ${name} not found in ${file}. Correct --profile or TEMPORAL_PROFILE, or add [profile.${name}] to the file.`;
  }
  const both = /^Cannot specify both (\w+)_path/.exec(message)?.[1];
  if (both !== undefined) {
    return `Both a path and data are set for the TLS setting ${both}. Remove one of them from the variables or from ${file}.`;
  }
  // TOML errors quote lines of the file, which may contain the key.
  return `${file} cannot be read: ${message.split('\n')[0]}. Correct it, or unset TEMPORAL_CONFIG_FILE.`;
}

/** An empty variable counts as unset, except for metadata, where it removes the profile's value. */
function removeEmpty(env: NodeJS.ProcessEnv): Record<string, string> {
  const isSet = ([name, value]: [string, string | undefined]) =>
    value !== undefined && (value !== '' || name.startsWith('TEMPORAL_GRPC_META_'));
  return Object.fromEntries(Object.entries(env).filter(isSet)) as Record<string, string>;
}

function readTls(profile: ClientConfigProfile): TLSConfig | boolean | undefined {
  const { clientCert, clientKey } = profile.tls ?? {};
  // The SDK would ignore the one without the other.
  if ((clientCert === undefined) !== (clientKey === undefined)) {
    const [given, missing] = clientKey === undefined ? ['certificate', 'KEY'] : ['key', 'CERT'];
    throw createSettingsError(
      `The client ${given} is set without its counterpart. Set TEMPORAL_TLS_CLIENT_${missing}_PATH or --tls-${missing.toLowerCase()}-path.`,
    );
  }
  try {
    const { apiKey: _switchesTlsOn, ...rest } = profile;
    return toClientOptions(rest).connectionOptions.tls ?? undefined;
  } catch (error) {
    const { path } = error as NodeJS.ErrnoException;
    if (path === undefined) throw error;
    throw createSettingsError(
      `The TLS file ${path} cannot be read: ${toErrorMessage(error)}. Correct the path, or the permissions of the file.`,
      error,
    );
  }
}

function toTlsConfig(tls: TLSConfig | boolean): TLSConfig | null {
  if (typeof tls === 'object') return tls;
  return tls ? {} : null;
}

function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[(?<ipv6>[\da-fA-F.:]+)\]|(?<host>[^\s:/@[\]]+))(?::(?<port>\d{1,5}))?$/.exec(address);
  const host = match?.groups?.ipv6 ?? match?.groups?.host;
  const port = Number(match?.groups?.port ?? defaultPort);
  if (host === undefined || port > 65_535) {
    throw createSettingsError(
      `Invalid address ${maskAddress(address)}: expected host:port, such as ${defaultAddress}. Correct TEMPORAL_ADDRESS or --address.`,
    );
  }
  return { host, port };
}

function formatAddress(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function createSettingsError(message: string, cause?: unknown): LonghandError {
  return new LonghandError('invalid_connection', message, cause === undefined ? undefined : { cause });
}
