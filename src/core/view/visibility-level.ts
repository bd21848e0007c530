/**
 * How much of a step a viewer sees, and which rule decides.
 *
 * V1 Security rules apply first, then the role's ceiling, then the viewer's preferences, then the defaults. A later
 *    rule never lifts an earlier one. A role may state how far it opens single steps: their ceiling is at least that.
 * V2 The most specific default wins: step, tool, kind of tool, agent, role, deployment, platform. A tool that sets the
 *    visibility of its call while it runs only lowers that default. Neither it nor the level of a kind lowers what a developer
 *    sees: a rule for the tool or for the role does.
 * V3 Unknown values are hidden: an unknown role is an end user, an unknown level hides, another tenant's chain is
 *    hidden. Where an agent's tools are unknown, its calls are a line each, since their sensitive paths are unknown.
 * V4 An auditor sees every step in full; no rule or preference hides a step from an auditor. V3 still applies to
 *    another tenant's chain.
 * V5 A sub-chain under its own id shows no more than the path from the root leaves: its steps are places, even where
 *    the path leaves a line of it. Where rules name sensitive paths of tools, those of the chains above are unknown to
 *    a reader of the sub-chain alone, who then sees at most a line of each step. The same holds for a follow-up, where
 *    rules name sensitive paths of tools that the chains before it called.
 */

import { findOwn, isObject } from '../lib/index.js';
import type { BuiltInRole, SeenTool, ToolView, VisibilityLevel } from '../model/index.js';
import { allPreferencesOn, getPreferences, type Preferences } from './preferences.js';
import type { LevelKind, RoleLevels, StepLevels, StepRef, ViewScene } from './visibility.js';

export type LevelSource =
  | 'path'
  | 'security'
  | 'role'
  | 'preference'
  | 'step_mark'
  | 'step'
  | 'tool'
  | 'tool_kind'
  | 'agent'
  | 'deployment'
  | 'default';

/** A level, and the rule that decided it. */
export interface LevelResult {
  readonly level: VisibilityLevel;
  readonly by: LevelSource;
}

const endUserLevels: Required<StepLevels> = {
  thinking: 'summary',
  tool_call: 'summary',
  tool_result: 'summary',
  synthesis: 'full',
  notice: 'full',
};
const fullLevels: Required<StepLevels> = {
  thinking: 'full',
  tool_call: 'full',
  tool_result: 'full',
  synthesis: 'full',
  notice: 'full',
};
const builtInLevels: { readonly [role in BuiltInRole]: Required<StepLevels> } = {
  end_user: endUserLevels,
  developer: fullLevels,
  auditor: fullLevels,
};

/** The most that the calls above allow for a sub-chain viewed by its own id. */
export interface PathCeiling {
  readonly level: VisibilityLevel;
  /** Whether its task is shown: it is the argument of the last of these calls. */
  readonly isTaskVisible: boolean;
}

/** V5: applies the reader's rules. An expanded call is written with its chain id: `loan-1/3.1`. */
export function computePathCeiling({ viewer, config, chain }: ViewScene): PathCeiling {
  const { ancestry, tenant } = chain;
  if (ancestry === undefined || canSeeAll({ viewer, chain })) return { level: 'full', isTaskVisible: true };
  const levels = ancestry.calls.map(({ chainId, agent, place, call, tool, view }) => {
    const expanded =
      viewer.expanded === 'all'
        ? 'all'
        : viewer.expanded.flatMap((id) =>
            id.startsWith(`${chainId}/`) ? [`${place}${id.slice(chainId.length + 1)}`] : [],
          );
    const above: ViewScene = {
      viewer: { ...viewer, expanded },
      config,
      chain: { agent, tenant, tools: { [tool]: view } },
      path: place,
    };
    const callRef = { id: call, kind: 'tool_call', tool, toolKind: view.kind ?? 'external' } as const;
    return { chain: computeChildLevel(callRef, above), call: computeLevel(callRef, above).level };
  });
  const level = levels.map((pair) => pair.chain).reduce(pickLowerLevel, 'full');
  const tasked =
    level !== 'hidden' && levels.at(-1)?.call === 'full' && !hasUnknownSensitivePaths({ viewer, config, chain });
  return { level, isTaskVisible: tasked };
}

