/** Commands at a terminal prompt for decisions: `longhand run` when its chain waits, the inbox, and `approve` without a call. */

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/entries/client.js';
import { withWorker } from '../../support/chain-test.js';
import { deployer } from '../../support/deciding-agents.js';
import { startMessagesServer } from '../../support/messages-server.js';
import { type AtTerminal, hasPseudoTerminal, keys, pick, runAtTerminal } from '../../support/pseudo-terminal.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

const push: ScriptedReply = {
  text: 'I push.',
  calls: [{ name: 'git_push', input: { branch: 'main', token: 'hunter2hunter2' } }],
};
const ask: ScriptedReply = {
  text: 'I ask.',
  calls: [{ name: 'ask_user', input: { question: 'Which region?', options: ['eu-1', 'us-2'] } }],
};
const done: ScriptedReply = { text: 'Done.' };

const getEnvironment = () => ({ TEMPORAL_ADDRESS: getTemporalAddress() });

async function runDeployer(
  replies: readonly ScriptedReply[],
  use: (terminal: AtTerminal) => Promise<void>,
  flags: readonly string[] = [],
): Promise<void> {
  const models = await startMessagesServer(replies);
  const args = ['run', 'deployer', 'Release', '--module', 'test/support/deciding-agents.ts'];
  const own = ['--task-queue', `test-${randomUUID()}`];
  const terminal = runAtTerminal([...args, ...own, ...flags], { ...getEnvironment(), LONGHAND_MODEL_URL: models.url });
  try {
    await use(terminal);
  } finally {
    terminal.kill();
    await models.close();
  }
}

