/** The strategies by name. A new one is a new file and a line here. */

import type { StrategyOptions } from '../agent.js';
import { autonomous } from './autonomous.js';
import { plan } from './plan.js';
import { react } from './react.js';
import type { Strategy } from './strategy.js';
import { tools } from './tools.js';

const strategies: Readonly<Record<StrategyOptions['name'], Strategy>> = { react, tools, autonomous, plan };

export function strategyOf(options: StrategyOptions): Strategy {
  return strategies[options.name];
}
