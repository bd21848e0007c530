/** V1: how far a role may open single steps. */

import { describe, expect, it } from 'vitest';
import { validateVisibility } from '../../../src/core/view/validate-visibility.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer, type VisibilityConfig } from '../../../src/core/view/visibility.js';
import { call, reasoningWith, result, synthesis, thought } from '../../support/some-reasoning.js';

const chain = reasoningWith([
  thought(1, 'I look.'),
  call('1.1', 'weather', { city: 'Paris' }),
  result('1.1', 'weather', { celsius: 18 }),
  synthesis(2, 'Mild.'),
]);
const levelsOf = (config: VisibilityConfig, expanded: readonly string[] | 'all', role = 'end_user') =>
  view(chain, createViewer(role, { expanded }), config).steps.map(({ level }) => level);
const open: VisibilityConfig = { roles: { end_user: { expand: 'full' } } };

describe('an end user', () => {
  it('opens details that the rules allow, and sees the rest as before', () => {
    expect(levelsOf(open, [])).toEqual(['summary', 'summary', 'summary', 'full']);
    expect(levelsOf(open, ['1.1', '1.1r'])).toEqual(['summary', 'full', 'full', 'full']);
    expect(levelsOf(open, 'all')).toEqual(['full', 'full', 'full', 'full']);
  });

  it('opens nothing beyond its level without such a rule, or by the rule of another role', () => {
    expect(levelsOf({}, 'all')).toEqual(['summary', 'summary', 'summary', 'full']);
    expect(levelsOf({ roles: { reviewer: { expand: 'full' } } }, 'all')).toEqual(levelsOf({}, 'all'));
  });

  it('opens no step further than a security rule allows', () => {
    const required: VisibilityConfig = { ...open, required: [{ atMost: 'hidden', tool: 'weather' }] };
    expect(levelsOf(required, 'all')).toEqual(['full', 'hidden', 'hidden', 'full']);
  });

  it('opens steps that the role hides to their line, where the rule states `summary`', () => {
    const config: VisibilityConfig = {
      roles: { end_user: { tool_call: 'hidden', thinking: 'full', expand: 'summary' } },
    };
    expect(levelsOf(config, [])).toEqual(['full', 'hidden', 'summary', 'full']);
    expect(levelsOf(config, 'all')).toEqual(['full', 'summary', 'summary', 'full']);
  });

  it('has a rule that is checked', () => {
    expect(validateVisibility(open)).toBeNull();
    expect(validateVisibility({ roles: { end_user: { expand: 'ful' } } })).toContain('you may mean full');
    expect(validateVisibility({ deployment: { expand: 'full' } })).not.toBeNull();
  });
});