describe.skipIf(!hasPseudoTerminal())('at a terminal', () => {
  it('run prompts for an approval and an answer, and then continues', async () => {
    await runDeployer([push, ask, done], async ({ type, end }) => {
      await type(/git_push[\s\S]*\[redacted:field\][\s\S]*What do you decide\?/, pick(1));
      await type(/Which region\?[\s\S]*Press any key to decide it\./, ' ');
      await type('What do you decide?', pick(1));
      await type('Your answer', pick(2));
      const { code, text } = await end;
      expect(text).toContain('Approved call 1.1');
      expect(text).toContain('pushed main');
      expect(text).toContain('→ us-2');
      expect(text).not.toContain('hunter2');
      expect(code).toBe(0);
    });
  });

  it('nothing risky is preselected: Enter leaves a request open, and claims no role', async () => {
    const drop = { text: 'I drop.', calls: [{ name: 'drop_table', input: { table: 'users' } }] };
    await withWorker({ agents: [deployer], replies: [drop] }, async ({ longhand }) => {
      const chain = await longhand.start(deployer, 'Release');
      await expect.poll(async () => (await chain.listRequests()).length).toBe(1);
      const left = async (typed: (terminal: AtTerminal) => Promise<void>) => {
        const terminal = runAtTerminal(['approve', chain.chainId], getEnvironment());
        await typed(terminal);
        const { code, text } = await terminal.end;
        expect([code, text]).toEqual([130, expect.stringContaining('Nothing was decided.')]);
      };
      await left(({ type }) => type('What do you decide?', keys.enter));
      await left(async ({ type }) => {
        await type('What do you decide?', pick(1));
        await type('Only the role dba may decide this.', keys.enter);
      });
      expect(await chain.listRequests()).toHaveLength(1);
      await chain.cancel();
    });
  });

  it('after a decision the next request waits for a key: keys that were typed ahead decide nothing', async () => {
    const pushes = {
      text: 'I push twice.',
      calls: ['main', 'next'].map((branch) => ({ name: 'git_push', input: { branch } })),
    };
    const longhand = await connect({ address: getTemporalAddress() });
    const id = `deployer-${randomUUID()}`;
    const twice = async ({ type, end }: AtTerminal) => {
      const chain = longhand.getHandle(id);
      // At once, so that the last two are typed before the second request is shown.
      await type('What do you decide?', pick(1) + pick(1) + pick(1));
      await type(/branch +next[\s\S]*Press any key to decide it\./, '');
      expect((await chain.listRequests()).map(({ call }) => call)).toEqual(['1.2']);
      await type('', ' ');
      await type('What do you decide?', pick(1));
      const { code, text } = await end;
      expect(text).toContain('pushed next');
      expect(code).toBe(0);
    };
    await runDeployer([pushes, done], twice, ['--id', id]);
    await longhand.close();
  });

  it('run decides nothing at the first Ctrl-C, prints the command that does, and cancels the chain at the second', async () => {
    await runDeployer([push], async ({ type, end }) => {
      await type('What do you decide?', keys.ctrlC);
      await type(/Call 1\.1 \(git_push\) waits for approval: longhand approve deployer-\S+ 1\.1/, keys.ctrlC);
      const { code, text } = await end;
      expect(text).toContain('Cancelling');
      expect(code).toBe(130);
    });
  });

  it('run treats Ctrl-D in a text prompt as Ctrl-C', async () => {
    await runDeployer([push], async ({ type, end }) => {
      await type('What do you decide?', pick(3));
      await type('Its arguments', keys.ctrlD);
      await type(/Call 1\.1 \(git_push\) waits for approval/, keys.ctrlC);
      const { code, text } = await end;
      expect(text).not.toContain('elsewhere');
      expect(code).toBe(130);
    });
  });

  it('run closes its prompt when the chain is cancelled', async () => {
    const longhand = await connect({ address: getTemporalAddress() });
    const id = `deployer-${randomUUID()}`;
    const cancelled = async ({ type, end }: AtTerminal) => {
      await type('What do you decide?', '');
      await longhand.getHandle(id).cancel({ by: 'bob' });
      const { text } = await end;
      expect(text).toContain('Nothing was decided: the chain has ended.');
      expect(text).not.toContain('elsewhere');
    };
    await runDeployer([push], cancelled, ['--id', id]);
    await longhand.close();
  });

  it('the inbox edits the arguments of a call and keeps their masked values', async () => {
    await withWorker({ agents: [deployer], replies: [push, done] }, async ({ longhand }) => {
      const tenant = `t-${randomUUID()}`;
      const chain = await longhand.start(deployer, 'Release', { tenant });
      await expect.poll(async () => (await longhand.listInbox({ tenant })).length).toBe(1);
      const { type, end } = runAtTerminal(['inbox', '--tenant', tenant, '--by', 'ann'], getEnvironment());
      await type('1 item waits for a person', keys.enter);
      await type('What do you decide?', pick(3));
      await type('Its arguments', keys.enter);
      const back = '\u007f'.repeat('main","token":"[redacted:field]"}'.length);
      await type('They are unchanged.', `${back}next","token":"[redacted:field]"}${keys.enter}`);
      const { code, text } = await end;
      expect(text).toContain('Approved call 1.1');
      expect(text).toContain('Nothing else waits for a person.');
      expect(code).toBe(0);
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      const [call] = (await chain.read()).steps[0]?.calls ?? [];
      expect(call).toMatchObject({ input: { branch: 'next', token: 'hunter2hunter2' }, observation: 'pushed next' });
    });
  });

  it('run closes its prompt when another person has decided', async () => {
    const longhand = await connect({ address: getTemporalAddress() });
    const id = `deployer-${randomUUID()}`;
    const denied = async ({ type, end }: AtTerminal) => {
      await type('What do you decide?', '');
      await longhand.getHandle(id).deny('1.1', { by: 'bob', reason: 'Not now.' });
      const { code, text } = await end;
      expect(text).toContain('Decided elsewhere.');
      expect(code).toBe(0);
    };
    await runDeployer([push, done], denied, ['--id', id]);
    await longhand.close();
  });

  it.each(['ctrlC', 'ctrlD'] as const)('approve shows the waiting call and exits 130 at %s', async (key) => {
    await withWorker({ agents: [deployer], replies: [push] }, async ({ longhand }) => {
      const chain = await longhand.start(deployer, 'Release');
      await expect.poll(async () => (await chain.listRequests()).length).toBe(1);
      const { type, end } = runAtTerminal(['approve', chain.chainId], getEnvironment());
      await type(/git_push[\s\S]*What do you decide\?/, keys[key]);
      const { code, text } = await end;
      expect(text).toContain('Nothing was decided.');
      expect(code).toBe(130);
      expect(await chain.listRequests()).toHaveLength(1);
      await chain.cancel();
    });
  });
});
