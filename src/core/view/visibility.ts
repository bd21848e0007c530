/**
 * What people may see of a chain, as plain data that may come from a file, who is looking, and what is hidden from all by the
 * platform, the tenant and the tools. `visibility-level.ts` makes of these how much of a step is shown.
 */

import { findOwn } from '../lib/json.js';
import type { ToolView, VisibilityLevel } from '../model/agent.js';
import { mergePolicies, type RedactionPolicy } from '../redact/policy.js';
import type { Reasoning, StepKind } from './reasoning.js';

/** What people were asked about a call is shown as far as the call is, and has no level of its own. */
export type LevelKind = Exclude<StepKind, 'approval'>;

export type StepLevels = { readonly [kind in LevelKind]?: VisibilityLevel };

/** What a user switched off stays hidden until it is opened. */
export interface Preferences {
  /** Whether the view begins with a few lines on what was done. */
  readonly progressSummary: boolean;
  readonly thinking: boolean;
  /** Calls of tools of the kind `external`, which a tool is unless it says otherwise. */
  readonly externalCalls: boolean;
  readonly internalCalls: boolean;
  readonly finalReasoning: boolean;
}

export interface Viewer {
  /** `end_user`, `developer`, `auditor`, or one of the configuration's own. */
  readonly role: string;
  /** Null for whoever may look at the chains of all. */
  readonly tenant: string | null;
  readonly user: string | null;
  readonly preferences: Preferences;
  /**
   * Ids of the steps that were opened; of a sub-chain's with the call before them: `3.1/2`. What was asked about a call
   * opens with the call.
   */
  readonly expanded: readonly string[] | 'all';
}

/** What is said of a tool, or of all tools of a kind. */
export interface ToolRule extends Omit<ToolView, 'kind'> {
  /** What is hidden besides, in the whole of a chain that has such a tool. */
  readonly redact?: Pick<RedactionPolicy, 'keys' | 'patterns'>;
}

/** Holds for what fits every member that it names; without any, for everything. */
export interface SecurityRule {
  readonly atMost: 'summary' | 'hidden';
  readonly tool?: string;
  readonly toolKind?: string;
  readonly step?: LevelKind;
  /** The chain's. */
  readonly tenant?: string;
}

type NamedMap<T> = { readonly [name: string]: T };

/** Kinds of tools that rules may name: those of Longhand's own tools, and usual ones. */
export const knownToolKinds = ['external', 'database', 'skill', 'file_system', 'agent', 'plan'] as const;

export interface VisibilityConfig {
  /** The platform's: `full` unless it says otherwise. */
  readonly default?: VisibilityLevel;
  readonly deployment?: VisibilityLevel | StepLevels;
  /** Both a default and a ceiling. Kinds that a role does not name are as the built-in role has them, or as an end user's. */
  readonly roles?: NamedMap<VisibilityLevel | StepLevels>;
  readonly agents?: NamedMap<VisibilityLevel | StepLevels>;
  readonly toolKinds?: NamedMap<ToolRule>;
  /** Kinds of your own tools that these rules name, besides `knownKinds`. */
  readonly kinds?: readonly string[];
  /** Comes before what the tool says of itself. */
  readonly tools?: NamedMap<ToolRule>;
  /** Marked steps, by id. */
  readonly steps?: NamedMap<VisibilityLevel>;
  readonly required?: readonly SecurityRule[];
  /** What is hidden in the chains of all. */
  readonly redact?: RedactionPolicy;
  /** What is hidden in a tenant's chains besides; of `kinds`, what either names. */
  readonly tenants?: NamedMap<RedactionPolicy>;
}

export const allPreferencesOn: Preferences = {
  progressSummary: true,
  thinking: true,
  externalCalls: true,
  internalCalls: true,
  finalReasoning: true,
};

/**
 * Who looks at a chain, by role; what is not told has its default.
 *
 * @example
 * const view = await handle.view(viewerOf('end_user', { tenant: 'acme' }));
 */
export function createViewer(role: string, more: Partial<Omit<Viewer, 'role'>> = {}): Viewer {
  return { tenant: null, user: null, preferences: allPreferencesOn, expanded: [], ...more, role };
}

/** Who looks at what, by which rules. */
export interface ViewScene {
  readonly viewer: Viewer;
  readonly config: VisibilityConfig;
  readonly chain: Pick<Reasoning, 'agent' | 'tenant' | 'tools' | 'ancestry'>;
  /** Of a sub-chain `3.1/`, before the ids of its steps; else empty. Where the view begins, it is empty. */
  readonly path: string;
  /** Where the view begins, as rules name it; absent where that is at the root, and where `chain` has a `descent`. */
  readonly place?: string;
}

/** As much of a step as its level depends on. */
export interface StepRef {
  readonly id: string;
  readonly kind: StepKind;
  readonly tool?: string;
  readonly toolKind?: string;
}

/**
 * One for a whole tree of chains: what is hidden in one of them is not read in another, and the same value has the same
 * mark in all. What a tool or a tenant adds never takes back what others hide.
 */
export function buildRedactionPolicy(tree: Reasoning, config: VisibilityConfig): RedactionPolicy {
  const chains = listOpenedChains(tree);
  const named = <T>(from: { readonly [name: string]: T } | undefined, names: readonly string[]): readonly T[] =>
    [...new Set(names)].flatMap((name) => findOwn(from ?? {}, name) ?? []);
  const tools = chains.flatMap((chain) => Object.keys(chain.tools ?? {}));
  const kinds = chains.flatMap((chain) => Object.values(chain.tools ?? {}).map(({ kind }) => kind ?? 'external'));
  // The tools of the chains above are not known to a reader of a sub-chain alone: all rules count then.
  const rules =
    tree.ancestry === undefined
      ? [...named(config.tools, tools), ...named(config.toolKinds, kinds)]
      : [...Object.values(config.tools ?? {}), ...Object.values(config.toolKinds ?? {})];
  const tenants = chains.flatMap(({ tenant }) => tenant ?? []);
  return mergePolicies(
    config.redact ?? {},
    ...named(config.tenants, tenants),
    ...rules.map(({ redact }) => ({ keys: redact?.keys ?? [], patterns: redact?.patterns ?? [] })),
  );
}

function listOpenedChains(tree: Reasoning): readonly Reasoning[] {
  const opened = Object.values(tree.children).flatMap((chains) => chains.flatMap(({ chain }) => chain ?? []));
  return [tree, ...opened.flatMap(listOpenedChains)];
}
