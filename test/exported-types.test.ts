/** The public types: each has a name that users can import, and a change of one is seen in `test/api`. */

import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Types whose members users need not name: handles, and records that other functions of the package read. */
const opaqueTypes: readonly string[] = [
  'ArchivedRuns', // what a reader needs of an archive
  'ChainInput', // the start of a chain as its workflow records it
  'ChainRun', // a run with its facts
  'ChainState', // the state of the rules
  'RecordedChain', // read by `toReasoning`
  'Store', // opened by `openStore`
];

/** The sources of what the manifest exports. */
const { files: sources } = ts.readConfigFile(join(root, 'tsconfig.build.json'), ts.sys.readFile).config as {
  readonly files: readonly string[];
};
const entries = sources.map((file) => join(root, file));
/** The types of the HTTP client are inferred from the table of operations. */
const checked = entries.filter((entry) => !entry.endsWith('/http.ts'));

/** Folder of the declarations, beside the sources, so that imports of packages resolve. It is never written. */
const declarations = join(root, 'declarations');
const toDeclaration = (entry: string) => join(declarations, relative(root, entry)).replace(/\.ts$/, '.d.ts');

const options = readOptions();
const host = createHost(options, emitDeclarations(options));

it('every named type that is reachable from a public declaration is exported', () => {
  const program = ts.createProgram(checked.map(toDeclaration), options, host);
  const { unexported, opaque } = findUnexportedTypes(program);
  expect(unexported, 'Export these types in an entry, or add opaque ones to the list of this test').toEqual([]);
  expect(opaque, 'Remove the others from the list of this test').toEqual(opaqueTypes);
});

// `npx vitest run --project static -u` writes them.
it('the public types are those of test/api, an entry each', async () => {
  const program = ts.createProgram(entries.map(toDeclaration), options, host);
  for (const entry of entries) {
    const name = basename(entry, '.ts');
    await expect(printDeclarations(program, toDeclaration(entry))).toMatchFileSnapshot(`api/${name}.txt`);
  }
});

it('a name means the same in every entry', () => {
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  const meanings = new Map<string, ts.Symbol>();
  const ambiguous: string[] = [];
  for (const entry of entries) {
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)!)!);
    for (const symbol of exported) {
      const meaning = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      if ((meanings.get(symbol.name) ?? meaning) !== meaning) ambiguous.push(symbol.name);
      meanings.set(symbol.name, meaning);
    }
  }
  expect(ambiguous).toEqual([]);
});

function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return { ...options, noCheck: true, emitDeclarationOnly: true, outDir: declarations };
}

function emitDeclarations(options: ts.CompilerOptions): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const program = ts.createProgram(entries, options);
  program.emit(undefined, (name, text) => texts.set(name, text), undefined, true);
  return texts;
}

function createHost(options: ts.CompilerOptions, texts: ReadonlyMap<string, string>): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    fileExists: (name) => texts.has(name) || host.fileExists(name),
    readFile: (name) => texts.get(name) ?? host.readFile(name),
    getSourceFile: (name, version) => {
      const text = texts.get(name);
      return text === undefined ? host.getSourceFile(name, version) : ts.createSourceFile(name, text, version, true);
    },
    directoryExists: (name) => name.startsWith(declarations) || ts.sys.directoryExists(name),
  };
}

/** Prints what an entry exports, by name and without comments. */
function printDeclarations(program: ts.Program, entry: string): string {
  const checker = program.getTypeChecker();
  const printer = ts.createPrinter({ removeComments: true });
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)!)!);
  const print = (symbol: ts.Symbol) => {
    const meaning = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const texts = (meaning.declarations ?? []).map((declaration) => {
      // A constant's statement is two levels above its name.
      const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
      return printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile());
    });
    return texts.join('\n');
  };
  return `${exported
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(print)
    .join('\n\n')}\n`;
}

/**
 * Follows all references from what the entries export. A type that its own file does not export only gives its shape to
 * others: it is followed, but needs no name.
 */
function findUnexportedTypes(program: ts.Program) {
  const checker = program.getTypeChecker();
  const resolve = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const modules = checked.map((entry) => checker.getSymbolAtLocation(program.getSourceFile(toDeclaration(entry))!)!);
  const exported = new Set(modules.flatMap((entry) => checker.getExportsOfModule(entry)).map(resolve));
  expect(exported.size).toBeGreaterThan(100);
  const paths = new Map([...exported].map((symbol) => [symbol, symbol.name]));
  for (const [symbol, path] of paths) {
    if (opaqueTypes.includes(symbol.name)) continue;
    for (const name of (symbol.declarations ?? []).filter(isOwn).flatMap(listTypeNames)) {
      const found = checker.getSymbolAtLocation(name);
      const used = found === undefined ? null : resolve(found);
      if (used !== null && !paths.has(used) && used.declarations?.some(isOwn))
        paths.set(used, `${path} > ${used.name}`);
    }
  }
  const isOpaque = ({ name }: ts.Symbol) => opaqueTypes.includes(name);
  const lacksName = (symbol: ts.Symbol) => !exported.has(symbol) && symbol.declarations?.some(isExportedType);
  return {
    unexported: [...paths].flatMap(([symbol, path]) => (lacksName(symbol) && !isOpaque(symbol) ? [path] : [])),
    opaque: [...paths.keys()]
      .filter(isOpaque)
      .map(({ name }) => name)
      .toSorted(),
  };
}

function isOwn(declaration: ts.Declaration): boolean {
  return declaration.getSourceFile().fileName.startsWith(declarations) && !ts.isTypeParameterDeclaration(declaration);
}

function isExportedType(declaration: ts.Declaration): boolean {
  const isType =
    ts.isInterfaceDeclaration(declaration) ||
    ts.isTypeAliasDeclaration(declaration) ||
    ts.isClassDeclaration(declaration);
  return isType && (declaration.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

/** Lists the names of the types and values that a declaration refers to. */
function listTypeNames(node: ts.Node): readonly ts.Node[] {
  const own = ts.isTypeReferenceNode(node)
    ? [node.typeName]
    : ts.isExpressionWithTypeArguments(node)
      ? [node.expression]
      : ts.isTypeQueryNode(node)
        ? [node.exprName]
        : ts.isImportTypeNode(node) && node.qualifier !== undefined
          ? [node.qualifier]
          : [];
  const below: ts.Node[] = [];
  ts.forEachChild(node, (child) => void below.push(...listTypeNames(child)));
  return [...own, ...below];
}
