/**
 * The rows of docs/requirements: each is complete, its links exist, and the totals on docs/requirements.md are right. That the
 * tests which they name ran and passed is checked at the end of a long run (scripts/proofs.mjs).
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const docs = fileURLToPath(new URL('../docs', import.meta.url));
const folder = join(docs, 'requirements');
const statuses = ['yes', 'partly', 'no', 'not here'] as const;

const documents = readdirSync(folder)
  .sort()
  .map((name) => ({ name, rows: findRows(readFileSync(join(folder, name), 'utf8')) }));

/** Returns the rows of a table, without its head, as cells. A row starts with its line: `| L26 | …`. */
function findRows(markdown: string): readonly (readonly string[])[] {
  const rows = markdown.split('\n').filter((line) => /^\| (?!line |---)/.test(line));
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Returns what is wrong with a row, or null. */
function findProblem(row: readonly string[]): string | null {
  const [line = '', statement = '', status = '', proof = ''] = row;
  if (row.length !== 4) return `has ${row.length} cells`;
  if (!/^L\d+/.test(line)) return 'has no line';
  if (statement === '') return 'has no statement';
  if (!statuses.some((known) => known === status)) return `has the unknown status ${status}`;
  if (status === 'yes' && !/\]\(|`/.test(proof)) return 'has no proof';
  if (proof === '') return 'has no reason';
  return findProofProblem(proof);
}

/** A proof is links, each with names of tests in that file: `[weather](../../test/….test.ts) “a test”`. */
function findProofProblem(proof: string): string | null {
  const parts = proof.split(/(?=\[[^\]]*\]\()/);
  for (const part of parts) {
    const target = /^\[[^\]]*\]\(([^)#]*)/.exec(part)?.[1];
    if (target === undefined && part.includes('“')) return 'quotes a test without a link';
    if (target === undefined) continue;
    if (!existsSync(join(folder, target))) return `links to ${target}, which does not exist`;
  }
  return null;
}

it('each requirement has a line, a statement, a known status and a proof that exists', () => {
  const problems = documents.flatMap(({ name, rows }) =>
    rows.flatMap((row) => {
      const problem = findProblem(row);
      return problem === null ? [] : [`${name} ${row[0]}: ${row[1]}: ${problem}`];
    }),
  );
  expect(problems).toEqual([]);
  for (const { rows } of documents) expect(rows.length).toBeGreaterThan(0);
});

it('the totals of the requirements are those of the rows', () => {
  const count = (rows: readonly (readonly string[])[]) => [
    rows.length,
    ...statuses.map((wanted) => rows.filter(([, , status]) => status === wanted).length),
  ];
  const written = readFileSync(join(docs, 'requirements.md'), 'utf8').split('\n');
  expect(written.filter((line) => /^\| (\[\d+\]|all )/.test(line))).toEqual([
    ...documents.map(
      ({ name, rows }) => `| [${name.replace('.md', '')}](requirements/${name}) | ${count(rows).join(' | ')} |`,
    ),
    `| all | ${count(documents.flatMap(({ rows }) => rows)).join(' | ')} |`,
  ]);
});

it.each([
  ['L1 | It works | yes', 'has 3 cells'],
  ['1 | It works | yes | `npm test`', 'has no line'],
  ['L1 | It works | maybe | `npm test`', 'has the unknown status maybe'],
  ['L1 | It works | yes | surely', 'has no proof'],
  ['L1 | It works | no | ', 'has no reason'],
  ['L1 | It works | yes | [a](../../test/a.test.ts)', 'links to ../../test/a.test.ts, which does not exist'],
  ['L1 | It works | partly | “a test”', 'quotes a test without a link'],
])('a row of requirements is rejected: %s', (row, problem) => {
  expect(findRows(`| ${row} |`).map(findProblem)).toEqual([problem]);
});
