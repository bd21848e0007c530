/** A call and its result in a line by the templates of the tool, of the rules or of its kind, with masked members. */

import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/lib/json.js';
import { formatItemLines } from '../../../src/core/view/print/item-lines.js';
import type { SeenTool, VisibilityConfig } from '../../../src/entries/view.js';
import { createViewer, view } from '../../../src/entries/view.js';
import { call, reasoningWith, result } from '../../support/some-reasoning.js';

const database: SeenTool = { kind: 'database', request: '{sql}', response: '{rowCount} rows', sensitive: ['key'] };

interface Seen {
  readonly input?: Json;
  readonly observation?: Json;
  readonly status?: 'ok' | 'error';
  readonly tool?: SeenTool;
  readonly config?: VisibilityConfig;
  readonly role?: string;
}

function seeCall({
  input = { sql: 'SELECT 1' },
  observation = { rowCount: 1_247, rows: [] },
  status = 'ok',
  tool = database,
  config = {},
  role = 'developer',
}: Seen = {}) {
  const chain = {
    ...reasoningWith([
      call('1.1', 'query', input, { status, toolKind: 'database' }),
      result('1.1', 'query', observation, { status, toolKind: 'database' }),
    ]),
    tools: { query: tool },
  };
  return view(chain, createViewer(role), config);
}

function printCall(chain: ReturnType<typeof seeCall>, detail: 'short' | 'full'): readonly Json[] {
  return chain.steps.flatMap((step) => formatItemLines(step, detail, chain)).map(({ content }) => content);
}

describe('the lines of a call and its result', () => {
  it('are those of the templates, and in full the arguments and the result', () => {
    const chain = seeCall();
    expect(chain.steps).toMatchObject([{ line: 'SELECT 1' }, { line: '1,247 rows' }]);
    expect(printCall(chain, 'short')).toEqual(['SELECT 1', '1,247 rows']);
    expect(printCall(chain, 'full')).toEqual([{ sql: 'SELECT 1' }, { rowCount: 1_247, rows: [] }]);
  });

  it('are the arguments and the result where a template has a gap, and for a failure its message', () => {
    const [asked, found] = seeCall({ input: {}, observation: 'nothing' }).steps;
    expect(asked).not.toHaveProperty('line');
    expect(found).not.toHaveProperty('line');
    const failed = seeCall({ status: 'error', observation: { rowCount: 1 } });
    expect(failed.steps[1]).not.toHaveProperty('line');
  });

  it('are by the rules for the tool first, then by the tool, then by the rules for its kind', () => {
    const kind: VisibilityConfig = { toolKinds: { database: { request: 'by kind: {sql}', response: 'by kind' } } };
    const rules: VisibilityConfig = { ...kind, tools: { query: { request: 'ruled: {sql}' } } };
    expect(printCall(seeCall({ config: kind }), 'short')).toEqual(['SELECT 1', '1,247 rows']);
    expect(printCall(seeCall({ config: rules }), 'short')).toEqual(['ruled: SELECT 1', '1,247 rows']);
    expect(printCall(seeCall({ config: kind, tool: { kind: 'database' } }), 'short')).toEqual([
      'by kind: SELECT 1',
      'by kind',
    ]);
  });

  it('have masked members on one line of at most 200 characters', () => {
    const tool = { ...database, request: '{sql} with {key}' };
    const [asked] = seeCall({ tool, input: { sql: `SELECT\n${'1,'.repeat(200)}`, key: 'canary' } }).steps;
    expect(asked).toMatchObject({ line: expect.stringMatching(/^SELECT 1,1,.*…$/) });
    const [secret] = seeCall({ tool, input: { sql: 'S', key: 'canary' } }).steps;
    expect(secret).toMatchObject({ line: 'S with [redacted:field]' });
  });

  it('are not part of a summary', () => {
    const config = { roles: { end_user: 'summary' as const } };
    for (const step of seeCall({ config, role: 'end_user' }).steps) expect(step).not.toHaveProperty('line');
  });
});
