/** Handlers of operations that read one chain. */

import {
  createLinkedAbort,
  mapAll,
  readRecordedChain,
  resolveChainSource,
  toChainFile,
  type ViewOptions,
} from '../../client/index.js';
import { isLonghandError, LonghandError, omitUndefined, toPlainText } from '../../core/lib/index.js';
import { formatDivergence, sealChainFile, verifyFile } from '../../core/record/index.js';
import { formatMarkdownReport, type ReasoningView, type Viewer } from '../../core/view/index.js';
import type { chainOperations } from '../../http/index.js';
import { listViewedSubChains } from '../../store/index.js';
import type { ReachedChain, RequestContext } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { GatewayError } from '../request/problems.js';
import { toContentResponse } from './ranges.js';

type ReadHandlers = Pick<
  Handlers<typeof chainOperations>,
  'getChain' | 'getResult' | 'getThread' | 'listForks' | 'exportChain' | 'getFile' | 'getObservation'
>;

export const readHandlers: ReadHandlers = {
  getChain: async ({ query: { as, expand, ...options } }, context) => {
    const { from, to, depth } = options;
    return viewTree(context, await context.toViewer(as, expand), { depth, ...omitUndefined({ from, to }) });
  },

  getResult: async ({ query: { as, wait } }, context) => {
    const { chain, visibility, toViewer } = context;
    const viewer = await toViewer(as);
    let view = await chain.handle.view(viewer, visibility);
    if (view.outcome === null && wait > 0 && (await waitForEnd(context, wait * 1_000)))
      view = await chain.handle.view(viewer, visibility);
    return toResult(view);
  },

  getThread: async (_, { longhand, chain, identity, reach }) => {
    const options = identity.tenant === null ? {} : { tenant: identity.tenant };
    return { items: await keepReached(await longhand.listThread(chain.chainId, options), reach) };
  },

  listForks: async (_, { longhand, chain, reach }) => {
    const forks = (await longhand.listForks(chain.chainId)).map((chainId) => ({ chainId }));
    return { items: (await keepReached(forks, reach)).map(({ chainId }) => chainId) };
  },

  exportChain: async ({ query: { format, as } }, context) =>
    format === 'json' ? exportFile(context) : exportReport(context, as),

  getFile: async ({ params: { name }, query: { as, call } }, { chain, visibility, request, toViewer }) => {
    const { file, content } = await chain.handle.readFile({ name, call }, await toViewer(as), visibility);
    return toContentResponse(request, { name: file.name, mediaType: file.mediaType, bytes: content });
  },

  getObservation: async ({ params: { call }, query: { as } }, { chain, visibility, request, toViewer }) => {
    const content = await chain.handle.readObservation(call, await toViewer(as), visibility);
    return toContentResponse(request, { name: `observation-${call}`, ...content });
  },
};

/** Chains of a thread and forks may run for other users. */
async function keepReached<T extends { readonly chainId: string }>(
  chains: readonly T[],
  reach: RequestContext['reach'],
): Promise<readonly T[]> {
  const isReached = ({ chainId }: T) =>
    reach(chainId).then(
      () => true,
      (error: unknown) => {
        if (isLonghandError(error) && hiddenCodes.has(error.code)) return false;
        throw error;
      },
    );
  const reached = await mapAll(chains, isReached);
  return chains.filter((_, at) => reached[at]);
}

const hiddenCodes: ReadonlySet<string> = new Set(['chain_not_found', 'chain_erased']);

type ChainContext = RequestContext & { readonly chain: ReachedChain };

/** Returns whether the chain ended within the time. The wait ends with the request, and when the gateway stops. */
async function waitForEnd({ longhand, chain, signal, closing }: ChainContext, timeoutMs: number): Promise<boolean> {
  const end = createLinkedAbort(signal, closing);
  const timer = setTimeout(end.abort, timeoutMs);
  try {
    // Temporal's client does not notice a signal that was aborted before its call.
    const stopped = new Promise<false>((resolve) => {
      if (end.signal.aborted) resolve(false);
      end.signal.addEventListener('abort', () => resolve(false));
    });
    const ended = longhand.client.withAbortSignal(end.signal, () => chain.handle.result().then(() => true));
    return await Promise.race([ended, stopped]);
  } catch (error) {
    if (end.signal.aborted) return false;
    throw error;
  } finally {
    clearTimeout(timer);
    end.unlink();
  }
}

function toResult(view: ReasoningView) {
  const { chainId, outcome, answer, partial, reason, steps, tokens, costUsd } = view;
  if (outcome === null) return { chainId, status: 'running' as const };
  const count = Math.max(0, ...steps.map(({ number }) => number));
  return { chainId, status: 'ended' as const, outcome, answer, partial, reason, steps: count, tokens, costUsd };
}

/** Returns a view with sub-chains, which are recorded as shown. The chain itself is recorded with its viewer. */
async function viewTree(
  { chain, visibility, recordShown }: ChainContext,
  viewer: Viewer,
  options: ViewOptions,
): Promise<ReasoningView> {
  const view = await chain.handle.view(viewer, visibility, options);
  await recordShown(viewer.role, listViewedSubChains(view, chain.tenant));
  return view;
}

/** The complete chain, unmasked, which anyone can verify. */
async function exportFile({ longhand, chain, identity, recordShown }: ChainContext): Promise<Response> {
  if (!identity.scopes.has('audit'))
    throw new GatewayError('scope_missing', 'The format json is unmasked: it needs the scope audit. Use markdown.');
  await recordShown('export', [chain]);
  const file = toChainFile(await readRecordedChain(await resolveChainSource(longhand.client, chain.chainId)));
  const { divergence } = verifyFile(file);
  if (divergence !== null) {
    throw new LonghandError(
      'invalid_chain_file',
      `The chain is not exported: its file would not verify. ${formatDivergence(divergence)}.`,
    );
  }
  return toAttachment(JSON.stringify(sealChainFile(file)), 'application/json');
}

async function exportReport(context: ChainContext, as: string | undefined): Promise<Response> {
  const view = await viewTree(context, await context.toViewer(as), { depth: 10 });
  return toAttachment(toPlainText(formatMarkdownReport(view)), 'text/markdown; charset=utf-8');
}

function toAttachment(text: string, mediaType: string): Response {
  return new Response(text, {
    headers: {
      'content-type': mediaType,
      'content-disposition': 'attachment',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  });
}
