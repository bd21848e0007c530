/**
 * A chain with every kind of request and decision, played turn by turn: an approval that expires, a denial, arguments
 * that a person changes, a vote of two, an unknown outcome, a question, and a message in between.
 */

import { createRequestRules } from '../../src/core/engine/state/request-rules.js';
import type { Action } from '../../src/core/model/action.js';
import type { DecisionInput } from '../../src/core/model/command.js';
import type { RequestRules } from '../../src/core/model/request.js';
import { type Asked, agentOf, answers, asks, someInput, tool, toolFailure } from './core-builders.js';
import { Play } from './core-play.js';

export const pushing = createRequestRules({
  reason: 'git_push changes a repository that others use.',
  risk: 'high',
  roles: ['ops', 'lead'],
});

const unsafe = { effects: 'unsafe', attempts: 1 } as const;

export const deployer = agentOf({
  name: 'deployer',
  tools: [
    tool('read_log'),
    tool('git_push', { ...unsafe, view: { sensitive: ['token'] } }),
    tool('shell_exec', unsafe),
    tool('ask_user', {
      question: createRequestRules({ reason: 'The agent wants to know something.', risk: 'low', expiresMs: null }),
    }),
  ],
});

export const hour = 3_600_000;

/** A prepared chain that starts on 2026-11-20 at 10:00. */
export function deploying(): Deployment {
  const play = new Deployment();
  play.at = Date.UTC(2026, 10, 20, 10);
  play.take({ type: 'started', chainId: 'deploy-1', input: { ...someInput, user: 'kim' } });
  play.take({ type: 'prepared', agent: deployer });
  return play;
}

export class Deployment extends Play {
  decides(
    call: string,
    decision: DecisionInput,
    by: string | null = 'ana',
    reason: string | null = null,
  ): readonly Action[] {
    const command = { kind: 'decide', call, digest: null, decision } as const;
    return this.take({
      type: 'commandReceived',
      id: null,
      chainId: null,
      by,
      roles: ['ops'],
      reason,
      command,
    });
  }

  /** A cancel while a push needs two approvals and has at most one. */
  cancels(approvedBy: string | null = null): this {
    this.asks({ ...pushing, approvers: 2 }, { tool: 'git_push', input: { branch: 'main' } });
    if (approvedBy !== null) this.decides('1.1', { kind: 'approve' }, approvedBy);
    this.cancelledBy('bob');
    return this;
  }

  pauses(): readonly Action[] {
    const command = { kind: 'pause', breakpoint: null } as const;
    return this.take({
      type: 'commandReceived',
      id: null,
      chainId: null,
      by: 'ana',
      roles: [],
      reason: 'Lunch.',
      command,
    });
  }

  steers(text: string, by: string | null = 'ana'): readonly Action[] {
    const command = { kind: 'steer', text } as const;
    return this.take({
      type: 'commandReceived',
      id: null,
      chainId: null,
      by,
      roles: [],
      reason: null,
      command,
    });
  }

  asks(rules: RequestRules | null, ...calls: readonly Asked[]): readonly Action[] {
    return this.replied({ ...asks(...calls), ...(rules === null ? {} : { approvals: calls.map(() => rules) }) });
  }
}

/** The chain from its first step to its answer. */
export function deployed(): Deployment {
  const play = deploying();
  const push = { tool: 'git_push', input: { branch: 'main', token: 'hunter2-hunter2' } };
  play.after(2_000).asks(pushing, push);
  play.after(2 * hour).decides('1.1', { kind: 'deny' }, 'ana', 'Not on a Friday.');
  play.steers('Push to a branch of your own.', 'bob');
  play.after(2_000).asks({ ...pushing, approvers: 2 }, push);
  play
    .after(hour)
    .decides('2.1', { kind: 'approve', input: { branch: 'fix-1', token: 'swordfish-7' } }, 'ana', 'Not main.');
  play.after(hour).decides('2.1', { kind: 'approve' }, 'bob');
  play.after(1_500).broke('2.1', toolFailure('timeout', 'No sign of life for 10 s'));
  play
    .after(60_000)
    .decides('2.1', { kind: 'happened', observation: 'Pushed to fix-1.' }, 'ana', 'I see it on the server.');
  play
    .after(2_000)
    .asks(
      { ...pushing, reason: 'Commands can do anything.', expiresMs: hour },
      { tool: 'shell_exec', input: { command: 'make deploy' } },
    );
  play.after(hour).fired('request');
  play.after(2_000).replied(asks({ tool: 'ask_user', input: { question: 'Where to?' } }, { tool: 'read_log' }));
  play.after(1_000).returned('4.2', 'all is well');
  play.after(hour).decides('4.1', { kind: 'answer', answer: 'To staging.' }, 'kim');
  play.after(2_000).replied(answers('Pushed to fix-1; not deployed.'));
  return play;
}
