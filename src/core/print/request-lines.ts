/** What people were asked about a call, and each thing that they said of it, as lines. */

import { argumentsText, clock, longDuration } from '../lib/display.js';
import type { Json } from '../lib/json.js';
import { type AskKind, approvalsOf, type Decided } from '../model/ask.js';
import { askFacts, decidedText } from '../state/decided-text.js';
import type { FullStep } from '../view/reasoning-view.js';
import { type Fact, inWords, type Line, lineOf, named } from './line.js';

type Approval = Extract<FullStep, { kind: 'approval' }>;

export function requestLines(step: Approval, detail: 'short' | 'whole'): readonly Line[] {
  if (detail === 'whole') return wholeRequest(step);
  const { request, tool, status, durationMs, decisions } = step;
  return [
    ...decisions.map((decided) => {
      const took = decided === decisions.at(-1) && durationMs !== null ? [longDuration(durationMs)] : [];
      return decisionLine({ request, tool, decided, all: decisions }, took);
    }),
    ...(status === 'waiting' ? [waitingLine(step, approvalsOf(decisions).length)] : []),
    ...(status === 'not_decided' ? [undecided(step)] : []),
  ];
}

/** Why the outcome of a call is not known is in a notice, and a question is in its call. */
export function waitingLine(
  step: Pick<Approval, 'request' | 'tool' | 'reason' | 'risk' | 'roles' | 'approvers' | 'onExpiry' | 'expiresAt'>,
  approved: number,
): Line {
  const { request, tool, reason } = step;
  const said = {
    approval: `Waits for approval. ${reason}`,
    outcome: 'Waits for somebody to say whether it happened.',
    question: 'Waits for an answer.',
  };
  const facts = askFacts({ ...step, approved }).map((fact): Fact => ({ said: fact }));
  return lineOf(named(request, 'person', tool), { said: said[request], style: 'warning', facts });
}

export interface Decision {
  readonly request: AskKind;
  readonly tool: string;
  readonly decided: Decided;
  /** All that was said of the request. Default: this alone. */
  readonly all?: readonly Decided[];
  /** The arguments that it was changed to, as they may be shown. Default: those of the decision. */
  readonly changed?: Json;
}

export function decisionLine(
  { request, tool, decided, all = [decided], changed = decided.input }: Decision,
  facts: readonly Fact[] = [],
): Line {
  const said = decidedText(decided, changed === undefined ? null : argumentsText(changed), all);
  return lineOf(named(request, 'person', tool), { said, style: isGood(decided) ? 'good' : 'warning', facts });
}

function isGood({ what }: Decided): boolean {
  return what === 'approved' || what === 'answered' || what === 'happened' || what === 'not_happened';
}

function undecided({ request, tool }: Approval): Line {
  return lineOf(named(request, 'person', tool), { said: 'Not decided: the chain ended first.', style: 'warning' });
}

function wholeRequest(step: Approval): readonly Line[] {
  const { request, tool, status, reason, decisions, digest, durationMs } = step;
  const facts: readonly Fact[] = [
    inWords(status),
    ...askFacts({ ...step, approved: approvalsOf(decisions).length }).map((said) => ({ said })),
    `digest ${digest}`,
    ...(durationMs === null ? [] : [`decided after ${longDuration(durationMs)}`]),
  ];
  const decided = decisions.flatMap((each): readonly Line[] => [
    lineOf(named('decision', 'person'), {
      said: decidedText(each, null, decisions),
      facts: [clock(each.at), ...(each.roles.length === 0 ? [] : [{ said: `as ${each.roles.join(', ')}` }])],
    }),
    ...(each.input === undefined
      ? []
      : [lineOf(named('changed to', 'person'), { said: each.input, form: 'arguments' })]),
  ]);
  return [lineOf(named(request, 'person', tool), { said: reason, facts }), ...decided];
}
