/**
 * What a reader sees of a live chain in Temporal's Web UI without opening a payload. Details cost no history.
 * L8: whatever somebody said, a tool was given or gave back passes through `Shown`.
 */

import { log, setCurrentDetails } from '@temporalio/workflow';
import { logMessages } from '../../contract/names.js';
import type { Display, Paragraph } from '../../core/engine/continuation.js';
import { count, usd } from '../../core/lib/display.js';
import { asText, type Json } from '../../core/lib/json.js';
import { plain } from '../../core/lib/plain.js';
import type { CallStatus, Step } from '../../core/model/chain.js';
import { limitsText } from '../../core/model/limits.js';
import type { State, Stop } from '../../core/model/state.js';
import { decidedText } from '../../core/state/decided-text.js';
import type { Entry } from '../../core/state/entry.js';
import { knownTools } from '../../core/state/forked.js';
import { planLine, taskLine } from '../../core/state/plan-text.js';
import type { Shown } from '../../core/view/snippet-masker.js';
import { chainLink } from './chain-link.js';
import { shownInDetails } from './details-shown.js';
import { subChainsText } from './sub-chains-text.js';
import { toDo } from './to-do.js';

/** Paragraphs shown; what came before is in the history. */
const most = 40;

/** The Web UI cuts off the last line of what it shows; let it be an empty one. */
const end = '\u00a0\n\n\u00a0';

/** Sub-chains that are named with their call; the others are found by its id. */
const mostChains = 3;

export class WebUi {
  private readonly shown: Shown;

  /** @param paragraphs what was shown of the chain before */
  constructor(
    shown: Shown,
    private paragraphs: readonly Paragraph[] = [],
  ) {
    this.shown = shownInDetails(shown);
  }

  get display(): Display {
    return { paragraphs: this.paragraphs, hidden: this.shown.hidden() };
  }

  /** L7: what cannot be shown must not fail the workflow task. It is a view, and no command depends on it. */
  show(state: State, entries: readonly Entry[]): void {
    try {
      // Temporal's own tools print it as it is.
      setCurrentDetails(plain(this.page(state, entries)));
    } catch (error) {
      log.warn(logMessages.notShown, { error });
      setCurrentDetails('The chain cannot be shown here; `longhand chain show` reads its history.');
    }
  }

  private page(state: State, entries: readonly Entry[]): string {
    // A fork begins with all of its origin's at once.
    const first = Math.max(0, entries.length - 3 * most);
    for (const entry of entries.slice(0, first)) this.passOver(entry, state);
    const shown = entries.slice(first).reduce((before, entry) => this.with(before, entry, state), this.paragraphs);
    this.paragraphs = shown.slice(-most);
    const said = this.paragraphs.map(({ text }) => text);
    return [
      ...this.heading(state),
      ...toDo(state, this.shown),
      ...this.plan(state),
      ...subChainsText(state),
      ...said,
      end,
    ].join('\n\n');
  }

  private heading(state: State): readonly string[] {
    const { agent, spent, stop, steps } = state;
    const facts = [
      `${steps} ${steps === 1 ? 'step' : 'steps'}`,
      `${count(spent.tokens)} tokens`,
      ...dollars(spent.usd),
    ];
    const title = `### ${[...(stop === null ? [] : [stop.outcome]), ...facts].join(' · ')}`;
    const of = agent === null ? [] : [`${agent.name} · ${agent.model.name} · at most ${limitsText(agent.limits)}`];
    return [
      title,
      ...of,
      ...this.task(state),
      ...(stop === null ? [] : [this.shown.reason(stop.reason, 400), ...this.found(stop)]),
    ];
  }

  /** Temporal shows it with the run that a chain was started in, and not with those that it goes on in. */
  private task({ run, input }: State): readonly string[] {
    return run.runs === 0 ? [] : [`**Task** ${this.shown.line(input?.task ?? '', 400)} · run ${run.runs + 1}`];
  }

  /** The tasks, and how far each has come. */
  private plan({ plan }: State): readonly string[] {
    if (plan === null) return [];
    const lines = plan.tasks.map((task) => `- ${this.shown.line(taskLine(task), 200)}`);
    return [`**Plan** ${planLine(plan)}`, lines.join('\n')];
  }