/** Whether rules name sensitive paths of tools in the chains above or before, whose values this reader does not know. */
export function hasUnknownSensitivePaths({ viewer, config, chain }: Omit<ViewScene, 'path'>): boolean {
  if (canSeeAll({ viewer, chain })) return false;
  const above =
    chain.ancestry === undefined
      ? []
      : [...Object.values(config.tools ?? {}), ...Object.values(config.toolKinds ?? {})];
  const before = (chain.earlier?.tools ?? []).flatMap(({ tool, toolKind }) => [
    findOwn(config.tools ?? {}, tool),
    findOwn(config.toolKinds ?? {}, toolKind),
  ]);
  return [...above, ...before].some((rule) => (rule?.sensitive ?? []).length > 0);
}

/** V1: returns the lowest level; of equals, the one that no later rule could lift. */
export function computeLevel(stepRef: StepRef, scene: ViewScene): LevelResult {
  if (canSeeAll(scene)) return { level: 'full', by: 'role' };
  const step = toLeveledStep(stepRef);
  const ceiling = computeCeiling(step, scene);
  const preferredLevel = findPreferredLevel(step, scene, isOpenRequest(stepRef)) ?? computeDefaultLevel(step, scene);
  return ceiling.level !== 'full' && rankLevel(ceiling.level) <= rankLevel(preferredLevel.level)
    ? ceiling
    : preferredLevel;
}

/** Returns the highest level that the viewer can reach, independent of preferences and defaults. */
export function computeCeiling(stepRef: StepRef, scene: ViewScene): LevelResult {
  if (canSeeAll(scene)) return { level: 'full', by: 'role' };
  const step = toLeveledStep(stepRef);
  if (computePathCeiling(scene).level !== 'full') return { level: 'hidden', by: 'path' };
  const security = computeSecurityLevel(step, scene);
  const role = computeRoleLevel(step, scene);
  return security !== 'full' && rankLevel(security) <= rankLevel(role)
    ? { level: security, by: 'security' }
    : { level: role, by: 'role' };
}

/** Whether a person still has to decide: a switched-off kind would hide what waits for them. */
function isOpenRequest({ kind, status }: StepRef): boolean {
  return kind === 'approval' && status === 'waiting';
}

/**
 * Whether the reason of a step may be the first sentence of its thought: where the viewer reads the thought, or where the
 * role's rule allows it. Of the rules of levels, only the role's own and less specific ones give way to that rule.
 */
export function canQuoteThought(number: number, scene: ViewScene): boolean {
  const { viewer, config } = scene;
  const thought: StepRef = { id: `${number}`, kind: 'thinking' };
  const role = findOwn(config.roles ?? {}, viewer.role);
  const rule = isObject(role) ? (role as RoleLevels).why : undefined;
  if (canSeeAll(scene) || rule === undefined) return computeLevel(thought, scene).level === 'full';
  if (rule !== 'thought') return false;
  const roles = { ...config.roles, [viewer.role]: { thinking: 'full' } as const };
  return computeLevelByRules(thought, { ...scene, config: { ...config, roles } }).level === 'full';
}

/** Returns the level without the viewer's preferences. */
export function computeLevelByRules(stepRef: StepRef, scene: ViewScene): LevelResult {
  return computeLevel(stepRef, { ...scene, viewer: { ...scene.viewer, preferences: allPreferencesOn, expanded: [] } });
}

/** A step of a kind that has levels. */
interface LeveledStep extends StepRef {
  readonly kind: LevelKind;
}

/** A request has the level of its call. */
function toLeveledStep({ kind, id, ...rest }: StepRef): LeveledStep {
  return kind === 'approval' ? { ...rest, kind: 'tool_call', id: id.replace(/p\d+$/, '') } : { ...rest, kind, id };
}

