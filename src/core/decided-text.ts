/** What somebody said of a request, in one sentence for people. */

import type { Decided } from './ask.js';
import { asText } from './json.js';

export function decidedText({ what, by, reason, input, always, partly }: Decided): string {
  const who = by === null ? '' : ` by ${by}`;
  const why = reason === null || reason === '' ? '' : `: ${reason.replace(/\.$/, '')}`;
  const how = [
    ...(input === undefined ? [] : [`with ${asText(input)}`]),
    ...(always ? ['for the rest of the chain'] : []),
    ...(partly ? ['and others are waited for'] : []),
  ];
  return `${[words[what] + who, ...how].join(', ')}${why}.`;
}

const words = {
  approved: 'Approved',
  denied: 'Denied',
  answered: 'Answered',
  happened: 'Said to have happened',
  not_happened: 'Said not to have happened',
  given_up: 'Given up',
  expired: 'Nobody decided in time',
} as const satisfies { readonly [what in Decided['what']]: string };
