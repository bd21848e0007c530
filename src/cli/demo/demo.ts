/** `longhand demo`: runs the demo agent on the current folder or the examples, with a real model or the recorded one. */

import { anyKeyVariable } from '../../core/model/index.js';
import {
  anthropicProvider,
  createProvidersFromEnvironment,
  describeProviders,
  type ModelProvider,
} from '../../models/index.js';
import { exitCodes } from '../flags/usage-error.js';
import { runChain } from '../run/run-chain.js';
import { validateTask } from '../run/start.js';
import { buildChainUrl, findOrStartServer } from '../server/server.js';
import type { Terminal } from '../terminal/terminal.js';
import { chooseDemoFolder, createDemoAgent } from './demo-agent.js';
import { rehearsedModel, startPlayer } from './player.js';
import { demoTask } from './transcript.js';

export async function runDemo(terminal: Terminal, task = demoTask): Promise<number> {
  validateTask(task);
  // Any other task is about the current folder.
  const { root, why } = task === demoTask ? await chooseDemoFolder(process.cwd()) : { root: process.cwd(), why: null };
  const agent = createDemoAgent(root);
  const model = await createDemoModel(terminal);
  if (why !== null) terminal.report(`! ${why}: the agent reads Longhand's examples, ${root}`);
  const startedAt = performance.now();
  const server = await findOrStartServer({ report: terminal.report });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  terminal.report(
    `✓ Temporal ${server.isOwn ? `started at ${server.address} (${seconds} s)` : `at ${server.address}`}\n`,
  );
  try {
    const result = await runChain({
      agents: [agent],
      agent,
      task,
      address: server.address,
      providers: model.providers,
      start: { model: model.name },
      output: terminal,
      requestHandling: 'print',
      report: terminal.report,
    });
    if (server.uiUrl !== null) {
      terminal.write(`\nIn Temporal's Web UI: ${buildChainUrl(server.uiUrl, result.chainId)}\n`);
      if (server.isOwn) await waitForEnter(terminal);
    }
    return exitCodes[result.outcome];
  } finally {
    await server.stop();
    await model.close();
  }
}

/** Gives a person time to open the Web UI; does not delay a script. */
async function waitForEnter({ write }: Terminal): Promise<void> {
  write('This server stops with the demo. To keep one running: npx longhand dev\n');
  if (!process.stdin.isTTY || !process.stdout.isTTY) return;
  write('Press Enter to stop it; otherwise it stops in a minute.\n');
  await new Promise<void>((resolve) => {
    const end = () => resolve();
    process.stdin.once('data', end);
    process.once('SIGINT', end);
    setTimeout(end, 60_000);
  });
}

/** The agent's own model is Claude: where only other providers are configured, one of theirs takes its place. */
const otherModels: readonly { readonly provider: string; readonly model: string }[] = [
  { provider: 'openai', model: 'openai/gpt-5.4-mini' },
  { provider: 'chat-server', model: 'chat-server/gpt-5.4-mini' },
  { provider: 'gemini', model: 'gemini/gemini-3.5-flash' },
];

/** Returns undefined for the agent's own model. */
function chooseDemoModel(providers: readonly ModelProvider[]): string | undefined {
  const has = (providerName: string) => providers.some(({ name }) => name === providerName);
  if (process.env.LONGHAND_MODEL || has('anthropic') || has('model-server')) return undefined;
  return otherModels.find(({ provider }) => has(provider))?.model;
}

async function createDemoModel({ report }: Terminal) {
  const configured = await createProvidersFromEnvironment(process.env);
  if (configured.length > 0) {
    report(`✓ Model: ${describeProviders(configured)}`);
    const providers = configured.map(({ provider }) => provider);
    return { providers, name: chooseDemoModel(providers), close: async () => {} };
  }
  const player = await startPlayer({ onStuck: (why) => report(`\n${why}`) });
  report('! No model is configured, so a recorded model answers: the tools are real, its replies are prepared.');
  report(`  To use a real model, set ${anyKeyVariable}, or LONGHAND_MODEL_URL and LONGHAND_MODEL.`);
  return {
    providers: [anthropicProvider({ name: 'recorded', baseURL: player.url, apiKey: 'rehearsed' })],
    name: rehearsedModel,
    close: () => player.close(),
  };
}
