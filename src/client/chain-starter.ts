/** Starts chains and their follow-ups, each with a handle. */

import { randomUUID } from 'node:crypto';
import { type Connection, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { defaultTaskQueue, type TokenSubscriber } from '../contract/index.js';
import type { ChainHandle } from './chain-handle.js';
import { ChainExistsError } from './errors/errors.js';
import { createHandle } from './handle.js';
import type { ChainArchive } from './read/chain-archive.js';
import type { ArchiveClient } from './read/chain-source.js';
import type { ThreadSource } from './read/thread-source.js';
import { checkAgent, checkStart } from './start/check-start.js';
import type { FollowUpOptions, FollowUpStart } from './start/follow-up.js';
import { type CheckKnownAgent, createAgentCheck } from './start/known-agents.js';
import { startWorkflow } from './start/start.js';
import type { StartableAgent, StartInput, StartOptions } from './start/start-options.js';

interface ChainStarterOptions {
  readonly client: ArchiveClient;
  readonly connection: Connection;
  readonly archive: ChainArchive | null;
  readonly loadThreads: () => Promise<ThreadSource>;
  readonly tokens: TokenSubscriber | null;
  /** Undefined for the default, and for follow-ups the queue of their thread. */
  readonly taskQueue: string | undefined;
}

export class ChainStarter {
  readonly #options: ChainStarterOptions;
  readonly #checkAgentOfQueue: CheckKnownAgent | null;

  constructor(options: ChainStarterOptions) {
    const { connection, archive } = options;
    this.#options = options;
    this.#checkAgentOfQueue =
      archive === null
        ? null
        : createAgentCheck({ connection, listWorkers: (queue) => archive.listWorkers(queue.taskQueue) });
  }

  getHandle<Answer>(chainId: string): ChainHandle<Answer> {
    const { client, archive, tokens } = this.#options;
    return createHandle({
      ...{ client, chainId, tokens, archive },
      followUp: (previousId, text, options) => this.#followUp(previousId, text, options),
    });
  }

  /** @param usual id and task queue of a follow-up */
  async start<Answer>(
    start: Omit<StartInput, 'chainId' | 'taskQueue'>,
    { chainId, ...options }: StartOptions,
    usual: { readonly chainId?: string; readonly taskQueue?: string } = {},
  ): Promise<ChainHandle<Answer>> {
    checkAgent(start.agent);
    checkStart({ chainId, ...options });
    const { client, archive } = this.#options;
    const taskQueue = usual.taskQueue ?? this.#options.taskQueue ?? defaultTaskQueue;
    if (start.origin === undefined && start.thread === undefined)
      await this.checkKnownAgent(start.agent, options, taskQueue);
    const id = chainId ?? usual.chainId ?? `${start.agent.name}-${randomUUID()}`;
    try {
      await startWorkflow(
        client,
        { ...start, chainId: id, taskQueue },
        options,
        archive?.exists ? (content, mediaType) => archive.writeContent(id, content, mediaType) : null,
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      // Under `join`, a chain that has ended is returned, not started again.
      if (options.ifExists !== 'join') throw new ChainExistsError(id);
    }
    return this.getHandle(id);
  }

  /** @throws {LonghandError} `unknown_agent` */
  async checkKnownAgent(
    { name }: StartableAgent,
    { awaitAgent }: Pick<StartOptions, 'awaitAgent'>,
    taskQueue: string,
  ): Promise<void> {
    const { namespace } = this.#options.client.options;
    if (awaitAgent !== true) await this.#checkAgentOfQueue?.(name, { namespace, taskQueue });
  }

  async #followUp<Answer>(previousId: string, text: string, options: FollowUpOptions): Promise<ChainHandle<Answer>> {
    const { loadThreads, taskQueue } = this.#options;
    const begin = ({ agent, chainId, options: inherited, ...rest }: FollowUpStart, threadQueue: string | null) => {
      const usual = { chainId, taskQueue: taskQueue ?? threadQueue ?? defaultTaskQueue };
      return this.start({ agent: { name: agent }, ...rest }, { ...inherited, ifExists: 'error' }, usual);
    };
    const { sendFollowUp } = await import('./start/send-follow-up.js');
    return this.getHandle(await sendFollowUp(await loadThreads(), begin, previousId, text, options));
  }
}
