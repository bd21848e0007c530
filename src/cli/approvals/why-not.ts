/** Why a call, or a chain, waits for nobody any more: who decided it, or when its time ran out. */

import type { ChainHandle } from '../../client/handle.js';
import { requestsOf } from '../../client/read/requests.js';
import { noSuchCall } from '../../core/approvals/refusal.js';
import { type CallRequest, type Decided, decisive } from '../../core/model/ask.js';
import type { Call } from '../../core/model/chain.js';
import { clock } from '../flags/when.js';

/** @returns null where the history does not say */
export async function whyNot(chain: ChainHandle, id: string): Promise<string | null> {
  const { chain: read, status } = await chain.describe();
  const calls = read.steps.flatMap(({ calls }) => calls);
  const call = calls.find((each) => each.id === id);
  if (call !== undefined) return overText(call);
  if (status === 'ended') return `It had no call ${id}.`;
  const open = requestsOf(read.state, Date.now()).map((each) => each.call);
  return noSuchCall(id, open);
}

/** Of a chain in which nothing waits: with what was asked last, where nobody decided it. */
export async function nothingWaits(chain: ChainHandle): Promise<string> {
  const { chain: read, status } = await chain.describe();
  const asked = read.steps.flatMap(({ calls }) => calls).findLast(({ requests }) => requests !== undefined);
  const over = asked?.requests?.at(-1)?.decisions.at(-1)?.what === 'expired' ? overText(asked) : null;
  const first =
    status === 'ended'
      ? `Chain ${chain.chainId} has ended: nothing waits in it any more.`
      : `No call of ${chain.chainId} waits for a person.`;
  return over === null ? first : `${first} ${over}`;
}

function overText({ id, requests = [] }: Call): string | null {
  const request = requests.at(-1);
  const last = decisive(request?.decisions ?? []);
  if (request === undefined || last === null) return null;
  const at = `${clock(last.at)} UTC`;
  if (last.what !== 'expired') {
    return `Call ${id} waits no more: ${last.by ?? 'somebody'} ${words[last.what]} at ${at}.`;
  }
  return `Call ${id} waits no more: its time ran out at ${at}, and ${afterExpiry(request)}.`;
}

function afterExpiry({ kind, rules }: CallRequest): string {
  if (kind === 'approval') return rules.onExpiry === 'approve' ? 'it was approved' : 'it was denied';
  return kind === 'question' ? 'nobody answered it' : 'the chain ended';
}

const words: { readonly [what in Exclude<Decided['what'], 'expired'>]: string } = {
  approved: 'approved it',
  denied: 'denied it',
  answered: 'answered it',
  happened: 'said that it happened',
  not_happened: 'said that it did not happen',
  given_up: 'gave it up',
};
