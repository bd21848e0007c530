/**
 * Splits a run into pages, so that its beginning can be read without the rest. A page has turns, the digests of the
 * model calls that they started, and the attempts of their activities.
 *
 * 1. The joined pages of a run are equal to the run.
 * 2. The first page is short, for readers of the first steps. The others are long, because they compress better.
 */

import type { ChainFileTurn, ChainRun } from '../../core/record/index.js';

export interface Page extends Pick<ChainRun, 'turns' | 'heads' | 'attempts'> {
  /** Only on the first page. */
  readonly run?: Pick<ChainRun, 'runId' | 'closed' | 'closedAt' | 'result'>;
}

/** Turns of the first page, and of every other page. A chain of some hundred events is one page. */
const maxFirstPageTurns = 256;
const maxPageTurns = 1_024;

/** Characters of JSON after which a page ends early, so that few long results are read at the same time. */
const maxFirstPageChars = 512 * 1024;
const maxPageChars = 8 * 1024 * 1024;

export function toPages(whole: ChainRun): readonly Page[] {
  const { turns, heads, attempts, ...run } = whole;
  const cut = splitTurns(turns);
  const schedules = Object.entries(attempts);
  return cut.map((some, at): Page => {
    // The activities of a turn were scheduled after it and before the next turn.
    const from = at === 0 ? Number.NEGATIVE_INFINITY : (some[0]?.eventId ?? 0);
    const until = cut[at + 1]?.[0]?.eventId ?? Number.POSITIVE_INFINITY;
    const isHere = (eventId: number) => eventId >= from && eventId < until;
    return {
      ...(at === 0 ? { run } : {}),
      turns: some,
      heads: heads.filter(({ eventId }) => isHere(eventId)),
      attempts: Object.fromEntries(schedules.filter(([, { scheduledEventId }]) => isHere(scheduledEventId))),
    };
  });
}

/** Null when the first page is missing. */
export function joinPages(pages: readonly Page[]): ChainRun | null {
  const run = pages[0]?.run;
  if (run === undefined) return null;
  const attempts = Object.assign({}, ...pages.map((page) => page.attempts)) as ChainRun['attempts'];
  return { ...run, turns: pages.flatMap((page) => page.turns), heads: pages.flatMap(({ heads }) => heads), attempts };
}

/** Returns at least one page, which may be empty. */
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
