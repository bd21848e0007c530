/** The commands of people: decisions about requests, and commands to a chain. Each module is loaded when it is called. */

import { type Command, Option } from 'commander';
import { collectValues, createRoleOption } from '../flags/values.js';
import { addViewerOptions } from '../flags/view-flags.js';
import type { CommandAction } from '../terminal/terminal.js';
import type { AnswerFlags, ApproveFlags } from './decide.js';
import type { LinkFlags } from './link.js';
import type { SignalFlags } from './signal.js';

export function addPeopleCommands(program: Command, act: CommandAction): void {
  addViewerOptions(program.command('inbox'), 'filter')
    .description(
      'list the open requests of all chains, and chains that wait for a repair; at a terminal, decide requests',
    )
    .option('--agent <name>', 'only chains of this agent')
    .option('--tenant <name>', 'only chains of this tenant')
    .option('--root <chain>', 'only this chain and its sub-chains; an id or the beginning of one')
    .addOption(createRoleOption('only requests that this role may decide; repeatable', 'every role'))
    .option('--by <name>', 'name of the person who decides (default: the logged-in user)')
    .option('--limit <chains>', 'maximum number of chains', '50')
    .option('--list', 'only list, as in a pipe; do not prompt')
    .action(act(async () => (await import('./inbox.js')).showInbox));
  addDecisionCommands(program, act);
  addSteeringCommands(program, act);
}

function addDecisionCommands(program: Command, act: CommandAction): void {
  addDigestOptions(addCallArgument(program.command('approve')))
    .description('approve a call that waits for approval')
    .option('--input <json>', 'execute the call with these arguments instead')
    .option('--always', 'also approve all later calls of this tool in this chain')
    .option('--link', 'decide nothing; print a link by which the person of --by approves or denies the call once')
    .option('--expires <duration>', 'with --link: how long the link is valid, at most 30d (default: 24h)')
    .option(
      '--gateway <url>',
      'with --link: address of the gateway (default: LONGHAND_GATEWAY_URL, or http://127.0.0.1:7700)',
    )
    .action(
      act(
        () => async (terminal, chain: string, id: string | undefined, flags: ApproveFlags & LinkFlags) =>
          flags.link === true
            ? (await import('./link.js')).printLink(terminal, chain, id, flags)
            : (await import('./decide.js')).approve(terminal, chain, id, flags),
      ),
    );

  addDigestOptions(addCallArgument(program.command('deny')))
    .description('deny a call, or leave a question unanswered; the model sees the reason')
    .action(act(async () => (await import('./decide.js')).deny));

  addDigestOptions(
    addCallArgument(program.command('answer')).argument(
      '[text]',
      'the answer; if [call] is omitted, it follows <chain>',
    ),
  )
    .description('answer a question, answer a call instead of its tool, or resolve an unknown outcome')
    .option('--value <json>', 'the answer as JSON, instead of [text]')
    .option('--happened [text]', 'resolve an unknown outcome: the call happened, with this result')
    .option('--not-happened', 'resolve an unknown outcome: the call did not happen; execute it again')
    .option('--give-up', 'leave the outcome unknown and end the chain')
    .action(
      act(
        () => async (terminal, chain: string, id: string | undefined, text: string | undefined, flags: AnswerFlags) => {
          const rest = [id, text].filter((word) => word !== undefined);
          return (await import('./decide.js')).answer(terminal, chain, rest, flags);
        },
      ),
    );
}

function addSteeringCommands(program: Command, act: CommandAction): void {
  addSenderOptions(addChainArgument(program.command('steer')).argument('<text>', 'the message'))
    .description('send a message to the agent, which sees it at its next step')
    .action(act(async () => (await import('./steer.js')).steer));

  addSenderOptions(addChainArgument(program.command('pause')))
    .description('pause a chain before its next step, or at a breakpoint')
    .option('--at-step <number>', 'pause before this step')
    .option('--at-cost <usd>', 'pause when the chain has cost this many US dollars')
    .option('--before <tool>', 'pause before calls of this tool, which then wait for approval')
    .action(act(async () => (await import('./steer.js')).pause));

  addSenderOptions(
    program
      .command('resume')
      .argument('[chain]', 'an id, or the beginning of one')
      .argument('[call]', 'such as 3.1: end the wait of this call, and resume nothing else'),
  )
    .description('resume a paused chain, let a held chain try again at once, or end the wait of a call')
    .option('--all', 'resume all chains that --held-by names, instead of one')
    .option(
      '--held-by <holder>',
      'provider: chains whose model calls fail until a person repairs the cause; store: chains whose files the store does not return; worker: chains whose agent or tool no worker has',
    )
    .option('--agent <name>', 'with --all: only chains of this agent')
    .option('--tenant <name>', 'with --all: only chains of this tenant')
    .action(act(async () => (await import('./resume.js')).resume));

  addSenderOptions(
    addChainArgument(program.command('limit')).argument(
      '[limits...]',
      'steps=20, tokens=200000, cost=2, time=1h, stall=5, wait=2d',
    ),
  )
    .description('raise limits of a running chain')
    .addOption(
      new Option('--limit <name=value>', 'the same in the form of `start --limit`; repeatable')
        .argParser(collectValues)
        .default([], 'none'),
    )
    .action(act(async () => (await import('./steer.js')).raiseLimits));

  addSenderOptions(
    addChainArgument(program.command('signal'))
      .argument('<name>', 'such as build-done')
      .argument('[data]', 'data for the model, as JSON (default: null)'),
  )
    .description('send a signal to a chain whose agent has the tool wait(); kept until a call waits for it')
    .option(
      '--id <id>',
      'id of the signal, such as that of a build: the chain takes an id once, however often it is sent',
    )
    .action(
      act(
        () => async (terminal, chain: string, name: string, data: string | undefined, flags: SignalFlags) =>
          (await import('./signal.js')).signal(terminal, chain, { name, data }, flags),
      ),
    );

  addSenderOptions(addChainArgument(program.command('cancel')))
    .description('cancel a chain and keep its partial findings')
    .option('--summarize', 'let the model summarize the findings first')
    .option('--now', 'do not wait for running calls')
    .action(act(async () => (await import('./steer.js')).cancel));
}

function addChainArgument(command: Command): Command {
  return command.argument('<chain>', 'an id, or the beginning of one');
}

function addCallArgument(command: Command): Command {
  return addChainArgument(command).argument('[call]', 'such as 3.1; may be omitted if only one call waits');
}

function addDigestOptions(command: Command): Command {
  return addSenderOptions(command)
    .option('--as <role>', 'role of the viewer of the request; an auditor sees masked values', 'developer')
    .option(
      '--digest <digest>',
      'digest of the request that was read; rejects the decision if the request has changed',
    );
}

function addSenderOptions(command: Command): Command {
  return command
    .option('--by <name>', 'name of the sender (default: the logged-in user)')
    .addOption(createRoleOption('role of the sender, if only some roles may do it; repeatable'))
    .option('--reason <text>', 'reason to record')
    .option('--json', 'print JSON');
}
