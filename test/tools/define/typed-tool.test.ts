/** `execute` of a tool: a typed call outside of a chain, as unit tests of users make it. */

import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Tool, ToolError } from '../../../src/index.js';

const transfer = defineTool({
  name: 'transfer',
  description: 'Sends money',
  inputSchema: z.object({ account: z.string(), cents: z.int().positive().default(100) }),
  effects: 'idempotent',
  secrets: ['BANK_KEY'],
  execute: async ({ account, cents }, { secret, idempotencyKey, artifact, log, tenant }) => {
    if (account === 'gone') throw new ToolError('There is no account gone.');
    log.info('Sending.');
    const receipt = await artifact('receipt.txt', `${cents} to ${account}`, { mediaType: 'text/plain' });
    return { account, cents, receipt: receipt.digest, signedWith: secret('BANK_KEY'), idempotencyKey, tenant };
  },
});

const secret = () => 'bank-key';

describe('execute of a tool', () => {
  it('takes the arguments that the schema accepts, and returns what the tool returns', async () => {
    const sent = await transfer.execute({ account: 'DE1' }, { secret, idempotencyKey: 'once', tenant: 'acme' });
    expect(sent).toEqual({
      ...{ account: 'DE1', cents: 100, signedWith: 'bank-key', idempotencyKey: 'once', tenant: 'acme' },
      // printf '100 to DE1' | sha256sum
      receipt: 'sha256:854a33ba1176e865d26fd80cc9627baaecdaa9b94b3a079e28e06aafc0ac75da',
    });
    expectTypeOf(transfer.execute).parameter(0).toEqualTypeOf<{ account: string; cents?: number | undefined }>();
    expectTypeOf(sent.cents).toEqualTypeOf<number>();
    // @ts-expect-error: the schema has no member `euros`
    await transfer.execute({ account: 'DE1', euros: 1 }, { secret });
    expectTypeOf(transfer).toExtend<Tool>();
  });

  it('rejects invalid arguments, and throws the error of the tool', async () => {
    await expect(transfer.execute({ account: 'DE1', cents: -1 }, { secret })).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
    await expect(transfer.execute({ account: 'gone' })).rejects.toThrow(ToolError);
  });

  it('validates the result of a tool with an output schema', async () => {
    const roll = defineTool({
      ...{ name: 'roll', description: 'Rolls a die', inputSchema: z.object({ sides: z.int() }), effects: 'read' },
      outputSchema: z.int().max(6),
      execute: ({ sides }) => sides,
    });
    await expect(roll.execute({ sides: 6 })).resolves.toBe(6);
    await expect(roll.execute({ sides: 20 })).rejects.toThrow('roll returned an invalid result.');
  });

  it('needs the secrets that the tool reads', async () => {
    await expect(transfer.execute({ account: 'DE1' })).rejects.toThrow('Pass `secret`');
  });
});
