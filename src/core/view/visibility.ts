/**
 * Visibility rules as plain data, the viewer, and the redaction policy of platform, tenant and tools.
 * `visibility-level.ts` computes the level of a step from these.
 */

import { findOwn } from '../lib/index.js';
import type { ToolView, VisibilityLevel } from '../model/index.js';
import { mergePolicies, type RedactionPolicy } from '../redact/index.js';
import type { Preferences } from './preferences.js';
import type { Reasoning, StepKind } from './reasoning.js';

/** Kinds of steps that rules name. A request has the level of its call. */
export type LevelKind = Exclude<StepKind, 'approval'>;

export type StepLevels = { readonly [kind in LevelKind]?: VisibilityLevel };

/** Levels of a role. */
export interface RoleLevels extends StepLevels {
  /** How far the role may open single steps. Without it, up to their level for the role. */
  readonly expand?: 'summary' | 'full';
  /**
   * What the reason of a step may be taken from: `thought` allows the first sentence of the thought also where the role does
   * not read thoughts, `stated` never. Without it, thoughts that the viewer reads in full.
   */
  readonly why?: 'stated' | 'thought';
}

export interface Viewer {
  /** `end_user`, `developer`, `auditor`, or a role of the configuration. */
  readonly role: string;
  /** Null for a viewer of all tenants. */
  readonly tenant: string | null;
  readonly user: string | null;
  /** Absent: in a client, those stored for the user; all on without a user, and where none are stored. */
  readonly preferences?: Preferences;
  /** Ids of expanded steps; in a sub-chain with the call before them: `3.1/2`. A request expands with its call. */
  readonly expanded: readonly string[] | 'all';
}

/** Rules for a tool, or for all tools of a kind. */
export interface ToolRule extends ToolView {
  /** Values to mask in every step of a chain that has such a tool. */
  readonly redact?: Pick<RedactionPolicy, 'keys' | 'patterns'>;
}

/** Applies to steps that match every given member; without any, to all. */
export interface SecurityRule {
  readonly atMost: 'summary' | 'hidden';
  readonly tool?: string;
  readonly toolKind?: string;
  readonly step?: LevelKind;
  /** Tenant of the chain. */
  readonly tenant?: string;
}

type NamedMap<T> = { readonly [name: string]: T };

export interface VisibilityConfig {
  /** Default of the platform. Without it: `full`. */
  readonly default?: VisibilityLevel;
  readonly deployment?: VisibilityLevel | StepLevels;
  /** Both a default and a ceiling. Kinds that a role does not name have the built-in role's level, or an end user's. */
  readonly roles?: NamedMap<VisibilityLevel | RoleLevels>;
  readonly agents?: NamedMap<VisibilityLevel | StepLevels>;
  readonly toolKinds?: NamedMap<ToolRule>;
  /** Kinds of your own tools that these rules name, in addition to `knownToolKinds`. */
  readonly kinds?: readonly string[];
  /** Takes precedence over the tool's own view. */
  readonly tools?: NamedMap<ToolRule>;
  /** Levels of single steps, by id. */
  readonly steps?: NamedMap<VisibilityLevel>;
  readonly required?: readonly SecurityRule[];
  /** Hidden in all chains. */
  readonly redact?: RedactionPolicy;
  /** Also hidden in a tenant's chains; of `kinds`, the union. */
  readonly tenants?: NamedMap<RedactionPolicy>;
}

/**
 * Creates a viewer with a role; other members have defaults.
 * @example
 * const view = await handle.view(createViewer('end_user', { tenant: 'acme' }));
 */
export function createViewer(role: string, more: Partial<Omit<Viewer, 'role'>> = {}): Viewer {
  return { tenant: null, user: null, expanded: [], ...more, role };
}

/** A viewer, a chain, and the rules. */
export interface ViewScene {
  readonly viewer: Viewer;
  readonly config: VisibilityConfig;
  readonly chain: Pick<Reasoning, 'agent' | 'tenant' | 'tools' | 'ancestry' | 'earlier'>;
  /** Path of a sub-chain within the view, before the ids of its steps: `3.1/`. Empty at the start of the view. */
  readonly path: string;
  /** Place of the view's start, as rules name it; absent at the root, and where `chain` has an ancestry. */
  readonly place?: string;
}

/** The members of a step that decide its level. */
export interface StepRef {
  readonly id: string;
  readonly kind: StepKind;
  readonly tool?: string;
  readonly toolKind?: string;
  readonly status?: string;
  /** Set by the tool while it ran. */
  readonly visibility?: { readonly level: VisibilityLevel };
}

/**
 * Returns the redaction policy of a whole tree: a value hidden in one chain is hidden in all, with the same mark.
 * Policies of tools and tenants only add to the others.
 */
export function buildRedactionPolicy(tree: Reasoning, config: VisibilityConfig): RedactionPolicy {
  const chains = listOpenedChains(tree);
  const listNamed = <T>(from: { readonly [name: string]: T } | undefined, names: readonly string[]): readonly T[] =>
    [...new Set(names)].flatMap((name) => findOwn(from ?? {}, name) ?? []);
  const earlier = chains.flatMap((chain) => chain.earlier?.tools ?? []);
  const tools = [...chains.flatMap((chain) => Object.keys(chain.tools ?? {})), ...earlier.map(({ tool }) => tool)];
  const kinds = [
    ...chains.flatMap((chain) => Object.values(chain.tools ?? {}).map(({ kind }) => kind ?? 'external')),
    ...earlier.map(({ toolKind }) => toolKind),
  ];
  // A reader of a sub-chain alone does not know the tools above: all rules apply.
  const rules =
    tree.ancestry === undefined
      ? [...listNamed(config.tools, tools), ...listNamed(config.toolKinds, kinds)]
      : [...Object.values(config.tools ?? {}), ...Object.values(config.toolKinds ?? {})];
  const tenants = chains.flatMap(({ tenant }) => tenant ?? []);
  return mergePolicies(
    config.redact ?? {},
    ...listNamed(config.tenants, tenants),
    ...rules.map(({ redact }) => ({ keys: redact?.keys ?? [], patterns: redact?.patterns ?? [] })),
  );
}

function listOpenedChains(tree: Reasoning): readonly Reasoning[] {
  const opened = Object.values(tree.children).flatMap((chains) => chains.flatMap(({ chain }) => chain ?? []));
  return [tree, ...opened.flatMap(listOpenedChains)];
}
