/** `--module`: the module of the user that the commands for agents and tools load. */

import { Option } from 'commander';

export function createModuleOption(): Option {
  return new Option('--module <file>', 'module with the agents (default: ./agents.ts)');
}
