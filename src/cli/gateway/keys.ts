/** `longhand gateway keys`: creates, lists and revokes API keys of the gateway. A key is printed once, by `create`. */

import { LonghandError } from '../../core/lib/index.js';
import { createApiKey, createLinkKey, keyPrefix, parseKeyLifetime, validateKeyRequest } from '../../gateway/index.js';
import { createKeyStore, type StoredKey } from '../../store/index.js';
import { getNamespace, getSystemUser, withStore, withWrittenStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { parseWholeNumber, splitList } from '../flags/values.js';
import { getColors } from '../terminal/colors.js';
import { formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

/** Prints a key that signs links. */
export function printLinkKey(terminal: Terminal): number {
  terminal.write(`${createLinkKey()}\n`);
  terminal.report('Set it as LONGHAND_LINK_KEYS of each gateway. To rotate keys, put it first: new,old.');
  return 0;
}

export interface KeyCreateFlags {
  readonly tenant?: string;
  readonly allTenants?: boolean;
  readonly user?: string;
  readonly service?: boolean;
  readonly scope?: readonly string[];
  readonly role: readonly string[];
  readonly view: readonly string[];
  readonly reach?: 'own' | 'all';
  readonly rate?: string;
  readonly expires?: string;
  readonly json?: boolean;
}

export interface KeyListFlags {
  readonly tenant?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

export interface KeyRevokeFlags {
  readonly json?: boolean;
}

export async function createGatewayKey(terminal: Terminal, name: string, flags: KeyCreateFlags): Promise<number> {
  const at = Date.now();
  const planned = rethrowAsUsageError(() => {
    const { scope = [], role, view, rate, expires } = flags;
    const request = {
      name,
      tenant: readTenant(flags),
      user: readUser(flags),
      scopes: splitList(scope),
      roles: role.length === 0 ? undefined : splitList(role),
      views: view.length === 0 ? undefined : splitList(view),
      reach: flags.reach,
      requestsPerMinute: rate === undefined ? undefined : parseWholeNumber('--rate', rate),
      expiresAt: expires === undefined ? undefined : at + parseKeyLifetime(expires, '--expires'),
    };
    return validateKeyRequest(request, null, at);
  });
  const { id, secretHash, text } = createApiKey();
  const created = await withWrittenStore((store) =>
    createKeyStore(store, getNamespace()).create(
      { ...planned, id, secretHash },
      { who: { by: getSystemUser(), roles: [] }, at },
    ),
  );
  if (flags.json) {
    terminal.write(formatJson({ ...toListed(created), key: text }));
    return 0;
  }
  // The key alone is on standard output, for a pipe into a file or a secret manager.
  terminal.write(`${text}\n`);
  terminal.report(`Created key ${id}. It is printed this once: store it as a secret.`);
  return 0;
}

export async function listGatewayKeys(terminal: Terminal, flags: KeyListFlags): Promise<number> {
  const now = Date.now();
  const keys = await withStore((store) => readAllKeys(createKeyStore(store, getNamespace()), flags, now));
  if (flags.json) {
    terminal.write(formatJson(keys.map(toListed)));
    return 0;
  }
  if (keys.length === 0) {
    terminal.write('There are no API keys. Create one: longhand gateway keys create <name> --scope start,read.\n');
    return 0;
  }
  const c = getColors(terminal);
  const columns = [
    { head: 'key', isId: true },
    { head: 'name', cutTo: 20 },
    { head: 'tenant' },
    { head: 'user' },
    { head: 'scopes' },
    { head: 'views', cutTo: 16 },
    { head: 'last used' },
    { head: 'state' },
  ];
  const cells = keys.map((key) => [
    { text: key.id, paint: c.bold },
    { text: key.name },
    { text: key.tenant ?? '(all)' },
    { text: key.user ?? '(service)' },
    { text: key.scopes.join(' ') },
    { text: key.views.join(' ') },
    { text: key.lastUsedAt === null ? 'never' : formatDay(key.lastUsedAt) },
    { text: formatState(key, now) },
  ]);
  terminal.write(formatTable(columns, cells, terminal));
  return 0;
}

export async function revokeGatewayKey(terminal: Terminal, idOrKey: string, flags: KeyRevokeFlags): Promise<number> {
  const id = readKeyId(idOrKey);
  const at = Date.now();
  const revoked = await withStore((store) =>
    createKeyStore(store, getNamespace()).revoke(
      id,
      { tenant: null, user: null },
      { who: { by: getSystemUser(), roles: [] }, at },
    ),
  );
  if (revoked === null) {
    throw new LonghandError(
      'key_not_found',
      `There is no API key ${id} in the namespace ${getNamespace()}. List the keys: longhand gateway keys list.`,
    );
  }
  if (flags.json) terminal.write(formatJson(toListed(revoked)));
  else if (revoked.revokedAt === at) terminal.report(`Revoked key ${id}. Gateways reject it within 5 seconds.`);
  else terminal.report(`Key ${id} was revoked before, by ${revoked.revokedBy}.`);
  return 0;
}

/** The whole key is accepted too, because it is what a person may have at hand; it is not printed again. */
function readKeyId(idOrKey: string): string {
  return idOrKey.startsWith(keyPrefix) ? (idOrKey.split('_')[1] ?? '') : idOrKey;
}

async function readAllKeys(
  { list }: ReturnType<typeof createKeyStore>,
  { tenant, all = false }: KeyListFlags,
  now: number,
): Promise<readonly StoredKey[]> {
  const storedKeys: StoredKey[] = [];
  const reach = { tenant: tenant ?? null, user: null };
  for (let cursor: string | undefined; ; ) {
    const page = await list(reach, { limit: 500, cursor, withInactive: all, now });
    storedKeys.push(...page.keys);
    if (page.cursor === null) return storedKeys;
    cursor = page.cursor;
  }
}

function readTenant({ tenant, allTenants = false }: KeyCreateFlags): string | null {
  if ((tenant !== undefined) !== allTenants) return tenant ?? null;
  throw new UsageError('Name the tenant of the key with --tenant, or use --all-tenants.');
}

function readUser({ user, service = false }: KeyCreateFlags): string | null {
  if ((user !== undefined) !== service) return user ?? null;
  throw new UsageError('Name the user of the key with --user, or use --service for a program that states the user.');
}

function formatState({ revokedAt, expiresAt }: StoredKey, now: number): string {
  if (revokedAt !== null) return `revoked ${formatDay(revokedAt)}`;
  if (expiresAt === null) return 'valid';
  return `${expiresAt <= now ? 'expired' : 'until'} ${formatDay(expiresAt)}`;
}

function formatDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function toListed({ secretHash: _, ...listed }: StoredKey) {
  return listed;
}

/** The caller can fix an option. */
function rethrowAsUsageError<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof LonghandError && error.code === 'invalid_options')
      throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
