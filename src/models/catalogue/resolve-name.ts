/**
 * Finds the provider and the id of a model by the name that an agent, a start or a tool chose. Pure: the same catalogue and the
 * same providers give the same answer, on each worker.
 */

/** A provider as far as names need it. */
export interface NamedProvider {
  readonly name: string;
  /** The ids of its models, for a provider that has only these. Absent: any id may be its. */
  readonly models?: readonly string[];
}

/** An entry of the catalogue under an alias. */
export interface Alias {
  /** Default: found by the id, as for a name without an alias. */
  readonly provider?: string | undefined;
  readonly id: string;
}

export interface NameSources {
  readonly findAlias: (name: string) => Alias | null;
  readonly providers: readonly NamedProvider[];
  /** Name of the provider that the price map states for a model; null if it states none. */
  readonly findMapProvider: (id: string) => string | null;
}

export type FoundModel =
  | { readonly kind: 'found'; readonly provider: string; readonly id: string }
  /** The alias names a provider that is not here: another worker may have it. */
  | { readonly kind: 'no_provider'; readonly provider: string; readonly id: string }
  /** Several providers could be meant. */
  | { readonly kind: 'unclear'; readonly id: string };

/**
 * The first rule that applies decides:
 *
 * 1. An alias: its entry's provider and id. Where the entry has no provider, rules 2 to 6 find it by the entry's id.
 * 2. `provider/id`, where the prefix is the name of a provider.
 * 3. A provider that lists the id among its models.
 * 4. The provider that the price map states, where it is one of the providers.
 * 5. The only provider.
 * 6. The only server of your own (`model-server` or `chat-server`), which may have models of any name.
 */
export function resolveModelName(name: string, sources: NameSources): FoundModel {
  const alias = sources.findAlias(name);
  if (alias === null) return resolveModelId(name, sources);
  const { provider, id } = alias;
  if (provider === undefined) return resolveModelId(id, sources);
  return { kind: hasProvider(sources, provider) ? 'found' : 'no_provider', provider, id };
}

function resolveModelId(id: string, sources: NameSources): FoundModel {
  const { providers } = sources;
  const slash = id.indexOf('/');
  const prefix = id.slice(0, Math.max(0, slash));
  const rest = id.slice(slash + 1);
  if (prefix !== '' && rest !== '' && hasProvider(sources, prefix))
    return { kind: 'found', provider: prefix, id: rest };
  const listing = providers.filter(({ models }) => models?.includes(id));
  if (listing.length === 1) return { kind: 'found', provider: listing[0]!.name, id };
  if (listing.length > 1) return { kind: 'unclear', id };
  const stated = sources.findMapProvider(id);
  if (stated !== null && hasProvider(sources, stated)) return { kind: 'found', provider: stated, id };
  const open = providers.filter(({ models }) => models === undefined);
  const [any, ...others] = providers.length === 1 ? open : open.filter(({ name }) => ownServers.includes(name));
  return any === undefined || others.length > 0 ? { kind: 'unclear', id } : { kind: 'found', provider: any.name, id };
}

/** Default names of providers at other addresses than those of known services. */
const ownServers: readonly string[] = ['model-server', 'chat-server'];

function hasProvider({ providers }: NameSources, name: string): boolean {
  return providers.some((provider) => provider.name === name);
}
