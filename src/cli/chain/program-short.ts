/** The commands of everyday that also work without `chain`: `longhand show` is `longhand chain show`. */

import type { Command } from 'commander';
import { addNextChainFlags } from '../flags/start-flags.js';
import { addStepViewerOptions } from '../flags/view-flags.js';
import type { CommandAction } from '../terminal/terminal.js';
import type { ShowFlags } from './show.js';
import type { ShowPromptFlags } from './show-prompt.js';

interface ShowOtherFlags extends Partial<ShowPromptFlags> {
  readonly context?: boolean;
}

/** @param parent the program, or its command `chain` */
export function addShortCommands(parent: Command, act: CommandAction, chainHelp: string): void {
  addStepViewerOptions(parent.command('show').argument('<chain>', chainHelp))
    .description('show a chain as a tree')
    .option('--step <number>', 'show only this step, in full')
    .option(
      '--prompt [call]',
      "show the prompt of the step's model call as it was sent, or that of a call such as model-4",
    )
    .option('--context', 'show what the model of the step saw, in outline: summarized steps, clipped results, tokens')
    .option('--type <kinds>', 'only thinking, tool_call, approval, tool_result, synthesis, notice; separated by commas')
    .option('--since <time>', 'only entries since: 30m, 2h, 2026-11-20T14:00:00Z')
    .option('--search <text>', 'only entries that contain this text; case does not matter')
    .option('--from <step>', 'only steps from this one')
    .option('--to <step>', 'only steps up to this one; the chain is read and shown as it was then')
    .option('--last <steps>', 'number of newest steps to show (default: 50)')
    .option('--all', 'show every step')
    .option('--depth <levels>', 'levels of sub-chains to open (default: one line for each sub-chain)')
    .option('--tree', 'open all sub-chains')
    .option('--thread', 'show all chains of its thread, oldest first')
    .option('--save-files <folder>', 'also write the files of the task and of results to this folder')
    .action(
      act(() => async (terminal, id: string, flags: ShowFlags & ShowOtherFlags) => {
        const { prompt, context } = flags;
        if (flags.thread) return (await import('./show-thread.js')).showThread(terminal, id, flags);
        if (context) return (await import('./show-context.js')).showContext(terminal, id, flags);
        return prompt === undefined
          ? (await import('./show.js')).showChain(terminal, id, flags)
          : (await import('./show-prompt.js')).showPrompt(terminal, id, { ...flags, prompt });
      }),
    );

  addStepViewerOptions(parent.command('watch').argument('<chain>', chainHelp))
    .description('follow a chain until it ends')
    .option('--from <position>', 'continue after <runId>:<eventId>[:<item>], a position of --json')
    .option('--tokens', 'also show tokens while the model generates them; with --json also interim results of tools')
    .option('--events', 'print each step as a reasoning event, a JSON object per line')
    .action(act(async () => (await import('./watch.js')).watchChain));

  addNextChainFlags(parent.command('fork').argument('<chain>', chainHelp))
    .description('start a chain with the first steps of another; these steps cost nothing')
    .option('--at-step <number>', 'last step to copy (default: the last complete step)')
    .option('--steer <text>', 'message to the model before its next step; required after an answer')
    .option('--tenant <name>', "tenant (default: the chain's tenant)")
    .option('--wait', 'follow the chain until it ends')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./fork.js')).forkChain));

  addStepViewerOptions(parent.command('explain').argument('<chain>', chainHelp))
    .description('explain what a chain does next, or why it ended, and how much of its limits is used')
    .option('--step <number>', 'explain the chain as it was when this step was complete')
    .action(act(async () => (await import('./explain.js')).explainChain));
}
