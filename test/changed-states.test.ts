/** States are changed by `changeState`: a copy by spreading costs several times as much, and a step makes thirty. */

import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

it('no rule copies a state by spreading', () => {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.core.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram([join(root, 'src/core/engine/turn.ts')], options);
  const rules = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(join(root, 'src/core')));
  expect(rules.length).toBeGreaterThan(100);
  const copies = rules.flatMap((file) =>
    listSpreadStates(file, program.getTypeChecker()).map((text) => `${relative(root, file.fileName)}: ${text}`),
  );
  expect(copies, 'Write changeState(state, { … })').toEqual([]);
});

function listSpreadStates(file: ts.SourceFile, checker: ts.TypeChecker): readonly string[] {
  const copies: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isSpreadAssignment(node) && checker.getTypeAtLocation(node.expression).symbol?.name === 'ChainState') {
      copies.push(node.getText(file));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return copies;
}
