/** The proofs of docs/requirements: each names a test, and each of these tests ran and passed. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './child.mjs';

/**
 * Returns the tests that a page of requirements names, from links such as `[tree](../../test/tree.test.ts) “a test”, “another”`.
 * `document` is the name of the page, for messages. Links to other pages are no proofs.
 */
export function readProofs(markdown, document) {
  return markdown.split('\n').flatMap((text, index) =>
    [...text.matchAll(/\]\(\.\.\/\.\.\/(test\/[^)#]+)\)((?:,? ?“[^”]+”)*)/g)].flatMap(([, file, names]) =>
      // A file alone names no test: it is reported as a proof without a name.
      (names.match(/“[^”]+”/g) ?? ['“”']).map((name) => ({
        document,
        line: index + 1,
        file,
        name: name.slice(1, -1),
      })),
    ),
  );
}

/** Returns all proofs of docs/requirements, in the order of the pages. */
export function readAllProofs() {
  const folder = join(root, 'docs/requirements');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .flatMap((name) => readProofs(readFileSync(join(folder, name), 'utf8'), `docs/requirements/${name}`));
}

/**
 * Returns a line for each proof that a run did not prove. `report` is vitest's JSON report of a whole run in the long form;
 * `checkout` is the folder to which the files of the proofs are relative.
 */
export function findUnproven(proofs, report, checkout = root) {
  const files = new Map(
    report.testResults.map(({ name, assertionResults }) => [relative(checkout, name), assertionResults]),
  );
  return proofs.flatMap((proof) => {
    const problem = findProblem(proof, files.get(proof.file));
    return problem === null ? [] : [`${proof.document}:${proof.line}: ${proof.file} “${proof.name}”: ${problem}`];
  });
}

/**
 * A test is named by its title or, with its groups in front, by its full name. Several tests may have one name,
 * for example one for each database: then each of them passed.
 */
function findProblem({ name }, tests) {
  if (tests === undefined) return 'the file did not run';
  if (name === '') return 'no test is named';
  const named = tests.filter((test) => test.fullName === name || test.title === name);
  if (named.length === 0) return 'no such test';
  return named.map(({ status }) => describeStatus(status)).find((problem) => problem !== null) ?? null;
}

/** `pending`, `skipped` and `disabled` are tests that are left out, `todo` those that are not written. */
function describeStatus(status) {
  if (status === 'passed') return null;
  return status === 'failed' ? 'failed' : `did not run (${status})`;
}
