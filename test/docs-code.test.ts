/** The TypeScript in README and docs compiles against the package. Blocks are fragments: names that they do not declare are free. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The declarations of names that blocks use without declaring them. */
const knownNames: Readonly<Record<string, string>> = {
  longhand: "import('longhand/client').Longhand",
  chain: "import('longhand/client').ChainHandle",
  store: "import('longhand/store').Store",
  meteorologist: "import('longhand').Agent",
  researcher: "import('longhand').Agent",
  visibility: "import('longhand/view').VisibilityConfig",
};

/** `Cannot find name`, `Cannot find module`, and the errors that follow from a free name. */
const allowed = new Set([2304, 2307, 2552, 7006, 7031, 7005, 7034, 18004, 18046, 2454]);

/** A block with an omission (`…`) may also lack members. */
const allowedInParts = new Set([...allowed, 2345, 2739, 2740, 2741, 2769]);

interface Block {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

function findBlocks(file: string): readonly Block[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => ({
    file,
    line: text.slice(0, match.index).split('\n').length,
    code: match[1] ?? '',
  }));
}

const pages = ['README.md', 'examples/README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
const blocks = pages.filter((name) => name.endsWith('.md')).flatMap(findBlocks);

it('the code of the docs compiles', () => {
  const sources = new Map(blocks.map((block, index) => [join(root, `block-${index}.ts`), toModule(block.code)]));
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const all = {
    ...options,
    noEmit: true,
    noUnusedLocals: false,
    paths: {
      longhand: [join(root, 'src/index.ts')],
      'longhand/workflow': [join(root, 'src/workflows/run-agent.ts')],
      'longhand/*': [join(root, 'src/entries/*.ts')],
      '@longhand/*': [join(root, 'src/entries/*.ts')],
    },
  };
  const host = ts.createCompilerHost(all);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => sources.get(name) ?? readFile(name);
  host.fileExists = (name) => sources.has(name) || fileExists(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = sources.get(name);
    return text === undefined ? getSourceFile(name, version, ...rest) : ts.createSourceFile(name, text, version, true);
  };
  const program = ts.createProgram([...sources.keys()], all, host);
  const problems = [...sources.keys()].flatMap((name, index) => {
    const source = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found
      .filter(({ code }) => !(isInParts(blocks[index] as Block) ? allowedInParts : allowed).has(code))
      .map(({ start, messageText }) => {
        const { file, line } = blocks[index] as Block;
        const at = source?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0;
        return `${file}:${line + at}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
      });
  });
  expect(problems).toEqual([]);
});

function isInParts({ code }: Block): boolean {
  return code.replace(/'[^'\n]*'|\/\/.*/g, '').includes('…');
}

/** The block as a module. Its known names are declared in its first line, unless it declares them itself. */
function toModule(code: string): string {
  const free = Object.entries(knownNames).filter(
    ([name]) => !new RegExp(`(const|import|let)[^=;]*\\b${name}\\b`).test(code),
  );
  return `export {}; ${free.map(([name, type]) => `declare const ${name}: ${type};`).join(' ')}\n${code.replace(/,? ?…(?=[ \n,})])(?![^'\n]*')/g, '')}`;
}
