/** Answers in a message of a chat, as the chain gets them. */

import { expect, it } from 'vitest';
import type { ChainHandle } from '../../../src/client/chain-handle.js';
import { CommandRejectedError } from '../../../src/client/errors/errors.js';
import type { OpenRequest } from '../../../src/core/engine/state/open-requests.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { sendAnswers } from '../../../src/gateway/chat/chat-answer.js';

it('a message that answers one request many times decides it once, also where another person was faster', async () => {
  const requests = ['1.1', '1.2'].map((call) => ({ call, kind: 'approval', digest: 'd' }) as OpenRequest);
  const sent: string[] = [];
  const handle: Partial<ChainHandle> = {
    listRequests: async () => requests,
    deny: async (call) => {
      sent.push(call);
      if (call === '1.2') throw new CommandRejectedError('chat-1', 'call_not_waiting', 'It was decided.');
      return { id: call, status: 'accepted' };
    },
  };
  const answers = Array.from({ length: 1_000 }, (_, at) => ({
    call: `1.${1 + (at % 2)}`,
    digest: 'd',
    decision: { kind: 'deny', reason: undefined } as const,
  }));
  const decided = await sendAnswers(
    { visibility: {} },
    {
      chain: { handle: handle as ChainHandle },
      viewer: createViewer('developer', { tenant: null }),
      decider: { by: 'ana', roles: [], canDecide: true },
    },
    answers,
  );
  expect(sent).toEqual(['1.1', '1.2']);
  expect(decided.size).toBe(2);
});