/** Returns the level of a sub-chain: never more than security leaves of its call and result. */
export function computeChildLevel(
  call: StepRef & { readonly tool: string; readonly toolKind: string },
  scene: ViewScene,
): VisibilityLevel {
  if (canSeeAll(scene)) return 'full';
  const { tools, toolKinds } = scene.config;
  const configured =
    findOwn(tools ?? {}, call.tool)?.childChain ??
    findToolView(scene, call.tool)?.childChain ??
    findOwn(toolKinds ?? {}, call.toolKind)?.childChain ??
    'full';
  const caps = (['tool_call', 'tool_result'] as const).map((kind) => {
    const { level, by } = computeLevel({ ...call, kind, id: kind === 'tool_call' ? call.id : `${call.id}r` }, scene);
    return level === 'hidden' || by === 'security' ? level : 'full';
  });
  return [isExpanded(call.id, scene) ? 'full' : toKnownLevel(configured), ...caps].reduce(pickLowerLevel);
}

export function pickLowerLevel(a: VisibilityLevel, b: VisibilityLevel): VisibilityLevel {
  return rankLevel(a) <= rankLevel(b) ? a : b;
}

function rankLevel(level: VisibilityLevel): number {
  return level === 'full' ? 2 : level === 'summary' ? 1 : 0;
}

/** V3: a configuration file may contain any text. */
function toKnownLevel(level: VisibilityLevel): VisibilityLevel {
  return level === 'full' || level === 'summary' ? level : 'hidden';
}

/** Whether the chain is another tenant's: then its texts are hidden as well. */
export function isOtherTenant({ viewer, chain }: Pick<ViewScene, 'viewer' | 'chain'>): boolean {
  return viewer.tenant !== null && viewer.tenant !== chain.tenant;
}

/** V4. */
export function canSeeAll(scene: Pick<ViewScene, 'viewer' | 'chain'>): boolean {
  return scene.viewer.role === 'auditor' && !isOtherTenant(scene);
}

/** Whether the viewer reads private parts of replies, unreadable replies, and stacks of tools: developers and auditors. */
export function canReadInternals(scene: Pick<ViewScene, 'viewer' | 'chain'>): boolean {
  return scene.viewer.role === 'developer' || canSeeAll(scene);
}

function computeSecurityLevel({ kind, tool, toolKind }: LeveledStep, scene: ViewScene): VisibilityLevel {
  if (isOtherTenant(scene)) return 'hidden';
  const unread: VisibilityLevel =
    hasUnknownSensitivePaths(scene) || (tool !== undefined && scene.chain.tools === null) ? 'summary' : 'full';
  return (scene.config.required ?? [])
    .filter((rule) => isMatch(rule.tool, tool) && isMatch(rule.toolKind, toolKind) && isMatch(rule.step, kind))
    .filter((rule) => isMatch(rule.tenant, scene.chain.tenant))
    .map((rule) => (rule.atMost === 'summary' ? 'summary' : 'hidden'))
    .reduce<VisibilityLevel>(pickLowerLevel, unread);
}

function isMatch(expected: string | undefined, is: string | null | undefined): boolean {
  return (expected ?? null) === null || expected === is;
}

function computeRoleLevel({ id, kind }: LeveledStep, scene: ViewScene): VisibilityLevel {
  const { viewer, config } = scene;
  const configured = findOwn(config.roles ?? {}, viewer.role);
  const level =
    findConfiguredLevel(configured, kind) ??
    (findOwn<Required<StepLevels>>(builtInLevels, viewer.role) ?? endUserLevels)[kind];
  const expand = isObject(configured) ? (configured as RoleLevels).expand : undefined;
  if (expand === undefined || !isExpanded(id, scene)) return level;
  return rankLevel(expand) > rankLevel(level) ? toKnownLevel(expand) : level;
}

/**
 * An expanded step is full as far as its ceiling allows; a kind that is switched off is hidden. Switched on is no
 * request for `full`.
 */
function findPreferredLevel(step: LeveledStep, scene: ViewScene, isAlwaysOn: boolean): LevelResult | null {
  if (isExpanded(step.id, scene)) return { level: 'full', by: 'preference' };
  return isAlwaysOn || isSwitchedOn(step, getPreferences(scene.viewer)) ? null : { level: 'hidden', by: 'preference' };
}

