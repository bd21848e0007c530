/** What is hidden in a chain, by all who have a say in it: the platform, the tenant, and whoever speaks for its tools. */

import { own } from '../lib/json.js';
import { mergePolicies, type RedactionPolicy } from '../redact/policy.js';
import type { Reasoning } from './reasoning.js';
import type { VisibilityConfig } from './visibility.js';

/**
 * One for a whole tree of chains: what is hidden in one of them is not read in another, and the same value has the same
 * mark in all. What a tool or a tenant adds never takes back what others hide.
 */
export function policyOf(tree: Reasoning, config: VisibilityConfig): RedactionPolicy {
  const chains = allOf(tree);
  const named = <T>(from: { readonly [name: string]: T } | undefined, names: readonly string[]): readonly T[] =>
    [...new Set(names)].flatMap((name) => own(from ?? {}, name) ?? []);
  const tools = chains.flatMap((chain) => Object.keys(chain.tools ?? {}));
  const kinds = chains.flatMap((chain) => Object.values(chain.tools ?? {}).map(({ kind }) => kind ?? 'external'));
  // The tools of the chains above are not known to a reader of a sub-chain alone: all rules count then.
  const rules =
    tree.descent === undefined
      ? [...named(config.tools, tools), ...named(config.toolKinds, kinds)]
      : [...Object.values(config.tools ?? {}), ...Object.values(config.toolKinds ?? {})];
  const tenants = chains.flatMap(({ tenant }) => tenant ?? []);
  return mergePolicies(
    config.redact ?? {},
    ...named(config.tenants, tenants),
    ...rules.map(({ redact }) => ({ keys: redact?.keys ?? [], patterns: redact?.patterns ?? [] })),
  );
}

function allOf(tree: Reasoning): readonly Reasoning[] {
  const opened = Object.values(tree.children).flatMap((chains) => chains.flatMap(({ chain }) => chain ?? []));
  return [tree, ...opened.flatMap(allOf)];
}
