/** The strategies by name. A new one is a new file and a line here. */

import { count } from '../lib/display.js';
import type { StrategyOptions } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import { autonomous } from './autonomous.js';
import { plan } from './plan.js';
import { react } from './react/react.js';
import type { Reading, Strategy } from './strategy.js';
import { tools } from './tools.js';

const strategies: Readonly<Record<StrategyOptions['name'], Strategy>> = {
  react: bounded(react),
  tools: bounded(tools),
  autonomous: bounded(autonomous),
  plan: bounded(plan),
};

export function strategyOf(options: StrategyOptions): Strategy {
  return strategies[options.name];
}

/**
 * L7: a reply with tens of thousands of calls would take the workflow longer than Temporal lets a workflow task take, which
 * is then retried for ever. It is a problem like any other that a reply may have.
 */
function bounded(strategy: Strategy): Strategy {
  return { ...strategy, interpret: (...given) => withFewCalls(strategy.interpret(...given)) };
}

function withFewCalls(reading: Reading): Reading {
  const asked = reading.calls.length;
  if (asked <= defaults.callsPerReply) return reading;
  const problem = `Your reply asks for ${count(asked)} calls. Ask for ${defaults.callsPerStep} at most, and for others in the next reply.`;
  return { ...reading, calls: [], problem };
}
