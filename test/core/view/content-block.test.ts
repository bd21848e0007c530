/** Tables and diffs of calls: which values fit, what is left out, and what a viewer gets. */

import { describe, expect, it } from 'vitest';
import {
  type ContentBlock,
  createViewer,
  type SeenTool,
  toContentBlock,
  type VisibilityConfig,
  view,
} from '../../../src/entries/view.js';
import type { BlockRule, Json } from '../../../src/index.js';
import { call, reasoningWith, result } from '../../support/some-reasoning.js';

const rows: BlockRule = { as: 'table', rows: 'rows', columns: 'columns' };
const patch = [
  'diff --git a/x.sql b/x.sql',
  '--- a/x.sql',
  '+++ b/x.sql',
  '@@ -1,3 +1,3 @@ begin',
  ' select 1;',
  '--- old comment',
  '+++ new comment',
  ' select 2;',
  '\\ No newline at end of file',
  '',
].join('\n');

function toTable(rule: BlockRule, value: Json): Extract<ContentBlock, { kind: 'table' }> {
  const block = toContentBlock(rule, value);
  if (block?.kind !== 'table') throw new Error('no table');
  return block;
}

const toLines = (block: ContentBlock | null) =>
  block?.kind === 'diff' ? block.rows.map(({ change, text }) => `${change} ${text}`) : null;

describe('a table', () => {
  it('has lists as rows, with the names of their columns, and the rest of the value', () => {
    const value = {
      columns: ['id', 'name', 'paid'],
      rows: [
        [1, 'Ada', null],
        [-2.5, '007', true],
      ],
      rowCount: 2,
    };
    expect(toTable(rows, value)).toEqual({
      kind: 'table',
      columns: [
        { name: 'id', isNumeric: true },
        { name: 'name', isNumeric: false },
        { name: 'paid', isNumeric: false },
      ],
      rows: [
        ['1', 'Ada', 'null'],
        ['-2.5', '007', 'true'],
      ],
      omitted: [],
      rest: { rowCount: 2 },
    });
  });

  it('has objects as rows, which may lack members or have values in them', () => {
    const table = toTable({ as: 'table' }, [{ n: '12' }, { n: '7', tags: ['a'] }]);
    expect(table.columns).toEqual([
      { name: 'n', isNumeric: true },
      { name: 'tags', isNumeric: false },
    ]);
    expect(table.rows).toEqual([
      ['12', ''],
      ['7', '["a"]'],
    ]);
    expect(table.rest).toBeNull();
  });

  it('numbers columns without a name, and may have no rows', () => {
    expect(toTable({ as: 'table', rows: 'rows' }, { rows: [['a', 'b']] }).columns.map(({ name }) => name)).toEqual([
      '1',
      '2',
    ]);
    expect(toTable(rows, { columns: ['id'], rows: [] })).toMatchObject({ rows: [], columns: [{ name: 'id' }] });
  });

  it('is bounded, and names what it leaves out, also what was clipped before', () => {
    const wide = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`c${at}`, 'x'.repeat(300)]));
    const clipped = [...Array.from({ length: 60 }, () => wide), '[… 940 of 1,000 items left out …]'];
    const table = toTable({ as: 'table' }, clipped);
    expect([table.rows.length, table.columns.length, table.rows[0]?.[0]?.length]).toEqual([50, 20, 200]);
    expect(table.omitted).toEqual(['10 more rows', '[… 940 of 1,000 items left out …]', '5 more columns']);
  });

  it.each<[BlockRule, Json]>([
    [rows, { rows: 3 }],
    [rows, 'text'],
    [rows, { rows: ['a', 'b'] }],
    [rows, { rows: [{ a: 1 }, 'b'] }],
    [rows, { rows: [{ a: 1 }, [1]] }],
    [{ as: 'table' }, []],
    [{ as: 'table', rows: 'constructor' }, {}],
    [{ as: 'diff' }, 'Nothing has changed.'],
    [{ as: 'diff', text: 'patch' }, patch],
    [{ as: 'edit', place: 'path', after: 'new' }, { path: 'a' }],
  ])('or a diff is not made by %j of %j', (rule, value) => {
    expect(toContentBlock(rule, value)).toBeNull();
  });
});

