/**
 * Flags of all commands for the connection to Temporal, spelled as in Temporal's own command line. A flag is the value of
 * its variable for this command, so that clients, workers and checks read one source.
 */

import { type Command, Option } from 'commander';

interface ConnectionFlag {
  readonly flag: string;
  readonly variable: string;
  readonly description: string;
  /** A variable of the same setting, which the flag replaces. */
  readonly replaces?: string;
}

const connectionFlags: readonly ConnectionFlag[] = [
  { flag: '--profile <name>', variable: 'TEMPORAL_PROFILE', description: 'profile of temporal.toml' },
  { flag: '--address <host:port>', variable: 'TEMPORAL_ADDRESS', description: 'server (default: 127.0.0.1:7233)' },
  { flag: '--namespace <name>', variable: 'TEMPORAL_NAMESPACE', description: 'namespace (default: default)' },
  { flag: '--api-key <key>', variable: 'TEMPORAL_API_KEY', description: 'API key; switches TLS on' },
  { flag: '--tls', variable: 'TEMPORAL_TLS', description: 'connect with TLS' },
  {
    flag: '--tls-ca-path <file>',
    variable: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
    description: "CA of the server's certificate",
    replaces: 'TEMPORAL_TLS_SERVER_CA_CERT_DATA',
  },
  {
    flag: '--tls-cert-path <file>',
    variable: 'TEMPORAL_TLS_CLIENT_CERT_PATH',
    description: 'client certificate',
    replaces: 'TEMPORAL_TLS_CLIENT_CERT_DATA',
  },
  {
    flag: '--tls-key-path <file>',
    variable: 'TEMPORAL_TLS_CLIENT_KEY_PATH',
    description: "the client certificate's key",
    replaces: 'TEMPORAL_TLS_CLIENT_KEY_DATA',
  },
  {
    flag: '--tls-server-name <name>',
    variable: 'TEMPORAL_TLS_SERVER_NAME',
    description: "name in the server's certificate",
  },
];

const group = 'Connect to Temporal:';

export function addConnectionFlags(program: Command): Command {
  for (const { flag, description } of connectionFlags) {
    program.addOption(new Option(flag, description).helpGroup(group));
  }
  return program;
}

/** Whether a flag is one of these: the help lists them once, for the whole program. */
export function isConnectionFlag(option: Option): boolean {
  return connectionFlags.some(({ flag }) => flag === option.flags);
}

/** Returns the variables that the flags of a command set, and those that they unset. */
export function toConnectionVariables(program: Command): Readonly<Record<string, string | undefined>> {
  const variables: Record<string, string | undefined> = {};
  for (const { flag, variable, replaces } of connectionFlags) {
    const value: unknown = program.getOptionValue(new Option(flag).attributeName());
    if (value === undefined) continue;
    variables[variable] = String(value);
    if (replaces !== undefined) variables[replaces] = undefined;
  }
  return variables;
}
