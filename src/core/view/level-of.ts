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

import { isObject, own } from '../lib/json.js';
import type { Level, ToolView } from '../model/agent.js';
import type { LevelKind, Preferences, Scene, Seen, StepLevels } from './visibility.js';

export type DecidedBy =
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
export interface Verdict {
  readonly level: Level;
  readonly by: DecidedBy;
}

const endUser: Required<StepLevels> = {
  thinking: 'summary',
  tool_call: 'summary',
  tool_result: 'summary',
  synthesis: 'full',
  notice: 'full',
};
const all: Required<StepLevels> = {
  thinking: 'full',
  tool_call: 'full',
  tool_result: 'full',
  synthesis: 'full',
  notice: 'full',
};
const builtIn: { readonly [role: string]: Required<StepLevels> } = { end_user: endUser, developer: all, auditor: all };

/** What the calls above leave of a sub-chain that is viewed by its own id. */
export interface LeftByPath {
  readonly level: Level;
  /** Whether its task is shown: it is the argument of the last of these calls. */
  readonly tasked: boolean;
}

/** V5: by the rules of the reader. An opened call is written with the id of its chain: `loan-1/3.1`. */
export function leftByPath({ viewer, config, chain }: Scene): LeftByPath {
  const { descent, tenant } = chain;
  if (descent === undefined || seesAll({ viewer, chain })) return { level: 'full', tasked: true };
  const levels = descent.calls.map(({ chainId, agent, place, call, tool, view }) => {
    const expanded =
      viewer.expanded === 'all'
        ? 'all'
        : viewer.expanded.flatMap((id) =>
            id.startsWith(`${chainId}/`) ? [`${place}${id.slice(chainId.length + 1)}`] : [],
          );
    const above: Scene = {
      viewer: { ...viewer, expanded },
      config,
      chain: { agent, tenant, tools: { [tool]: view } },
      path: place,
    };
    const seen = { id: call, kind: 'tool_call', tool, toolKind: view.kind ?? 'external' } as const;
    return { chain: childLevelOf(seen, above), call: levelOf(seen, above).level };
  });
  const level = levels.map((each) => each.chain).reduce(lower, 'full');
  const tasked = level !== 'hidden' && levels.at(-1)?.call === 'full' && !mayHoldUnknown({ viewer, config, chain });
  return { level, tasked };
}

/** Whether rules call paths of tools sensitive that chains above may have, of which this reader knows nothing. */
export function mayHoldUnknown({ viewer, config, chain }: Omit<Scene, 'path'>): boolean {
  if (chain.descent === undefined || seesAll({ viewer, chain })) return false;
  const rules = [...Object.values(config.tools ?? {}), ...Object.values(config.toolKinds ?? {})];
  return rules.some(({ sensitive = [] }) => sensitive.length > 0);
}

/** V1: the lowest of them; of equals, the one that nothing behind it could lift. */
export function levelOf(seen: Seen, scene: Scene): Verdict {
  if (seesAll(scene)) return { level: 'full', by: 'role' };
  const step = ofCall(seen);
  const ceiling = ceilingOf(step, scene);
  const asked = askedFor(step, scene) ?? defaultOf(step, scene);
  return ceiling.level !== 'full' && rank(ceiling.level) <= rank(asked.level) ? ceiling : asked;
}

/** The most that the viewer could see of a step, whatever is opened and whatever the defaults are. */
export function ceilingOf(seen: Seen, scene: Scene): Verdict {
  if (seesAll(scene)) return { level: 'full', by: 'role' };
  const step = ofCall(seen);
  if (leftByPath(scene).level !== 'full') return { level: 'hidden', by: 'path' };
  const security = securityOf(step, scene);
  const role = roleOf(step.kind, scene);
  return security !== 'full' && rank(security) <= rank(role)
    ? { level: security, by: 'security' }
    : { level: role, by: 'role' };
}

/** A step that has a level of its own. */
interface Leveled extends Seen {
  readonly kind: LevelKind;
}

/** What people were asked about a call, and said, is shown as far as the call is. */
function ofCall({ kind, id, ...rest }: Seen): Leveled {
  return kind === 'approval' ? { ...rest, kind: 'tool_call', id: id.replace(/p\d+$/, '') } : { ...rest, kind, id };
}

