/**
 * How much of a step somebody sees, and why.
 *
 * V1 Security rules come before everything, then the role's ceiling, then what the viewer asked for, then the defaults.
 *    What stands later never lifts what stands earlier.
 * V2 Of the defaults the most specific wins: step, tool, kind of tool, agent, role, deployment, platform.
 * V3 What is not known is not shown: an unknown role is an end user, an unknown level hides, another tenant's chain is
 *    hidden, and where an agent's tools are not known their calls are a line each, since what is sensitive is not known.
 * V4 An auditor sees every step whole; neither rule nor preference hides anything from one. Another tenant's chain is no
 *    exception to V3.
 * V5 What the path from the root hides is hidden under the sub-chain's own id: its steps are places, also where the path
 *    leaves a line of it. Where rules call paths of tools sensitive, those of the chains above are not known to a reader of
 *    the sub-chain alone: then it sees a line of each step at most.
 */

import { findOwn, isObject } from '../lib/json.js';
import type { ToolView, VisibilityLevel } from '../model/agent.js';
import type { LevelKind, Preferences, StepLevels, StepRef, ViewScene } from './visibility.js';

export type LevelSource =
  | 'path'
  | 'security'
  | 'role'
  | 'preference'
  | 'step'
  | 'tool'
  | 'tool_kind'
  | 'agent'
  | 'deployment'
  | 'default';

/** A level, and what decided it, for who asks why. */
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
const builtInLevels: { readonly [role: string]: Required<StepLevels> } = {
  end_user: endUserLevels,
  developer: fullLevels,
  auditor: fullLevels,
};

/** What the calls above leave of a sub-chain that is viewed by its own id. */
export interface PathCeiling {
  readonly level: VisibilityLevel;
  /** Whether its task is shown: it is the argument of the last of these calls. */
  readonly isTaskVisible: boolean;
}

/** V5: by the rules of the reader. An opened call is written with the id of its chain: `loan-1/3.1`. */
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
    const seen = { id: call, kind: 'tool_call', tool, toolKind: view.kind ?? 'external' } as const;
    return { chain: computeChildLevel(seen, above), call: computeLevel(seen, above).level };
  });
  const level = levels.map((each) => each.chain).reduce(pickLowerLevel, 'full');
  const tasked =
    level !== 'hidden' && levels.at(-1)?.call === 'full' && !hasUnknownSensitivePaths({ viewer, config, chain });
  return { level, isTaskVisible: tasked };
}

/** Whether rules call paths of tools sensitive that chains above may have, of which this reader knows nothing. */
export function hasUnknownSensitivePaths({ viewer, config, chain }: Omit<ViewScene, 'path'>): boolean {
  if (chain.ancestry === undefined || canSeeAll({ viewer, chain })) return false;
  const rules = [...Object.values(config.tools ?? {}), ...Object.values(config.toolKinds ?? {})];
  return rules.some(({ sensitive = [] }) => sensitive.length > 0);
}

/** V1: the lowest of them; of equals, the one that nothing behind it could lift. */
export function computeLevel(seen: StepRef, scene: ViewScene): LevelResult {
  if (canSeeAll(scene)) return { level: 'full', by: 'role' };
  const step = toLeveledStep(seen);
  const ceiling = computeCeiling(step, scene);
  const asked = findPreferredLevel(step, scene) ?? computeDefaultLevel(step, scene);
  return ceiling.level !== 'full' && rankLevel(ceiling.level) <= rankLevel(asked.level) ? ceiling : asked;
}

/** The most that the viewer could see of a step, whatever is opened and whatever the defaults are. */
export function computeCeiling(seen: StepRef, scene: ViewScene): LevelResult {
  if (canSeeAll(scene)) return { level: 'full', by: 'role' };
  const step = toLeveledStep(seen);
  if (computePathCeiling(scene).level !== 'full') return { level: 'hidden', by: 'path' };
  const security = computeSecurityLevel(step, scene);
  const role = computeRoleLevel(step.kind, scene);
  return security !== 'full' && rankLevel(security) <= rankLevel(role)
    ? { level: security, by: 'security' }
    : { level: role, by: 'role' };
}

/** A step that has a level of its own. */
interface LeveledStep extends StepRef {
  readonly kind: LevelKind;
}

/** What people were asked about a call, and said, is shown as far as the call is. */
function toLeveledStep({ kind, id, ...rest }: StepRef): LeveledStep {
  return kind === 'approval' ? { ...rest, kind: 'tool_call', id: id.replace(/p\d+$/, '') } : { ...rest, kind, id };
}

/** How much of the chain that a call began is shown. Never more than security leaves of the call and of its result. */
export function computeChildLevel(
  call: StepRef & { readonly tool: string; readonly toolKind: string },
  scene: ViewScene,
): VisibilityLevel {
  if (canSeeAll(scene)) return 'full';
  const { tools, toolKinds } = scene.config;
  const said =
    findOwn(tools ?? {}, call.tool)?.childChain ??
    findToolView(scene, call.tool)?.childChain ??
    findOwn(toolKinds ?? {}, call.toolKind)?.childChain ??
    'full';
  const caps = (['tool_call', 'tool_result'] as const).map((kind) => {
    const { level, by } = computeLevel({ ...call, kind, id: kind === 'tool_call' ? call.id : `${call.id}r` }, scene);
    return level === 'hidden' || by === 'security' ? level : 'full';
  });
  return [isExpanded(call.id, scene) ? 'full' : toKnownLevel(said), ...caps].reduce(pickLowerLevel);
}

