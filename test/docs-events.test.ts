/** docs/events.md documents every event of `follow` and `watch`, and no other. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { FollowEvent, WatchEvent } from '../src/entries/client.js';

// The compiler rejects a missing and an unknown type.
const followTypes: Readonly<Record<FollowEvent['type'], true>> = {
  'chain-started': true,
  'agent-prepared': true,
  'step-added': true,
  'turn-paused': true,
  'call-completed': true,
  'request-opened': true,
  'request-decided': true,
  'sub-chain-started': true,
  'sub-chain-ended': true,
  'plan-changed': true,
  'guidance-added': true,
  'message-received': true,
  'notice-added': true,
  'sub-chain-changed': true,
  token: true,
  'interim-result': true,
  'chain-ended': true,
};
const watchTypes: Readonly<Record<WatchEvent['type'], true>> = {
  'view-opened': true,
  'step-changed': true,
  'sub-chain-changed': true,
  token: true,
  'interim-result': true,
  'turn-completed': true,
  'view-completed': true,
};

const page = readFileSync(new URL('../docs/events.md', import.meta.url), 'utf8');

it.each([
  ['follow', followTypes],
  ['watch', watchTypes],
])('every event of `%s` has a row in its table', (stream, types) => {
  const [, section = ''] = page.split(`## Events of \`${stream}\``);
  const [table = ''] = section.split('\n## ');
  const documented = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, type]) => type);
  expect(documented.toSorted()).toEqual(Object.keys(types).toSorted());
});