/** How much of the chain that a call began is shown. Never more than security leaves of the call and of its result. */
export function childLevelOf(call: Seen & { readonly tool: string; readonly toolKind: string }, scene: Scene): Level {
  if (seesAll(scene)) return 'full';
  const { tools, toolKinds } = scene.config;
  const said =
    own(tools ?? {}, call.tool)?.childChain ??
    ownView(scene, call.tool)?.childChain ??
    own(toolKinds ?? {}, call.toolKind)?.childChain ??
    'full';
  const caps = (['tool_call', 'tool_result'] as const).map((kind) => {
    const { level, by } = levelOf({ ...call, kind, id: kind === 'tool_call' ? call.id : `${call.id}r` }, scene);
    return level === 'hidden' || by === 'security' ? level : 'full';
  });
  return [isOpen(call.id, scene) ? 'full' : known(said), ...caps].reduce(lower);
}

export function lower(a: Level, b: Level): Level {
  return rank(a) <= rank(b) ? a : b;
}

function rank(level: Level): number {
  return level === 'full' ? 2 : level === 'summary' ? 1 : 0;
}

/** V3: what comes from a file may be any word. */
function known(level: Level): Level {
  return level === 'full' || level === 'summary' ? level : 'hidden';
}

/** Whether the chain is another tenant's: then its words are not shown either. */
export function isForeign({ viewer, chain }: Pick<Scene, 'viewer' | 'chain'>): boolean {
  return viewer.tenant !== null && viewer.tenant !== chain.tenant;
}

/** V4. */
export function seesAll(scene: Pick<Scene, 'viewer' | 'chain'>): boolean {
  return scene.viewer.role === 'auditor' && !isForeign(scene);
}

function securityOf({ kind, tool, toolKind }: Leveled, scene: Scene): Level {
  if (isForeign(scene)) return 'hidden';
  const unread: Level =
    mayHoldUnknown(scene) || (tool !== undefined && scene.chain.tools === null) ? 'summary' : 'full';
  return (scene.config.required ?? [])
    .filter((rule) => fits(rule.tool, tool) && fits(rule.toolKind, toolKind) && fits(rule.step, kind))
    .filter((rule) => fits(rule.tenant, scene.chain.tenant))
    .map((rule) => (rule.atMost === 'summary' ? 'summary' : 'hidden'))
    .reduce<Level>(lower, unread);
}

function fits(wanted: string | undefined, is: string | null | undefined): boolean {
  return (wanted ?? null) === null || wanted === is;
}

function roleOf(kind: LevelKind, { viewer, config }: Scene): Level {
  return saidOf(own(config.roles ?? {}, viewer.role), kind) ?? (own(builtIn, viewer.role) ?? endUser)[kind];
}

/** What was opened is whole as far as it may be; what was switched off is hidden. Being switched on asks for nothing. */
function askedFor(step: Leveled, scene: Scene): Verdict | null {
  if (isOpen(step.id, scene)) return { level: 'full', by: 'preference' };
  return isOn(step, scene.viewer.preferences) ? null : { level: 'hidden', by: 'preference' };
}

function isOpen(id: string, { viewer: { expanded }, path }: Scene): boolean {
  return expanded === 'all' || expanded.includes(`${path}${id}`);
}

function isOn({ kind, toolKind }: Leveled, preferences: Preferences): boolean {
  if (kind === 'thinking') return preferences.thinking;
  if (kind === 'synthesis') return preferences.finalReasoning;
  if (kind === 'notice') return true;
  return toolKind === 'external' ? preferences.externalCalls : preferences.internalCalls;
}

/** V2. */
function defaultOf({ id, kind, tool, toolKind }: Leveled, scene: Scene): Verdict {
  const { config, path, chain, viewer, place = chain.descent?.place ?? '' } = scene;
  const marked = config.steps ?? {};
  const said: readonly (readonly [DecidedBy, Level | null | undefined])[] = [
    ['step', own(marked, `${place}${path}${id}`) ?? own(marked, `${path}${id}`)],
    ['tool', tool === undefined ? null : (own(config.tools ?? {}, tool)?.level ?? ownView(scene, tool)?.level)],
    ['tool_kind', toolKind === undefined ? null : own(config.toolKinds ?? {}, toolKind)?.level],
    ['agent', saidOf(own(config.agents ?? {}, chain.agent), kind)],
    ['role', saidOf(own(config.roles ?? {}, viewer.role), kind)],
    ['deployment', saidOf(config.deployment, kind)],
  ];
  for (const [by, level] of said) if (level != null) return { level: known(level), by };
  return { level: known(config.default ?? 'full'), by: 'default' };
}

function saidOf(said: Level | StepLevels | undefined, kind: LevelKind): Level | null {
  const level = isObject(said) ? own(said as { readonly [kind: string]: Level }, kind) : (said as Level | undefined);
  return level == null ? null : known(level);
}

/** What the tool says of itself. */
export function ownView({ chain }: Scene, tool: string): ToolView | undefined {
  return own(chain.tools ?? {}, tool);
}
