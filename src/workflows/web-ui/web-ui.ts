/**
 * What a reader sees of a live chain in Temporal's Web UI without opening a payload. Details cost no history.
 * L8: whatever somebody said, a tool was given or gave back passes through `Shown`.
 */

import { log, setCurrentDetails } from '@temporalio/workflow';
import { logMessages } from '../../contract/names.js';
import type { Display, Paragraph } from '../../core/engine/continue-as-new.js';
import { count, usd } from '../../core/lib/display.js';
import { asText } from '../../core/lib/json.js';
import { plain, showAddresses, showInvisible } from '../../core/lib/plain.js';
import { limitsText } from '../../core/model/limits.js';
import type { State, Stop } from '../../core/model/state.js';
import { reasonOf } from '../../core/model/stop-reason.js';
import { planLine, taskLine } from '../../core/model/tasks.js';
import { list, quote } from '../../core/print/markdown.js';
import type { Entry } from '../../core/state/entry.js';
import { knownTools } from '../../core/state/forked.js';
import type { Shown } from '../../core/view/snippet-masker.js';
import { withEntry } from './paragraphs.js';
import { subChainsText } from './sub-chains.js';
import { toDo } from './to-do.js';

/** Paragraphs shown; what came before is in the history. */
const most = 40;

/** The Web UI cuts off the last line of what it shows; let it be an empty one. */
const end = '\u00a0\n\n\u00a0';

export class WebUi {
  private readonly shown: Shown;

  /** @param paragraphs what was shown of the chain before */
  constructor(
    shown: Shown,
    private paragraphs: readonly Paragraph[] = [],
  ) {
    this.shown = inDetails(shown);
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
    const shown = entries
      .slice(first)
      .reduce((before, entry) => withEntry(before, entry, state, this.shown), this.paragraphs);
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
      ...(stop === null ? [] : [this.shown.reason(reasonOf(stop), 400), ...this.found(stop)]),
    ];
  }

  /** Temporal shows it with the run that a chain was started in, and not with those that it goes on in. */
  private task({ run, input }: State): readonly string[] {
    return run.runs === 0 ? [] : [`**Task** ${this.shown.line(input?.task ?? '', 400)} · run ${run.runs + 1}`];
  }

  /** The tasks, and how far each has come. */
  private plan({ plan }: State): readonly string[] {
    if (plan === null) return [];
    return [`**Plan** ${planLine(plan)}`, list(plan.tasks.map((task) => this.shown.line(taskLine(task), 200)))];
  }

  /** What the chain came to stands first: it is what people come for. */
  private found({ answer, partial }: Stop): readonly string[] {
    const text = asText(answer ?? partial ?? '');
    return text === '' ? [] : [quote(this.shown.block(text, 4_000))];
  }

  /** What is sensitive in it is hidden in what comes after all the same. */
  private passOver(entry: Entry, state: State): void {
    if (entry.type === 'step') this.shown.begin(knownTools(state), entry.step.calls);
    if (entry.type === 'observation') this.shown.keep(entry.tool, entry.settled.observation);
    if (entry.type === 'decided') this.changed(entry);
  }

  private changed({ tool, decided: { input } }: Extract<Entry, { type: 'decided' }>): void {
    if (input !== undefined) this.shown.change({ tool, input });
  }
}

function dollars(spent: number | null): readonly string[] {
  return spent === null ? [] : [usd(spent)];
}

/** Invisible characters are shown as codes, and links with the address that they lead to: the Web UI renders Markdown. */
function inDetails(shown: Shown): Shown {
  return {
    ...shown,
    line: (...given) => showAddresses(shown.line(...given)),
    block: (...given) => showAddresses(shown.block(...given)),
    reason: (...given) => showAddresses(showInvisible(shown.reason(...given))),
    // Both are printed as code, in which no link is live.
    value: (...given) => showInvisible(shown.value(...given)),
    call: (...given) => showInvisible(shown.call(...given)),
  };
}
