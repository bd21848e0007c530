/** The first lines of the Web UI's details, which have no text of people, models or tools. */

import { findCurrentStep, formatStepProgress } from '../../core/engine/index.js';
import { formatCount, formatTotalUsd } from '../../core/lib/index.js';
import { type ChainState, describeLimits, formatAgent } from '../../core/model/index.js';
import { formatLengthWarning } from '../../core/view/index.js';

/** `### Step 3 of at most 12 · 4,100 tokens · $0.02`, the warning of a long chain, and the agent. */
export function formatTitle(state: ChainState): readonly string[] {
  const { agent, charged, stop, steps, unpricedTokens } = state;
  const current = findCurrentStep(state);
  const facts = [
    current === null ? `${steps} ${steps === 1 ? 'step' : 'steps'}` : `Step ${formatStepProgress(current)}`,
    `${formatCount(charged.tokens)} tokens`,
    ...(charged.usd === null ? [] : [formatTotalUsd(charged.usd, unpricedTokens)]),
  ];
  const warning = formatLengthWarning(steps);
  return [
    `### ${[...(stop === null ? [] : [stop.outcome]), ...facts].join(' · ')}`,
    ...(warning === null ? [] : [`⚠ ${warning}`]),
    ...(agent === null
      ? []
      : [`${formatAgent(agent)} · ${agent.model.name} · at most ${describeLimits(agent.limits)}`]),
  ];
}
