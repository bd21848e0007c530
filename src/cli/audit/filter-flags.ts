/** The flags that select audit entries. */

import type { Command } from 'commander';
import { auditTypes } from '../../core/audit/index.js';

export interface AuditFilterFlags {
  readonly tenant?: string;
  readonly agent?: string;
  readonly tool?: string;
  readonly person?: string;
  readonly outcome?: string;
  readonly type?: string;
  readonly chain?: string;
  readonly root?: string;
  readonly since?: string;
  readonly until?: string;
  readonly text?: string;
}

export function addFilterOptions(command: Command): Command {
  return command
    .option('--tenant <name>', 'entries of this tenant')
    .option('--agent <name>', 'entries of chains of this agent')
    .option('--tool <name>', 'calls of this tool, and decisions about them')
    .option('--person <name>', 'entries by this person: starts, commands, decisions, reads, exports, erasures')
    .option('--outcome <outcome>', 'entries of chains that ended with this outcome')
    .option('--type <type>', `one of ${auditTypes.join(', ')}`)
    .option('--chain <id>', 'entries of this chain')
    .option('--root <id>', 'entries of this chain and of all its sub-chains')
    .option('--since <time>', 'since then: 30m, 2h, 7d, 2026-11-20')
    .option('--until <time>', 'before then')
    .option('--text <words>', 'entries or contents with these words');
}
