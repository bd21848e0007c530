/** The options of all commands that show chains: who reads, by which rules, and with whose preferences. */

import type { Command } from 'commander';
import { builtInRoles } from '../../core/model/index.js';

/** Adds the options of the viewer. With `filter`, the command has a `--tenant` of its own, which is the viewer's as well. */
export function addViewerOptions(command: Command, tenant: 'viewer' | 'filter' = 'viewer'): Command {
  const viewed = command
    .option('--as <role>', `role of the viewer: ${builtInRoles.join(', ')}, or a role of --visibility`, 'developer')
    .option('--visibility <file>', 'visibility rules as JSON or YAML');
  return addUserOptions(viewed, tenant).option('--json', 'print JSON');
}

/** Adds the options of the viewer of steps, who may open single ones. */
export function addStepViewerOptions(command: Command): Command {
  return addViewerOptions(command).option('--expand <ids>', 'summarized steps to show in full: 3.1,4 or all');
}

/** Adds the options that name the person behind a view. */
export function addUserOptions(command: Command, tenant: 'viewer' | 'filter' = 'viewer'): Command {
  const userCommand = command.option('--user <id>', 'user whose stored preferences apply (longhand preferences)');
  return tenant === 'filter'
    ? userCommand
    : userCommand.option('--tenant <id>', 'tenant of the viewer; chains of other tenants are shown without text');
}