describe('a diff', () => {
  it('counts the lines of each part, so that a line may begin like a head', () => {
    const block = toContentBlock({ as: 'diff' }, patch);
    expect(toLines(block)).toEqual([
      'heading diff --git a/x.sql b/x.sql',
      'heading --- a/x.sql',
      'heading +++ b/x.sql',
      'heading @@ -1,3 +1,3 @@ begin',
      'same select 1;',
      'removed -- old comment',
      'added ++ new comment',
      'same select 2;',
      'heading \\ No newline at end of file',
    ]);
    expect(block).toMatchObject({ subject: '1 file', added: 1, removed: 1, omitted: [] });
  });

  it('of an edit has the changed lines, with the equal ones around them', () => {
    const edit: BlockRule = { as: 'edit', place: 'path', before: 'old', after: 'new' };
    const value = { path: 'a.ts', old: '1\n2\n3\n4\nx\nz\n', new: '1\n2\n3\n4\ny\ny\nz\n', reason: 'r' };
    const block = toContentBlock(edit, value);
    expect(toLines(block)).toEqual(['same 2', 'same 3', 'same 4', 'removed x', 'added y', 'added y', 'same z']);
    expect(block).toMatchObject({ subject: 'a.ts', added: 2, removed: 1, rest: { path: 'a.ts', reason: 'r' } });
    expect(toLines(toContentBlock(edit, { path: 'a', old: 'a\na', new: 'a\na\na' }))).toEqual([
      'same a',
      'same a',
      'added a',
    ]);
  });

  it('of a new text adds each line, up to the limit', () => {
    const value = { path: 'a', content: 'x\n'.repeat(450) };
    const block = toContentBlock({ as: 'edit', place: 'path', after: 'content' }, value);
    expect(toLines(block)).toHaveLength(400);
    expect(block).toMatchObject({ added: 450, removed: 0, omitted: ['50 more lines'] });
    const long = toContentBlock(
      { as: 'edit', place: 'path', after: 'content' },
      { ...value, content: 'x'.repeat(3_000) },
    );
    expect(long?.omitted).toEqual(['the rest of 1 line']);
  });
});

describe('a step with a block', () => {
  const seen = (
    tool: SeenTool,
    { config = {}, observation }: { config?: VisibilityConfig; observation?: Json } = {},
  ) => {
    const input = { path: 'a.ts', old: 'x', new: 'y' };
    const found = observation ?? [{ name: 'Ada', ssn: 'canary-1' }];
    const chain = {
      ...reasoningWith([
        call('1.1', 'people', input, { toolKind: 'database' }),
        result('1.1', 'people', found, { toolKind: 'database' }),
      ]),
      tools: { people: tool },
    };
    return view(chain, createViewer('developer'), config).steps;
  };

  it('has the rule, where the value is masked, and a line of the block where the tool has no template', () => {
    const [asked, found] = seen({ kind: 'database', block: { as: 'table' }, sensitive: ['*.ssn'] });
    expect(asked).not.toHaveProperty('block');
    expect(found).toMatchObject({ line: '1 row', block: { as: 'table' } });
    const { block, observation } = found as unknown as { block: BlockRule; observation: Json };
    expect(toTable(block, observation).rows).toEqual([['Ada', '[redacted:field]']]);
  });

  it('is the call where the rule is an edit', () => {
    const [asked, found] = seen({ block: { as: 'edit', place: 'path', before: 'old', after: 'new' } });
    expect(asked).toMatchObject({ line: 'a.ts +1 -1', block: { as: 'edit' } });
    expect(found).not.toHaveProperty('block');
  });

  it('follows the rules for the tool, then the tool, then the rules for its kind', () => {
    const byKind: VisibilityConfig = { toolKinds: { database: { block: { as: 'table' } } } };
    expect(seen({ kind: 'database' }, { config: byKind })[1]).toMatchObject({ block: { as: 'table' } });
    const own: SeenTool = { block: { as: 'diff' }, response: 'changed' };
    expect(seen(own, { config: byKind, observation: patch })[1]).toMatchObject({
      line: 'changed',
      block: { as: 'diff' },
    });
    const ruled: VisibilityConfig = { ...byKind, tools: { people: { block: { as: 'table', rows: 'all' } } } };
    expect(seen(own, { config: ruled })[1]).toMatchObject({ block: { rows: 'all' } });
  });
});
