/**
 * Writes docs/codes.md from the source: `node scripts/write-codes.mjs`. With `--check` it writes nothing and exits
 * with 1 if the page differs from the source.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './child.mjs';
import { main } from './stage.mjs';

const page = join(root, 'docs/codes.md');

await main(async (args) => {
  const { tsImport } = await import('tsx/esm/api');
  const load = (file) => tsImport(`../src/core/${file}.ts`, import.meta.url);
  const { errorCodes } = await load('lib/errors');
  const { rejectionCodes } = await load('model/rejection');
  const { noticeCodes } = await load('model/notice');
  const { stopSentences } = await load('model/stop-reason');
  const { gatewayCodes } = await tsImport('../src/http/schemas/problem.ts', import.meta.url);
  const reasons = Object.entries(stopSentences).map(([code, format]) => [code, formatSample(format)]);
  const text = `# Codes

Errors, rejections, notices and stop reasons have stable codes. Match codes, not messages: the sentences may change. This
page is made from the source by \`node scripts/write-codes.mjs\`.

## Errors

The member \`code\` of every error that Longhand throws (\`LonghandError\`).

${formatTable(Object.entries(errorCodes))}

## Problems of the gateway

The member \`code\` of an answer of the [gateway](gateway.md) that is no success: one of these, or the code of an error.

${formatTable(Object.entries(gatewayCodes))}

## Rejections

The member \`rejection\` of a \`CommandRejectedError\`: why a chain rejected a command.

${formatTable(Object.entries(rejectionCodes))}

## Notices

The member \`code\` of a notice in a chain.

${formatTable(Object.entries(noticeCodes))}

## Stop reasons

The member \`reasonCode\` of a chain's result. The sentence is made for readers; \`{…}\` are its parameters.

${formatTable(reasons)}
`;
  if (!args.includes('--check')) {
    await writeFile(page, text);
    return 0;
  }
  if ((await readFile(page, 'utf8')) === text) return 0;
  process.stderr.write('docs/codes.md differs from the source. Run `node scripts/write-codes.mjs`.\n');
  return 1;
});

/** The sentence with the names of its parameters in their places. */
function formatSample(format) {
  return format(new Proxy({}, { get: (_, name) => placeholder(String(name)) }));
}

/** A value that formats as `{name}`, as text, number or list. A duration is 10 minutes: sentences compute with it. */
function placeholder(name) {
  if (/^ms$|Ms$/.test(name)) return 600_000;
  const text = `{${name}}`;
  const format = () => text;
  return Object.assign(new String(text), {
    toLocaleString: format,
    toFixed: format,
    toPrecision: format,
    join: format,
  });
}

function formatTable(rows) {
  const cells = rows.map(([code, meaning]) => `| \`${code}\` | ${meaning.replaceAll('|', '\\|')} |`);
  return ['| code | meaning |', '| --- | --- |', ...cells].join('\n');
}