export function pickLowerLevel(a: VisibilityLevel, b: VisibilityLevel): VisibilityLevel {
  return rankLevel(a) <= rankLevel(b) ? a : b;
}

function rankLevel(level: VisibilityLevel): number {
  return level === 'full' ? 2 : level === 'summary' ? 1 : 0;
}

/** V3: what comes from a file may be any word. */
function toKnownLevel(level: VisibilityLevel): VisibilityLevel {
  return level === 'full' || level === 'summary' ? level : 'hidden';
}

/** Whether the chain is another tenant's: then its words are not shown either. */
export function isForeignTenant({ viewer, chain }: Pick<ViewScene, 'viewer' | 'chain'>): boolean {
  return viewer.tenant !== null && viewer.tenant !== chain.tenant;
}

/** V4. */
export function canSeeAll(scene: Pick<ViewScene, 'viewer' | 'chain'>): boolean {
  return scene.viewer.role === 'auditor' && !isForeignTenant(scene);
}

function computeSecurityLevel({ kind, tool, toolKind }: LeveledStep, scene: ViewScene): VisibilityLevel {
  if (isForeignTenant(scene)) return 'hidden';
  const unread: VisibilityLevel =
    hasUnknownSensitivePaths(scene) || (tool !== undefined && scene.chain.tools === null) ? 'summary' : 'full';
  return (scene.config.required ?? [])
    .filter((rule) => isMatch(rule.tool, tool) && isMatch(rule.toolKind, toolKind) && isMatch(rule.step, kind))
    .filter((rule) => isMatch(rule.tenant, scene.chain.tenant))
    .map((rule) => (rule.atMost === 'summary' ? 'summary' : 'hidden'))
    .reduce<VisibilityLevel>(pickLowerLevel, unread);
}

function isMatch(wanted: string | undefined, is: string | null | undefined): boolean {
  return (wanted ?? null) === null || wanted === is;
}

function computeRoleLevel(kind: LevelKind, { viewer, config }: ViewScene): VisibilityLevel {
  return (
    findConfiguredLevel(findOwn(config.roles ?? {}, viewer.role), kind) ??
    (findOwn(builtInLevels, viewer.role) ?? endUserLevels)[kind]
  );
}

/** What was opened is whole as far as it may be; what was switched off is hidden. Being switched on asks for nothing. */
function findPreferredLevel(step: LeveledStep, scene: ViewScene): LevelResult | null {
  if (isExpanded(step.id, scene)) return { level: 'full', by: 'preference' };
  return isSwitchedOn(step, scene.viewer.preferences) ? null : { level: 'hidden', by: 'preference' };
}

function isExpanded(id: string, { viewer: { expanded }, path }: ViewScene): boolean {
  return expanded === 'all' || expanded.includes(`${path}${id}`);
}

function isSwitchedOn({ kind, toolKind }: LeveledStep, preferences: Preferences): boolean {
  if (kind === 'thinking') return preferences.thinking;
  if (kind === 'synthesis') return preferences.finalReasoning;
  if (kind === 'notice') return true;
  return toolKind === 'external' ? preferences.externalCalls : preferences.internalCalls;
}

/** V2. */
function computeDefaultLevel({ id, kind, tool, toolKind }: LeveledStep, scene: ViewScene): LevelResult {
  const { config, path, chain, viewer, place = chain.ancestry?.place ?? '' } = scene;
  const marked = config.steps ?? {};
  const said: readonly (readonly [LevelSource, VisibilityLevel | null | undefined])[] = [
    ['step', findOwn(marked, `${place}${path}${id}`) ?? findOwn(marked, `${path}${id}`)],
    [
      'tool',
      tool === undefined ? null : (findOwn(config.tools ?? {}, tool)?.level ?? findToolView(scene, tool)?.level),
    ],
    ['tool_kind', toolKind === undefined ? null : findOwn(config.toolKinds ?? {}, toolKind)?.level],
    ['agent', findConfiguredLevel(findOwn(config.agents ?? {}, chain.agent), kind)],
    ['role', findConfiguredLevel(findOwn(config.roles ?? {}, viewer.role), kind)],
    ['deployment', findConfiguredLevel(config.deployment, kind)],
  ];
  for (const [by, level] of said) if (level != null) return { level: toKnownLevel(level), by };
  return { level: toKnownLevel(config.default ?? 'full'), by: 'default' };
}

function findConfiguredLevel(said: VisibilityLevel | StepLevels | undefined, kind: LevelKind): VisibilityLevel | null {
  const level = isObject(said)
    ? findOwn(said as { readonly [kind: string]: VisibilityLevel }, kind)
    : (said as VisibilityLevel | undefined);
  return level == null ? null : toKnownLevel(level);
}

/** What the tool says of itself. */
export function findToolView({ chain }: ViewScene, tool: string): ToolView | undefined {
  return findOwn(chain.tools ?? {}, tool);
}
