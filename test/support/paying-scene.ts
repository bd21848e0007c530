/** A chain of the paying agent, and people around it: what tests of what people do begin with. */

import type { Call, ChainHandle, StartOptions } from '../../src/index.js';
import { type ChainTest, type ChainTestOptions, withWorker } from './chain-test.js';
import { type Paying, type PayingOptions, payingAgent } from './paying-agent.js';
import { asked, say } from './people.js';
import type { ScriptedReply } from './scripted-reply.js';

export interface Scene extends Paying {
  readonly test: ChainTest;
  readonly chain: ChainHandle;
  readonly chainId: string;
  /** What people say; by ana unless told. */
  readonly say: (name: Parameters<typeof say>[2], said?: Parameters<typeof say>[3]) => Promise<void>;
  readonly asked: (...calls: readonly string[]) => Promise<void>;
  readonly callsOf: (step: number) => Promise<readonly Call[]>;
}

export interface SceneOptions extends PayingOptions {
  readonly temporal?: ChainTestOptions['temporal'];
  readonly start?: StartOptions;
}

export async function scene(
  options: SceneOptions,
  replies: readonly ScriptedReply[],
  body: (scene: Scene) => Promise<void>,
): Promise<void> {
  const paying = payingAgent(options);
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
      say: (name, said) => say(longhand, chainId, name, said),
      asked: (...ids) => asked(longhand, chainId, ...ids),
      callsOf: async (step) => (await chain.describe()).chain.steps[step - 1]?.calls ?? [],
    });
  });
}
