/** `longhand archive erase`: deletes the content of chains; digests and audit entries stay as proof. */

import { formatPlural, LonghandError, toOneLine } from '../../core/lib/index.js';
import {
  type ChainKey,
  createPreferenceStore,
  createToolCache,
  type EraseTarget,
  eraseAuditContents,
  eraseChains,
  eraseKeys,
  eraseMemories,
  erasePlans,
  eraseWebhooks,
  isChainStored,
  openConfiguredBlobs,
  queryArchive,
  type Store,
  type StoreTransaction,
} from '../../store/index.js';
import { isOnServer } from '../access/find-chain.js';
import { getNamespace, getSystemUser, withReachableServer, withWrittenStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface EraseFlags {
  readonly chain?: string;
  readonly user?: string;
  readonly tenant?: string;
  readonly by?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export async function eraseContent(terminal: Terminal, flags: EraseFlags): Promise<number> {
  const { erasable, scope, label } = parseEraseTarget(flags);
  if (!flags.yes) {
    throw new UsageError(
      `This permanently deletes the archived content of ${label}${erasedAccess[scope]}; digests and audit entries stay. Confirm with --yes.`,
    );
  }
  const namespace = getNamespace();
  const by = flags.by ?? getSystemUser();
  return withWrittenStore(async (store) => {
    if (flags.chain !== undefined) await checkChain(store, { namespace, chainId: flags.chain });
    const blobs = openConfiguredBlobs(store, process.env);
    const now = Date.now();
    const who = { by, roles: [] };
    const tenants = new Set<string | null>(flags.tenant === undefined ? [] : [flags.tenant]);
    const removals: (() => Promise<void>)[] = [];
    const {
      chains,
      matched: all,
      reclaimed,
    } = await eraseChains(store, erasable, {
      namespace,
      by,
      now,
      also: async (tx, erased) => {
        const chainIds = erased.map(({ chainId }) => chainId);
        for (const { tenant } of erased) tenants.add(tenant);
        removals.length = 0;
        for (const chainId of chainIds) removals.push(await blobs.deleteInTransaction(tx, { namespace, chainId }));
        await erasePlans(tx, namespace, erasable);
        await eraseMemories(tx, namespace, erasable);
        await eraseAccess(tx, namespace, erasable);
        const auditedIds = chainIds.length === 0 && flags.chain !== undefined ? [flags.chain] : chainIds;
        await eraseAuditContents(tx, {
          namespace,
          scope,
          tenant: flags.tenant ?? null,
          chainIds: auditedIds,
          who,
          at: now,
        });
      },
    });
    for (const remove of removals) await remove();
    await erasePreferences(store, erasable, namespace);
    // A cache entry does not record its chain: the tenant's whole cache is deleted.
    for (const tenant of tenants) await createToolCache(store).erase({ namespace, tenant });
    if (flags.json) terminal.write(formatJson({ erased: chains, by, at: now }));
    else {
      terminal.write(`${formatPlural(chains.length, 'chain')} erased: ${toOneLine(label)}\n`);
      if (all.length === 0) terminal.report(formatNothingErased(flags));
      else terminal.report('Temporal keeps their histories until its retention ends; they will not be archived again.');
    }
    if (!reclaimed) {
      terminal.report('The database was busy and did not reclaim the space: it overwrites the deleted content later.');
    }
    return all.length === 0 && flags.chain === undefined ? 1 : 0;
  });
}

const erasedAccess: { readonly [scope in EraseSelection['scope']]: string } = {
  chain: '',
  user: ', and the API keys of this user',
  tenant: ', and its API keys and webhooks',
};

/** Keys and webhooks name their person or tenant, and would still work. */
async function eraseAccess(tx: StoreTransaction, namespace: string, eraseTarget: EraseTarget): Promise<void> {
  if ('chainId' in eraseTarget) return;
  await eraseKeys(tx, namespace, eraseTarget);
  if ('tenant' in eraseTarget) await eraseWebhooks(tx, namespace, eraseTarget.tenant);
}

async function erasePreferences(store: Store, eraseTarget: EraseTarget, namespace: string): Promise<void> {
  if (!('chainId' in eraseTarget)) await createPreferenceStore(store).erase({ namespace, ...eraseTarget });
}

/** Names of persons and tenants are not checked, so a mistyped one is noticed by this report. */
function formatNothingErased({ chain }: EraseFlags): string {
  return chain === undefined
    ? 'No archived chain has exactly this name. A matching chain that has already started is archived later without its content.'
    : 'The chain is not in the archive. If it is archived later, its content is left out.';
}

/**
 * Checks that the chain exists, in the store or on the server: an erasure is recorded forever.
 *
 * @throws {LonghandError} `chain_not_found`; `server_unreachable` when only a server could have the chain
 */
async function checkChain(store: Store, { namespace, chainId }: ChainKey): Promise<void> {
  if (await isChainStored(store, { namespace, chainId })) return;
  if (await withReachableServer((longhand) => isOnServer(longhand, chainId))) return;
  const { chains } = await queryArchive(store, { namespace, idPrefix: chainId, limit: 6 });
  const ids = chains.map((chain) => toOneLine(chain.chainId));
  const remedy =
    ids.length === 0
      ? 'Check the id, --address and --namespace.'
      : `Give the full id; these begin with it: ${ids.join(', ')}.`;
  throw new LonghandError(
    'chain_not_found',
    `Chain ${toOneLine(chainId)} is neither in the store nor on the server; nothing was erased. ${remedy}`,
  );
}

interface EraseSelection {
  readonly erasable: EraseTarget;
  readonly scope: 'chain' | 'user' | 'tenant';
  readonly label: string;
}

/** @throws UsageError unless exactly one target is named */
function parseEraseTarget({ chain, user, tenant }: EraseFlags): EraseSelection {
  const eraseSelections: readonly EraseSelection[] = [
    ...(chain === undefined
      ? []
      : [{ erasable: { chainId: chain }, scope: 'chain', label: `chain ${chain} and its sub-chains` } as const]),
    ...(user === undefined ? [] : [{ erasable: { user }, scope: 'user', label: `the chains of ${user}` } as const]),
    ...(tenant === undefined
      ? []
      : [{ erasable: { tenant }, scope: 'tenant', label: `the chains of tenant ${tenant}` } as const]),
  ];
  const [only, ...others] = eraseSelections;
  if (only !== undefined && others.length === 0) return only;
  throw new UsageError('Name exactly one of --chain, --user or --tenant.');
}