function isExpanded(id: string, { viewer: { expanded }, path }: ViewScene): boolean {
  return expanded === 'all' || expanded.includes(`${path}${id}`);
}

/** Whether the user's switches leave the kind of a step on. */
function isSwitchedOn({ kind, toolKind }: Omit<LeveledStep, 'id'>, preferences: Preferences): boolean {
  if (kind === 'thinking') return preferences.thinking;
  if (kind === 'synthesis') return preferences.finalReasoning;
  if (kind === 'notice') return true;
  return toolKind === 'external' ? preferences.externalCalls : preferences.internalCalls;
}

/** V2. */
function computeDefaultLevel(step: LeveledStep, scene: ViewScene): LevelResult {
  const byRules = computeRuleLevel(step, scene);
  const { visibility } = step;
  if (visibility === undefined || scene.viewer.role === 'developer') return byRules;
  const marked = toKnownLevel(visibility.level);
  return rankLevel(marked) < rankLevel(byRules.level) ? { level: marked, by: 'step_mark' } : byRules;
}

function computeRuleLevel({ id, kind, tool, toolKind }: LeveledStep, scene: ViewScene): LevelResult {
  const { config, path, chain, viewer, place = chain.ancestry?.place ?? '' } = scene;
  const marked = config.steps ?? {};
  const configured: readonly (readonly [LevelSource, VisibilityLevel | null | undefined])[] = [
    ['step', findOwn(marked, `${place}${path}${id}`) ?? findOwn(marked, `${path}${id}`)],
    ['tool', tool === undefined ? null : (findOwn(config.tools ?? {}, tool)?.level ?? findOwnToolLevel(tool, scene))],
    ['tool_kind', toolKind === undefined ? null : findKindLevel(toolKind, scene)],
    ['agent', findConfiguredLevel(findOwn(config.agents ?? {}, chain.agent), kind)],
    ['role', findConfiguredLevel(findOwn(config.roles ?? {}, viewer.role), kind)],
    ['deployment', findConfiguredLevel(config.deployment, kind)],
  ];
  for (const [by, level] of configured) if (level != null) return { level: toKnownLevel(level), by };
  return { level: toKnownLevel(config.default ?? 'full'), by: 'default' };
}

function findConfiguredLevel(
  configured: VisibilityLevel | StepLevels | undefined,
  kind: LevelKind,
): VisibilityLevel | null {
  const level = isObject(configured)
    ? findOwn(configured as { readonly [kind: string]: VisibilityLevel }, kind)
    : (configured as VisibilityLevel | undefined);
  return level == null ? null : toKnownLevel(level);
}

/** Returns the level that the tool declares. It is meant for users: only rules lower what a developer sees. */
function findOwnToolLevel(tool: string, scene: ViewScene): VisibilityLevel | undefined {
  return scene.viewer.role === 'developer' ? undefined : findToolView(scene, tool)?.level;
}

/** Returns the level of a kind. It is meant for users, as that of a tool: for developers it lowers nothing. */
function findKindLevel(toolKind: string, { viewer, config }: ViewScene): VisibilityLevel | undefined {
  const level = findOwn(config.toolKinds ?? {}, toolKind)?.level;
  return viewer.role === 'developer' && level !== 'full' ? undefined : level;
}

/** Returns the view that the tool declares. */
export function findToolView({ chain }: ViewScene, tool: string): SeenTool | undefined {
  return findOwn(chain.tools ?? {}, tool);
}

/** Returns a template for the lines of a tool, or its block: of the rules for it, else its own, else of the rules for its kind. */
export function findTemplate<M extends 'summary' | 'request' | 'response' | 'why' | 'block'>(
  member: M,
  { tool, toolKind }: { readonly tool: string; readonly toolKind: string },
  scene: ViewScene,
): ToolView[M] | undefined {
  const { tools, toolKinds } = scene.config;
  return (
    findOwn(tools ?? {}, tool)?.[member] ??
    findToolView(scene, tool)?.[member] ??
    findOwn(toolKinds ?? {}, toolKind)?.[member]
  );
}
