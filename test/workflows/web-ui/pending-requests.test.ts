/** Open requests in the Web UI: the exact question, and lines that can be copied. */

import { describe, expect, it } from 'vitest';
import { type MessageName, parseMessage } from '../../../src/contract/messages.js';
import { messageNames } from '../../../src/contract/names.js';
import { createSnippetMasker } from '../../../src/core/view/snippet-masker.js';
import { messageDescriptions } from '../../../src/workflows/message-handlers.js';
import { formatPendingRequests } from '../../../src/workflows/web-ui/pending-requests.js';
import { formatTimerSummary } from '../../../src/workflows/web-ui/summaries.js';
import { agentOf, asks, tool, toolFailure } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { type Deployment, deploying, pushing } from '../../support/play-approvals.js';

const push = { tool: 'git_push', input: { branch: 'main', token: 'hunter2-hunter2' } };

function listRequests({ state }: Deployment): readonly string[] {
  const shown = createSnippetMasker();
  const { flight, agent } = state;
  shown.beginStep(agent?.tools ?? [], flight.kind === 'calls' ? flight.calls : []);
  return formatPendingRequests(state, shown).map((paragraph) => paragraph.replace(/\n+/g, '\n'));
}

describe('an approval', () => {
  it('shows the masked arguments, who may decide until when, and how', () => {
    const play = deploying();
    play.asks({ ...pushing, approvers: 2 }, push);
    play.decides('1.1', { kind: 'approve' });
    expect(listRequests(play)).toEqual([
      [
        '**Waits for approval · call 1.1** · high risk · for ops or lead · 1 of 2 have approved · until 2026-11-27 10:00 UTC',
        '> `git_push({"branch":"main","token":"[redacted:field]"})`',
        'git_push changes a repository that others use.',
        '- `longhand approve deploy-1 1.1 --role ops`',
        '- `longhand deny deploy-1 1.1 --role ops`',
        '- or, in Temporal, the update or signal `longhand.approve` or `longhand.deny` with `{"call":"1.1","by":"you","roles":["ops"]}`',
      ].join('\n'),
    ]);
  });

  it('shows all arguments that a person needs to decide, also with backticks', () => {
    const play = deploying();
    const command = `${'echo long; '.repeat(60)}echo \`\`date\`\``;
    play.asks({ ...pushing, roles: [] }, { tool: 'shell_exec', input: { command } });
    expect(listRequests(play)[0]).toContain(`> \`\`\` shell_exec({"command":"${command}"}) \`\`\`\n`);
    expect(listRequests(play)[0]).toContain('`longhand approve deploy-1 1.1`\n');
  });
});

it("a question is shown with its options, in the model's words", () => {
  const play = deploying();
  const input = { question: 'Which one?\nIt matters.', options: ['minor', 'patch'] };
  play.asks(null, { tool: 'ask_user', input });
  expect(listRequests(play)).toEqual([
    [
      '**Waits for an answer · call 1.1**',
      '> Which one?',
      '> It matters.',
      '> ',
      '> - minor',
      '> - patch',
      '- `longhand answer deploy-1 1.1 "…"`',
      '- or, in Temporal, the update or signal `longhand.answer` with `{"call":"1.1","answer":"…","by":"you"}`',
    ].join('\n'),
  ]);
});

it('an unknown outcome is shown with its reason', () => {
  const play = deploying();
  play.asks(null, push);
  play.broke('1.1', toolFailure('Error', 'socket hang up'));
  const [paragraph] = listRequests(play);
  expect(paragraph).toMatch(/^\*\*Did this happen\? · call 1\.1\*\* · high risk · until /);
  expect(paragraph).toMatch(/\n> The outcome of call 1\.1, git_push\(.*socket hang up\..*\n- /);
  expect(paragraph).not.toContain('hunter2');
  for (const flag of ['--happened', '--not-happened', '--give-up'])
    expect(paragraph).toContain(`\n- \`longhand answer deploy-1 1.1 ${flag}\`\n`);
  expect(paragraph).toContain('`longhand.outcome` with `{"call":"1.1","outcome":"happened","by":"you"}`');
});

it('a pause is shown with its author and the command to resume, until the chain ends', () => {
  const play = deploying();
  play.pauses();
  expect(listRequests(play)).toEqual([
    [
      '**Paused by ana: Lunch.**',
      '- `longhand resume deploy-1`',
      '- or, in Temporal, the update or signal `longhand.resume` with `{"by":"you"}`',
    ].join('\n'),
  ]);
  play.cancelledBy('bob');
  expect(listRequests(play)).toEqual([]);
});

it('a wait is shown with its end, its signal, and the ways to end it; its timer has no name of the model', () => {
  const agent = agentOf({ tools: [tool('wait', { waits: true })], limits: { waitMs: 3_600_000 } });
  const play = prepared(agent);
  const signal = 'build-done';
  play.replied(asks({ tool: 'wait', input: { signal } }, { tool: 'wait', input: { seconds: 60 } }));
  const shown = createSnippetMasker();
  const texts = formatPendingRequests(play.state, shown).map((paragraph) => paragraph.replace(/\n+/g, '\n'));
  const resume = (call: string) => [
    `- \`longhand resume chain-1 ${call}\``,
    `- or, in Temporal, the update or signal \`longhand.resume\` with \`{"call":"${call}","by":"you"}\``,
  ];
  expect(texts).toEqual([
    [
      `**Waiting for ${signal}, until 1970-01-01 01:00 UTC at most · call 1.1**`,
      `- \`longhand signal chain-1 ${signal}\``,
      `- or, in Temporal, the update or signal \`longhand.signal\` with \`{"name":"${signal}","data":{},"by":"you"}\``,
      ...resume('1.1'),
    ].join('\n'),
    ['**Waiting until 1970-01-01 00:01 UTC · call 1.2**', ...resume('1.2')].join('\n'),
  ]);
  const timer = play.actions.find((action) => action.type === 'startTimer');
  expect(timer?.type === 'startTimer' ? formatTimerSummary(play.state, timer) : '').toBe('1 · waiting 1 min');
});

it('a timer of the time limit has the limit, and the time left after waiting for people', () => {
  const { state } = deploying();
  const text = (waitedMs: number, ms: number) =>
    formatTimerSummary(
      { ...state, waitingTime: { uncountedMs: waitedMs, since: null } },
      { type: 'startTimer', timer: 'deadline', ms },
    );
  expect(text(0, 599_334)).toBe('time limit · 10 min');
  expect(text(3_600_000, 150_000)).toBe('time limit · 10 min · 2.5 min left');
});

it.each(Object.entries(messageDescriptions))(
  'the example in the description of %s can be sent as it is',
  (name, help) => {
    const [example = ''] = help.match(/\{[^;]*\}/) ?? [];
    const read = parseMessage(messageNames[name as MessageName], JSON.parse(example), 'update-1');
    expect(read).toMatchObject({ by: 'you' });
    expect(read).not.toMatchObject({ command: { kind: 'unreadable' } });
  },
);