  /** What the chain came to stands first: it is what people come for. */
  private found({ answer, partial }: Stop): readonly string[] {
    const text = asText(answer ?? partial ?? '');
    return text === '' ? [] : [`> ${this.shown.block(text, 4_000).replace(/\n/g, '\n> ')}`];
  }

  /** What is sensitive in it is hidden in what comes after all the same. */
  private passOver(entry: Entry, state: State): void {
    if (entry.type === 'step') this.shown.begin(knownTools(state), entry.step.calls);
    if (entry.type === 'observation') this.shown.keep(entry.tool, entry.settled.observation);
    if (entry.type === 'decided') this.changed(entry);
  }

  /** A call's observation joins the paragraph of the call. */
  private with(before: readonly Paragraph[], entry: Entry, state: State): readonly Paragraph[] {
    switch (entry.type) {
      case 'step':
        this.shown.begin(knownTools(state), entry.step.calls);
        return [...before, ...this.step(entry.step)];
      case 'observation': {
        const { call, status, observation } = entry.settled;
        const end = ` → ${this.result(entry.tool, status, observation)}`;
        return before.map((each) => (each.call === call ? { call: null, text: each.text + end } : each));
      }
      case 'notice':
        // What ended the chain and what sums it up stand in the heading.
        if (entry.notice.kind === 'closing' || state.stop?.reason.includes(entry.notice.text)) return before;
        return [
          ...before,
          {
            call: null,
            text: `${entry.notice.kind === 'plan' ? '≡' : '⚠'} ${this.shown.reason(entry.notice.text, 400)}`,
          },
        ];
      case 'message': {
        const { by, text } = entry.message;
        return [
          ...before,
          { call: null, text: `**${this.shown.line(by ?? 'user', 100)}** ${this.shown.line(text, 400)}` },
        ];
      }
      case 'decided':
        return [...before, { call: null, text: `${entry.call} · ${this.shown.line(this.decided(entry), 400)}` }];
      case 'chainBegun': {
        const { call, chain } = entry;
        return before.map((each) => (each.call === call ? withChain(each, chain.chainId) : each));
      }
      // What waits for a person stands above, for as long as it does.
      case 'asked':
      // The plan stands above as well.
      case 'planned':
      case 'guided':
      case 'chainEnded':
      case 'started':
      case 'prepared':
      case 'paused':
        return before;
    }
  }

  private decided(entry: Extract<Entry, { type: 'decided' }>): string {
    const { tool, decided } = entry;
    const text = decidedText(decided, decided.input === undefined ? null : this.shown.value(tool, decided.input, 200));
    this.changed(entry);
    return text;
  }

  private changed({ tool, decided: { input } }: Extract<Entry, { type: 'decided' }>): void {
    if (input !== undefined) this.shown.change({ tool, input });
  }

  private step({ number, thought, problem, calls }: Step): readonly Paragraph[] {
    const said = problem === null ? (thought ?? '') : `could not be read: ${problem}`;
    return [
      { call: null, text: `**${number}** ${this.shown.line(said, 400)}` },
      ...calls.map((call): Paragraph => {
        const text = `- ${code(this.shown.call(call))}`;
        if (call.status === 'pending') return { call: call.id, text };
        const result =
          call.status === 'reused'
            ? `as in call ${call.reusedFrom}`
            : this.result(call.tool, call.status, call.observation);
        return { call: null, text: `${text} → ${result}` };
      }),
    ];
  }

  private result(tool: string, status: CallStatus, observation: Json): string {
    const text = code(this.shown.value(tool, observation, 200));
    return status === 'ok' ? text : `*${status.replace('_', ' ')}* ${text}`;
  }
}

function withChain({ call, text, chains = 0 }: Paragraph, chainId: string): Paragraph {
  const more = chains < mostChains ? ` ⇢ ${chainLink(chainId)}` : chains === mostChains ? ' ⇢ …' : '';
  return { call, text: text + more, chains: chains + 1 };
}

function dollars(spent: number | null): readonly string[] {
  return spent === null ? [] : [usd(spent)];
}

function code(text: string): string {
  return `\`${text.replace(/[`\n]/g, ' ')}\``;
}
