/** A chain of the paying agent and its people, for tests of commands. */

import type { ChainHandle, StartOptions } from '../../src/entries/client.js';
import type { Call } from '../../src/index.js';
import { type ChainTest, type ChainTestOptions, withWorker } from './chain-test.js';
import { createPayingAgent, type Paying, type PayingOptions } from './paying-agent.js';
import { sendCommand, waitForRequests } from './people.js';
import type { ScriptedReply } from './scripted-reply.js';

export interface Scene extends Paying {
  readonly test: ChainTest;
  readonly chain: ChainHandle;
  readonly chainId: string;
  /** Sends a command, by default as ana. */
  readonly send: (name: Parameters<typeof sendCommand>[2], fields?: Parameters<typeof sendCommand>[3]) => Promise<void>;
  readonly waitForRequests: (...calls: readonly string[]) => Promise<void>;
  readonly listCalls: (step: number) => Promise<readonly Call[]>;
}

export interface SceneOptions extends PayingOptions {
  readonly temporal?: ChainTestOptions['temporal'];
  readonly start?: StartOptions;
}

export async function playScene(
  options: SceneOptions,
  replies: readonly ScriptedReply[],
  body: (scene: Scene) => Promise<void>,
): Promise<void> {
  const paying = createPayingAgent(options);
  const temporal = options.temporal ?? {};
  await withWorker({ agents: [paying.agent], replies, temporal }, async (test) => {
    const { longhand } = test;
    const chain = await longhand.start(paying.agent, 'Pay', options.start);
    const { chainId } = chain;
    await body({
      ...paying,
      test,
      chain,
      chainId,
      send: (name, fields) => sendCommand(longhand, chainId, name, fields),
      waitForRequests: (...ids) => waitForRequests(longhand, chainId, ...ids),
      listCalls: async (step) => (await chain.read()).steps[step - 1]?.calls ?? [],
    });
  });
}
