/** `longhand memory list`, `show` and `erase`. */

import { formatPlural, LonghandError, omitUndefined } from '../../core/lib/index.js';
import { createMemoryStore, type ListedMemory, type MemoryFilter } from '../../store/index.js';
import { getNamespace, withStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface MemoryFlags {
  readonly agent?: string;
  readonly tenant?: string;
  readonly user?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export async function listMemories(terminal: Terminal, flags: MemoryFlags): Promise<number> {
  const memories = await findMemories(toFilter(flags));
  const rows = memories.map(({ text, ...memory }) => ({ ...toRow(memory), characters: text.length }));
  if (flags.json) terminal.write(formatJson(rows));
  else if (rows.length === 0) terminal.write('No text is remembered.\n');
  else {
    const columns = ['key', 'agent', 'tenant', 'user', 'chain', 'stored', 'expires'].map((head) => ({
      head,
      cutTo: 40,
    }));
    const cells = rows.map(({ key, agent, tenant, owner, chainId, storedAt, expiresAt }) =>
      [key, agent, tenant ?? '', owner ?? '', chainId, storedAt.slice(0, 10), expiresAt.slice(0, 10)].map((text) => ({
        text,
      })),
    );
    terminal.write(formatTable(columns, cells, terminal));
  }
  return 0;
}

export async function showMemory(terminal: Terminal, key: string, flags: MemoryFlags): Promise<number> {
  const memories = await findMemories({ ...toFilter(flags), key });
  if (memories.length === 0) {
    throw new LonghandError(
      'memory_not_found',
      `No text with the key ${JSON.stringify(key)} is remembered. \`longhand memory list\` lists the keys.`,
    );
  }
  if (flags.json) terminal.write(formatJson(memories.map(({ text, ...memory }) => ({ ...toRow(memory), text }))));
  else for (const memory of memories) terminal.write(formatMemory(memory));
  return 0;
}

export async function eraseMemory(terminal: Terminal, key: string | undefined, flags: MemoryFlags): Promise<number> {
  const filter = { ...toFilter(flags), ...omitUndefined({ key }) };
  if ([key, flags.agent, flags.tenant, flags.user].every((value) => value === undefined)) {
    throw new UsageError('Name a key, or one of --agent, --tenant and --user.');
  }
  if (!flags.yes) {
    const { length } = await findMemories(filter);
    throw new UsageError(`This permanently deletes ${formatTexts(length)}. Confirm with --yes.`);
  }
  const erased = await withStore((store) => createMemoryStore(store).erase(filter));
  terminal.write(flags.json ? formatJson({ erased }) : `${formatTexts(erased)} erased.\n`);
  return erased === 0 ? 1 : 0;
}

function toFilter({ agent, tenant, user }: MemoryFlags): MemoryFilter {
  return { namespace: getNamespace(), agent, tenant, user };
}

async function findMemories(filter: MemoryFilter): Promise<readonly ListedMemory[]> {
  return await withStore((store) => createMemoryStore(store).find(filter));
}

function toRow<T extends Omit<ListedMemory, 'text'>>({ storedAt, expiresAt, ...memory }: T) {
  return { ...memory, storedAt: new Date(storedAt).toISOString(), expiresAt: new Date(expiresAt).toISOString() };
}

function formatMemory(memory: ListedMemory): string {
  const { key, agent, tenant, owner, chainId, text, storedAt } = { ...memory, ...toRow(memory) };
  const scope = [agent, tenant, owner].filter((part) => part !== null).join(', ');
  return `${key} (${scope}; chain ${chainId}, ${storedAt.slice(0, 10)})\n${text.replace(/^/gm, '  ')}\n`;
}

function formatTexts(count: number): string {
  return formatPlural(count, 'text');
}
