/** `longhand demo`: the repository reader on the current folder, with a real model or the recorded one. */

import { anthropicProvider } from '../../models/anthropic.js';
import { createModelFromEnvironment } from '../../models/environment.js';
import { resolvePackageFile } from '../../models/package-file.js';
import { exitCodes } from '../flags/usage-error.js';
import { loadDefinitions, pickAgent } from '../run/load-agents.js';
import { runChain } from '../run/run-chain.js';
import { checkTask } from '../run/start.js';
import { chainUrl, findServer } from '../server/server.js';
import type { Terminal } from '../terminal/terminal.js';
import { rehearsedModel, startPlayer } from './player.js';
import { demoTask } from './transcript.js';

export async function demo(terminal: Terminal, task = demoTask): Promise<number> {
  checkTask(task);
  const { agents } = await loadDefinitions(resolvePackageFile('examples/repository-reader.ts'));
  const model = await demoModel(terminal);
  const began = performance.now();
  const server = await findServer({ say: terminal.say });
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  terminal.say(`✓ Temporal ${server.own ? `started at ${server.address} (${seconds} s)` : `at ${server.address}`}\n`);
  try {
    const result = await runChain({
      agents,
      agent: pickAgent(agents, 'repository_reader'),
      task,
      address: server.address,
      provider: model.provider,
      start: { model: model.name },
      live: terminal,
      people: 'tell',
      say: terminal.say,
    });
    if (server.uiUrl !== null) {
      terminal.write(`\nIn Temporal's Web UI: ${chainUrl(server.uiUrl, result.chainId)}\n`);
      if (server.own) await lookAround(terminal);
    }
    return exitCodes[result.outcome];
  } finally {
    await server.stop();
    await model.close();
  }
}

/** Gives a person time to open that address; does not delay a script. */
async function lookAround({ write }: Terminal): Promise<void> {
  write('That server stops with the demo; `npx longhand dev` keeps one running.\n');
  if (!process.stdin.isTTY || !process.stdout.isTTY) return;
  write('Press Enter to end it; it ends by itself in a minute.\n');
  await new Promise<void>((resolve) => {
    const end = () => resolve();
    process.stdin.once('data', end);
    process.once('SIGINT', end);
    setTimeout(end, 60_000);
  });
}

async function demoModel({ say }: Terminal) {
  const configured = await createModelFromEnvironment(process.env);
  if (configured !== null) {
    say(`✓ Model: ${configured.description}`);
    return { provider: configured.provider, name: configured.model ?? undefined, close: async () => {} };
  }
  const player = await startPlayer({ onStuck: (why) => say(`\n${why}`) });
  say('! No model is configured, so a rehearsed one answers: its tools are real, its words are prepared.');
  say('  Set ANTHROPIC_API_KEY, or LONGHAND_MODEL_URL (and LONGHAND_MODEL), for a real one.');
  return {
    provider: anthropicProvider({ baseURL: player.url, apiKey: 'rehearsed' }),
    name: rehearsedModel,
    close: () => player.close(),
  };
}
