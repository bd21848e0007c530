/** `longhand run` at a terminal also prompts for the requests of sub-chains. */

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { replyAsFamily } from '../../support/family.js';
import { startMessagesServer } from '../../support/messages-server.js';
import { hasPseudoTerminal, pick, runAtTerminal } from '../../support/pseudo-terminal.js';
import { getTemporalAddress } from '../../support/temporal.js';

describe.skipIf(!hasPseudoTerminal())('at a terminal', () => {
  it('run prompts for the approval of a sub-chain by its id and prints the result of each sub-chain', async () => {
    const models = await startMessagesServer(replyAsFamily);
    const id = `tea-${randomUUID().slice(0, 8)}`;
    const args = ['run', 'editor', 'Tea', '--module', 'test/support/family.ts', '--id', id];
    const env = { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_MODEL_URL: models.url };
    const terminal = runAtTerminal([...args, '--task-queue', `test-${randomUUID()}`], env);
    try {
      const question = new RegExp(`publisher · ${id}/1\\.2[\\s\\S]*\\[redacted:field\\][\\s\\S]*What do you decide\\?`);
      await terminal.type(question, pick(1));
      const { code, text } = await terminal.end;
      expect(text).toContain('Approved call 1.1');
      expect(text).toMatch(/⇢ researcher .*Where does tea come from\?/);
      expect(text).toMatch(new RegExp(`⇢ researcher +✓ success · 2 steps.* ${id}/1\\.1\r?\n`));
      expect(text).not.toContain('hunter2');
      expect(code).toBe(0);
    } finally {
      terminal.kill();
      await models.close();
    }
  });
});
