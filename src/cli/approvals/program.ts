/** The commands by which people decide and steer. Each is loaded when it is called. */

import { type Command, Option } from 'commander';
import { collectValues } from '../flags/values.js';
import type { CommandAction } from '../terminal/terminal.js';
import type { AnswerFlags, ApproveFlags, DecideFlags } from './decide.js';
import type { InboxFlags } from './inbox.js';
import type { CancelFlags, LimitFlags, PauseFlags, SteerFlags } from './steer.js';

export function addPeopleCommands(program: Command, act: CommandAction): void {
  program
    .command('inbox')
    .description('list what waits for a person, over all chains; at a terminal, decide it there')
    .option('--agent <name>')
    .option('--tenant <name>')
    .option('--root <chain>', 'a chain, or the beginning of its id, and all below it')
    .addOption(createRoleOption('only what this role may decide; repeatable', 'every role'))
    .option('--by <name>', 'who decides (default: who is logged in)')
    .option('--limit <chains>', 'the most that are shown', '50')
    .option('--list', 'list it and ask nothing, as in a pipe')
    .option('--as <role>', 'as who sees it: end_user, developer, auditor, or a role of --visibility', 'developer')
    .option('--visibility <file>', 'rules on who sees what, as JSON')
    .option('--json', 'print JSON')
    .action(act(async (terminal, flags: InboxFlags) => (await import('./inbox.js')).showInbox(terminal, flags)));
  addDecisionCommands(program, act);
  addSteeringCommands(program, act);
}

function addDecisionCommands(program: Command, act: CommandAction): void {
  addDigestOptions(addCallArgument(program.command('approve')))
    .description('let a call run that waits for approval')
    .option('--input <json>', 'with these arguments instead')
    .option('--always', 'and all later calls of this tool in this chain')
    .action(
      act(async (terminal, chain: string, id: string | undefined, flags: ApproveFlags) =>
        (await import('./decide.js')).approve(terminal, chain, id, flags),
      ),
    );

  addDigestOptions(addCallArgument(program.command('deny')))
    .description('do not let a call run, or leave a question unanswered; the model is told the reason')
    .action(
      act(async (terminal, chain: string, id: string | undefined, flags: DecideFlags) =>
        (await import('./decide.js')).deny(terminal, chain, id, flags),
      ),
    );

  addDigestOptions(
    addCallArgument(program.command('answer')).argument(
      '[text]',
      'the answer; with the call left out, it stands in its place',
    ),
  )
    .description("answer a question, or a call in its tool's stead, or say what came of a call in doubt")
    .option('--value <json>', 'the answer as JSON, instead of [text]')
    .option('--happened [text]', 'of a call in doubt: it happened, and this came of it')
    .option('--not-happened', 'it did not: run it again')
    .option('--give-up', 'nobody can tell: the chain ends')
    .action(
      act(async (terminal, chain: string, id: string | undefined, text: string | undefined, flags: AnswerFlags) => {
        const rest = [id, text].filter((each) => each !== undefined);
        return (await import('./decide.js')).answer(terminal, chain, rest, flags);
      }),
    );
}

function addSteeringCommands(program: Command, act: CommandAction): void {
  addSenderOptions(addChainArgument(program.command('steer')).argument('<text>', 'what the agent should know'))
    .description('tell the agent something, which it hears at its next step')
    .action(
      act(async (terminal, chain: string, text: string, flags: SteerFlags) =>
        (await import('./steer.js')).steer(terminal, chain, text, flags),
      ),
    );

  addSenderOptions(addChainArgument(program.command('pause')))
    .description('hold a chain before its next step, or at a breakpoint')
    .option('--at-step <number>', 'before this step')
    .option('--at-cost <usd>', 'once it has cost so many US dollars')
    .option('--before <tool>', 'before calls of this tool, which then wait for approval')
    .action(
      act(async (terminal, chain: string, flags: PauseFlags) =>
        (await import('./steer.js')).pause(terminal, chain, flags),
      ),
    );

  addSenderOptions(addChainArgument(program.command('resume')))
    .description('let a paused chain go on')
    .action(
      act(async (terminal, chain: string, flags: SteerFlags) =>
        (await import('./steer.js')).resume(terminal, chain, flags),
      ),
    );

  addSenderOptions(
    addChainArgument(program.command('limit')).argument(
      '[limits...]',
      'steps=20, tokens=200000, cost=2, time=1h, stall=5',
    ),
  )
    .description('raise limits of a running chain')
    .addOption(
      new Option('--limit <name=value>', 'the same, as `start` takes it; repeatable')
        .argParser(collectValues)
        .default([], 'none'),
    )
    .action(
      act(async (terminal, chain: string, limits: readonly string[], flags: LimitFlags) =>
        (await import('./steer.js')).raiseLimits(terminal, chain, limits, flags),
      ),
    );

  addSenderOptions(addChainArgument(program.command('cancel')))
    .description('end a chain as cancelled, with what it found so far')
    .option('--summarize', 'have the model sum up what was found')
    .option('--now', 'do not wait for what is running')
    .action(
      act(async (terminal, chain: string, flags: CancelFlags) =>
        (await import('./steer.js')).cancel(terminal, chain, flags),
      ),
    );
}

function addChainArgument(command: Command): Command {
  return command.argument('<chain>', 'an id, or the beginning of one');
}

function addCallArgument(command: Command): Command {
  return addChainArgument(command).argument('[call]', 'such as 3.1; may be left out where one alone waits');
}

function createRoleOption(description: string, none: string): Option {
  return new Option('--role <name>', description).argParser(collectValues).default([], none);
}

function addDigestOptions(command: Command): Command {
  return addSenderOptions(command)
    .option('--as <role>', 'as who sees what is asked about; an auditor sees what is masked', 'developer')
    .option('--digest <digest>', 'of the request that was read; refused if it is another now');
}

function addSenderOptions(command: Command): Command {
  return command
    .option('--by <name>', 'who says it (default: who is logged in)')
    .addOption(createRoleOption('a role of theirs, where only some may; repeatable', 'none'))
    .option('--reason <text>', 'why')
    .option('--json', 'print JSON');
}
