/** The line of a running call: with the arguments that the line of its result will have. */

import { describe, expect, it } from 'vitest';
import { createSceneReducer } from '../../../src/cli/print/scene.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import type { Json } from '../../../src/core/lib/json.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer, type VisibilityConfig } from '../../../src/core/view/visibility.js';
import { agentOf, asks, tool } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { call, reasoningWith } from '../../support/some-reasoning.js';
import { watchTurns } from '../../support/watched.js';

const running = (input: Json) => reasoningWith([call('1.1', 'query', input, { status: 'pending' })]);

function lineOf(input: Json, config: VisibilityConfig = {}): unknown {
  const [step] = view(running(input), createViewer('end_user'), config).steps;
  return step?.level === 'summary' ? step.summary : step?.level;
}

describe('the line of a running call', () => {
  it('has what its tool queries, in the words of the template, and nothing else of its arguments', () => {
    expect(lineOf({ table: 'scores', filter: 'secret filter' })).toBe('Calling query: scores');
    expect(lineOf({ filter: 'secret filter' })).toBe('Calling query');
    const ruled: VisibilityConfig = {
      tools: { query: { summary: 'Queried {table} where {filter}: {rowCount} rows' } },
    };
    expect(lineOf({ table: 'scores', filter: 'year = 2026' }, ruled)).toBe('Calling query: scores, year = 2026');
  });

  it('is masked, and has no argument that the line of the result will not have', () => {
    expect(lineOf({ table: 'of ada@example.org' })).toBe('Calling query: of [redacted:email]');
    const masked: VisibilityConfig = { tools: { query: { sensitive: ['table'] } } };
    expect(lineOf({ table: 'salaries' }, masked)).toBe('Calling query: [redacted:field]');
    expect(lineOf({ table: 'scores' }, { required: [{ atMost: 'hidden', step: 'tool_result' }] })).toBe(
      'Calling query',
    );
    expect(lineOf({ table: 'scores' }, { toolKinds: { database: { level: 'hidden' } } })).toBe('hidden');
    const unknown = view({ ...running({ table: 'scores' }), tools: null }, createViewer('end_user'));
    expect(JSON.stringify(unknown.steps)).not.toContain('scores');
  });

  it('is in the live view of a plan while the call runs', () => {
    const seen = tool('query', { kind: 'database', view: { summary: 'Queried {table}' } });
    const play = prepared(agentOf({ tools: [seen] }));
    play.replied(asks({ tool: 'query', input: { table: 'scores' } }));
    const reduce = createSceneReducer();
    const scenes = watchTurns(foldRecordedTurns(play.turns).turns, { viewer: createViewer('end_user') }).map(reduce);
    expect(scenes.at(-1)?.action).toBe('Calling query: scores');
  });
});
