/** `longhand approve --link`: a link by which one person approves or denies a call once, for mail and chat. */

import { resolveChainSource } from '../../client/index.js';
import { formatTime, LonghandError } from '../../core/lib/index.js';
import { createLink, formatLinkUrl, type LinkRequest, openLinkSigner, parseGatewayUrl } from '../../gateway/index.js';
import { UsageError } from '../flags/usage-error.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import type { ApproveFlags } from './decide.js';
import { type IdentifiedSender, toSender } from './decision.js';
import { explainNoRequests, findWaitingChain, getOnlyRequest, withChain } from './resolve-target.js';

export interface LinkFlags {
  readonly link?: boolean;
  readonly expires?: string;
  readonly gateway?: string;
}

/** Where `longhand gateway` listens by default. */
const defaultGateway = 'http://127.0.0.1:7700';

export async function printLink(
  terminal: Terminal,
  idOrName: string,
  call: string | undefined,
  flags: ApproveFlags & LinkFlags,
): Promise<number> {
  const { by, roles } = readPerson(flags);
  const signer = openLinkSigner(process.env);
  if (signer === null) {
    const fix = 'Set it to the keys of the gateway: `longhand gateway link-key` prints a new one.';
    throw new UsageError(`LONGHAND_LINK_KEYS is not set, so no link can be signed. ${fix}`);
  }
  const stated = flags.gateway ?? (process.env.LONGHAND_GATEWAY_URL || null);
  const gateway = parseGateway(stated ?? defaultGateway);
  return withChain(idOrName, async (chosen, longhand) => {
    const chain = call === undefined ? await findWaitingChain(chosen, longhand) : chosen;
    const { chainId } = chain;
    const id = call ?? (await findCall(chain));
    const { token, expiresAt } = await createLink(await resolveChainSource(longhand.client, chainId), signer, {
      call: id,
      by,
      roles,
      view: flags.as ?? 'end_user',
      expires: flags.expires as LinkRequest['expires'],
    });
    const url = formatLinkUrl(gateway, token);
    if (stated === null) {
      const fix = 'State the address of the gateway for people: --gateway https://…, or LONGHAND_GATEWAY_URL.';
      terminal.report(`The link works on this machine only: it is for ${defaultGateway}. ${fix}`);
    }
    if (flags.json) {
      terminal.write(formatJson({ url, chainId, call: id, by, roles, expiresAt: new Date(expiresAt).toISOString() }));
      return 0;
    }
    // The link alone is on standard output, for a pipe into a message.
    terminal.write(`${url}\n`);
    terminal.report(`For ${by} alone, until ${formatTime(expiresAt)}. It decides call ${id} of ${chainId} once.`);
    return 0;
  });
}

async function findCall(chain: Parameters<typeof findWaitingChain>[0]): Promise<string> {
  const requests = await chain.listRequests();
  if (requests.length === 0) throw new LonghandError('call_not_waiting', await explainNoRequests(chain));
  return getOnlyRequest(requests, { verb: 'approve', kinds: ['approval'], chainId: chain.chainId }).call;
}

/** The system user is not a default: a link is mostly for another person. What decides now has no place in a link. */
function readPerson(flags: ApproveFlags): IdentifiedSender {
  for (const name of ['input', 'always', 'digest', 'reason'] as const) {
    if (flags[name] === undefined) continue;
    throw new UsageError(`--link and --${name} cannot be combined: the person who opens the link decides.`);
  }
  if (flags.by === undefined) throw new UsageError('--link needs --by: the person who decides by it.');
  return toSender(flags);
}

/** @throws UsageError */
function parseGateway(text: string): string {
  const url = parseGatewayUrl(text);
  if (url !== null) return url;
  throw new UsageError(`Invalid --gateway ${text}: expected an address such as https://agents.example.com.`);
}
