/** A chain that a call began, in one line: its own page has the rest. */

import { usd } from '../../core/display.js';
import { oneLine } from '../../core/plain.js';
import type { ChildView } from '../../core/reasoning-view.js';
import type { Branch } from './branch.js';
import type { Colors } from './colors.js';
import { wrapped } from './text.js';

export function childBranch(child: ChildView | undefined, c: Colors): readonly Branch[] {
  if (child === undefined) return [];
  const { chainId, agent, state, outcome, costUsd } = child.level === 'full' ? child.chain : child;
  const steps = child.level === 'full' ? Math.max(0, ...child.chain.steps.map(({ number }) => number)) : child.steps;
  const facts = [
    outcome ?? state,
    `${steps} ${steps === 1 ? 'step' : 'steps'}`,
    ...(costUsd === null ? [] : [usd(costUsd)]),
  ];
  const text = `${agent} ${facts.join(' · ')}  (longhand chain show ${chainId})`;
  return [{ lines: (room) => wrapped(oneLine(text), room).map((line) => c.blue(line)), under: [] }];
}
