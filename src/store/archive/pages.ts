/**
 * A run in pages, so that its beginning can be read without the rest. A page holds turns, and what lies beside them: the
 * digests of the calls that they asked for, and what became of those.
 *
 * 1. The pages of a run are the run: joined in their order they are equal to it, whatever is in it.
 * 2. The first page is short, for who looks at the first steps. The others are long: more is alike in more, and takes less.
 */

import type { ChainRun, FiledTurn } from '../../core/record/chain-file.js';

export interface Page extends Pick<ChainRun, 'turns' | 'heads' | 'attempts'> {
  /** On the first page alone. */
  readonly run?: Pick<ChainRun, 'runId' | 'closed' | 'closedAt' | 'result'>;
}

/** Turns of the first page, and of each other. A chain of some hundred events is one page. */
const firstTurns = 256;
const mostTurns = 1_024;

/** Characters of JSON after which a page ends sooner: of long results not so many are read at once. */
const firstChars = 512 * 1024;
const mostChars = 8 * 1024 * 1024;

export function pagesOf(whole: ChainRun): readonly Page[] {
  const { turns, heads, attempts, ...run } = whole;
  const cut = cutTurns(turns);
  const beside = Object.entries(attempts);
  return cut.map((some, at): Page => {
    // What a turn asked for was scheduled behind it, and before the next one.
    const from = at === 0 ? Number.NEGATIVE_INFINITY : (some[0]?.eventId ?? 0);
    const until = cut[at + 1]?.[0]?.eventId ?? Number.POSITIVE_INFINITY;
    const isHere = (eventId: number) => eventId >= from && eventId < until;
    return {
      ...(at === 0 ? { run } : {}),
      turns: some,
      heads: heads.filter(({ eventId }) => isHere(eventId)),
      attempts: Object.fromEntries(beside.filter(([, { scheduledEventId }]) => isHere(scheduledEventId))),
    };
  });
}

/** Null for pages of which the first is missing. */
export function runOf(pages: readonly Page[]): ChainRun | null {
  const run = pages[0]?.run;
  if (run === undefined) return null;
  const attempts = Object.assign({}, ...pages.map((page) => page.attempts)) as ChainRun['attempts'];
  return { ...run, turns: pages.flatMap((page) => page.turns), heads: pages.flatMap(({ heads }) => heads), attempts };
}

/** At least one page, be it empty. */
function cutTurns(turns: readonly FiledTurn[]): readonly (readonly FiledTurn[])[] {
  const cut: FiledTurn[][] = [[]];
  let chars = 0;
  for (const turn of turns) {
    const isFirst = cut.length === 1;
    const page = cut.at(-1) as FiledTurn[];
    if (page.length >= (isFirst ? firstTurns : mostTurns) || chars >= (isFirst ? firstChars : mostChars)) {
      cut.push([turn]);
      chars = charsOf(turn);
      continue;
    }
    page.push(turn);
    chars += charsOf(turn);
  }
  return cut;
}

function charsOf(turn: FiledTurn): number {
  return JSON.stringify(turn).length;
}
