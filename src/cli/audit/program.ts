/** `longhand audit …`: the audit log. Each command is loaded when it is called. */

import { type Command, Option } from 'commander';
import { createListOption } from '../flags/values.js';
import type { CommandAction } from '../terminal/terminal.js';
import { addFilterOptions } from './filter-flags.js';

export function addAuditCommands(program: Command, act: CommandAction): void {
  const audit = program.command('audit').description('query, export and verify the audit log');

  addFilterOptions(audit.command('query'))
    .description('list entries, newest first')
    .option('--contents', 'print the contents of the entries; the audit log records that they were read')
    .option('--by <name>', 'person who reads (default: the logged-in user)')
    .option('--limit <entries>', 'maximum number of entries', '50')
    .option('--cursor <cursor>', 'continue after an earlier list')
    .option('--json', 'print JSON, one entry a line')
    .action(act(async () => (await import('./query.js')).queryAuditLog));

  addFilterOptions(audit.command('export'))
    .description('export entries with their proof, as a table or as a report; the audit log records the export')
    .addOption(
      new Option('--format <format>', 'entries with proof, a table, or a report to read')
        .choices(['jsonl', 'csv', 'markdown'])
        .default('jsonl'),
    )
    .option('--out <path>', 'folder (jsonl) or file (csv, markdown; default: standard output)')
    .option('--prompts', 'add the unmasked prompt of each model call, from the archive; only with --format jsonl')
    .option('--by <name>', 'person who exports (default: the logged-in user)')
    .action(act(async () => (await import('./export.js')).exportAudit));

  audit
    .command('verify [export]')
    .description('verify an export, offline, or the log in its store; exit with 1 if anything was altered')
    .addOption(createListOption('--key <id or file>', 'trusted key: its id or a PEM file; repeatable', 'none'))
    .addOption(
      createListOption(
        '--anchor <file>',
        'file of `audit anchor` whose heads the log must contain; repeatable',
        'none',
      ),
    )
    .option('--require-signature', 'fail if anything is not signed, also without --key')
    .option('--unsigned', 'with --key: allow the entries after the newest signed head')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./verify.js')).verifyAudit));

  audit
    .command('anchor')
    .description('sign the heads of the logs now, and print them for an outside witness')
    .option('--out <file>', 'append the heads to a file')
    .option('--post <url>', 'send the heads to a witness over HTTP')
    .option('--tenant <tenant>', 'only the log of this tenant')
    .action(act(async () => (await import('./signing.js')).anchorHeads));

  audit
    .command('accept')
    .description('sign logs as they are after a backup was restored; the logs record it')
    .requiredOption('--reason <text>', 'why the logs are accepted')
    .option('--by <name>', 'person who accepts (default: the logged-in user)')
    .action(act(async () => (await import('./signing.js')).acceptRestoredLogs));

  audit
    .command('key')
    .description('create a signing key (--out), or print the id of the key in LONGHAND_AUDIT_KEY')
    .option('--out <file>', 'file for the new key')
    .option('--public', 'print the public key instead of its id')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./signing.js')).manageAuditKey));
}
