/** Folders of skills on the disk. */

import { chmod, mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Creates files in a new folder; those whose content begins with `#!` are executable. */
export async function createFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'longhand-skills-')));
  for (const [path, content] of Object.entries(files)) {
    const file = join(top, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    if (content.startsWith('#!')) await chmod(file, 0o755);
  }
  return top;
}

export const invoiceSkill = {
  'invoices/SKILL.md': `---
name: invoices
description: Reads and adds up invoices. Use it for questions about bills.
compatibility: a POSIX shell
license: MIT
metadata:
  author: acme
allowed-tools: Bash(ls:*) Read
---

# Invoices

Run scripts/sum.sh with the amounts.
`,
  'invoices/references/rules.md': 'Round to cents.\nAlways in EUR.\n',
  'invoices/scripts/sum.sh': '#!/bin/sh\nsum=0; for n in "$@"; do sum=$((sum + n)); done; echo "sum $sum"; cat\n',
  'invoices/scripts/plain.sh': 'printf "<%s>" "$@"; pwd\n',
  'invoices/scripts/show-env.sh': '#!/bin/sh\nenv\n',
  'invoices/scripts/sleep.sh': '#!/bin/sh\nsleep 600 & echo $!\nwait\n',
  'invoices/outside-scripts.sh': '#!/bin/sh\necho ran\n',
} as const;
