/**
 * A run in pages, so that its beginning can be read without the rest. A page holds turns, and what lies beside them: the
 * digests of the calls that they asked for, and what became of those.
 *
 * 1. The pages of a run are the run: joined in their order they are equal to it, whatever is in it.
 * 2. The first page is short, for who looks at the first steps. The others are long: more is alike in more, and takes less.
 */

import type { ChainFileTurn, ChainRun } from '../../core/record/chain-file.js';

export interface Page extends Pick<ChainRun, 'turns' | 'heads' | 'attempts'> {
  /** On the first page alone. */
  readonly run?: Pick<ChainRun, 'runId' | 'closed' | 'closedAt' | 'result'>;
}

/** Turns of the first page, and of each other. A chain of some hundred events is one page. */
const maxFirstPageTurns = 256;
const maxPageTurns = 1_024;

/** Characters of JSON after which a page ends sooner: of long results not so many are read at once. */
const maxFirstPageChars = 512 * 1024;
const maxPageChars = 8 * 1024 * 1024;

export function toPages(whole: ChainRun): readonly Page[] {
  const { turns, heads, attempts, ...run } = whole;
  const cut = splitTurns(turns);
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
export function joinPages(pages: readonly Page[]): ChainRun | null {
  const run = pages[0]?.run;
  if (run === undefined) return null;
  const attempts = Object.assign({}, ...pages.map((page) => page.attempts)) as ChainRun['attempts'];
  return { ...run, turns: pages.flatMap((page) => page.turns), heads: pages.flatMap(({ heads }) => heads), attempts };
}

/** At least one page, be it empty. */
function splitTurns(turns: readonly ChainFileTurn[]): readonly (readonly ChainFileTurn[])[] {
  const cut: ChainFileTurn[][] = [[]];
  let chars = 0;
  for (const turn of turns) {
    const isFirst = cut.length === 1;
    const page = cut.at(-1) as ChainFileTurn[];
    if (
      page.length >= (isFirst ? maxFirstPageTurns : maxPageTurns) ||
      chars >= (isFirst ? maxFirstPageChars : maxPageChars)
    ) {
      cut.push([turn]);
      chars = countChars(turn);
      continue;
    }
    page.push(turn);
    chars += countChars(turn);
  }
  return cut;
}

function countChars(turn: ChainFileTurn): number {
  return JSON.stringify(turn).length;
}
