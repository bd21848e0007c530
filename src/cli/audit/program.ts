/** `longhand audit …`: the log of what was done. Each command is loaded when it is called. */

import { type Command, Option } from 'commander';
import { collectValues } from '../flags/values.js';
import type { CommandAction } from '../terminal/terminal.js';
import type { AuditExportFlags } from './export.js';
import { addFilterOptions } from './filter-flags.js';
import type { QueryFlags } from './query.js';
import type { AcceptFlags, AnchorFlags, KeyFlags } from './signing.js';
import type { AuditVerifyFlags } from './verify.js';

export function addAuditCommands(program: Command, act: CommandAction): void {
  const audit = program.command('audit').description('the audit log: what chains and people did, provably unaltered');

  addFilterOptions(audit.command('query'))
    .description('list entries, the newest first')
    .option('--contents', 'with what was said in them; that it was read is written into the log')
    .option('--by <name>', 'who reads (default: who is logged in)')
    .option('--limit <entries>', 'the most that are shown', '50')
    .option('--cursor <cursor>', 'go on where a list ended')
    .option('--json', 'print JSON, one entry a line')
    .action(act(async (terminal, flags: QueryFlags) => (await import('./query.js')).queryAuditLog(terminal, flags)));

  addFilterOptions(audit.command('export'))
    .description('take entries away: with their proof, as a table, or as a report; the log tells of it')
    .addOption(
      new Option('--format <format>', 'entries with proof, a table, or a report to read')
        .choices(['jsonl', 'csv', 'markdown'])
        .default('jsonl'),
    )
    .option('--out <path>', 'the folder (jsonl) or the file; standard output without (csv, markdown)')
    .option('--by <name>', 'who exports (default: who is logged in)')
    .action(
      act(async (terminal, flags: AuditExportFlags) => (await import('./export.js')).exportAudit(terminal, flags)),
    );

  audit
    .command('verify [export]')
    .description('prove an export, offline, or the log in its store; exit 1 and say where, if anything was altered')
    .option('--key <id or file>', 'the key that counts, by its id or as a PEM file; repeatable', collectValues, [])
    .option(
      '--anchor <file>',
      'a file of `audit anchor`, whose heads the log has to hold; repeatable',
      collectValues,
      [],
    )
    .option('--unsigned', 'unsigned entries are no fault; with a key, only those behind the newest signed head')
    .option('--namespace <name>', 'of the log in its store (default: TEMPORAL_NAMESPACE, else default)')
    .option('--json', 'print JSON')
    .action(
      act(async (terminal, folder: string | undefined, flags: AuditVerifyFlags) =>
        (await import('./verify.js')).verifyAudit(terminal, folder, flags),
      ),
    );

  audit
    .command('anchor')
    .description('sign the heads of the logs now, and print them for an outside witness')
    .option('--out <file>', 'append them to a file')
    .option('--post <url>', 'send them to a witness over HTTP')
    .option('--tenant <tenant>', "one tenant's log alone")
    .option('--namespace <name>', 'of the logs (default: TEMPORAL_NAMESPACE, else default)')
    .action(act(async (terminal, flags: AnchorFlags) => (await import('./signing.js')).anchorHeads(terminal, flags)));

  audit
    .command('accept')
    .description('after a backup was restored: sign logs as they are, although more was signed before; the logs say so')
    .requiredOption('--reason <text>', 'why')
    .option('--by <name>', 'who accepts (default: who is logged in)')
    .action(
      act(async (terminal, flags: AcceptFlags) => (await import('./signing.js')).acceptRestoredLogs(terminal, flags)),
    );

  audit
    .command('key')
    .description('make a key to sign with (--out), or print the id of the one that LONGHAND_AUDIT_KEY names')
    .option('--out <file>', 'where the new key is to lie')
    .option('--public', 'print the public key, not its id')
    .option('--json', 'print JSON')
    .action(act(async (terminal, flags: KeyFlags) => (await import('./signing.js')).manageAuditKey(terminal, flags)));
}
