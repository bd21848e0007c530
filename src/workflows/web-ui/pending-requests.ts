/**
 * Open requests of a chain in the Web UI's details: the question, and the ways to decide it, from the command line and
 * with Temporal's own tools. Each printed line works when copied.
 */

import { messageNames } from '../../contract/index.js';
import {
  describeMissing,
  findRetryWait,
  formatAnswerCommand,
  formatMinute,
  formatPauseNotice,
  formatRetryWait,
  listDecisionCommands,
  listWaitingCalls,
  type WaitingCall,
} from '../../core/engine/index.js';
import { showInvisible, toValueText } from '../../core/lib/index.js';
import {
  type ChainState,
  getSubject,
  listDecidingRoles,
  type PersonRequest,
  type RequestKind,
} from '../../core/model/index.js';
import {
  formatCallWait,
  formatCode,
  formatList,
  formatOpenRequest,
  formatQuote,
  formatWords,
  listCallWaits,
  type RequestLine,
  type RequestPart,
  type RequestText,
  type SnippetMasker,
  toRemarkText,
} from '../../core/view/index.js';

/** Maximum characters of arguments or a question: a person must read them to decide. */
const maxArgumentLength = 2_000;

export function formatPendingRequests(state: ChainState, masker: SnippetMasker): readonly string[] {
  if (state.stop !== null) return [];
  const calls = listWaitingCalls(state).map((call) => formatRequest(state, call, masker));
  return [
    ...calls,
    ...(state.paused === null ? [] : [formatPause(state, state.paused, masker)]),
    ...formatRetry(state, masker),
    ...formatWaits(state, masker),
  ];
}

/** A retry of a model call, or an operation that no worker could take: why, and when it is tried again. */
function formatRetry(state: ChainState, masker: SnippetMasker): readonly string[] {
  const wait = findRetryWait(state);
  if (wait === null) return [];
  const title = formatRetryWait(wait).replace(/^./, (first) => first.toUpperCase());
  return [
    [`**${title}**`, formatQuote(masker.reason(describeCause(state), 600)), formatResumeHints(state)].join('\n\n'),
  ];
}

function describeCause(state: ChainState): string {
  const { requeue, failing } = state;
  if (requeue === null) return failing?.message ?? '';
  return `No worker that took its operation has ${describeMissing(state, requeue.missing)}. Nothing was run.`;
}

/** The name of a signal is the model's. */
function formatWaits(state: ChainState, masker: SnippetMasker): readonly string[] {
  return listCallWaits(state).map((wait) => {
    const signal = wait.signal === null ? null : masker.line(wait.signal, 100);
    const title = formatCallWait({ ...wait, signal }).replace(/^w/, 'W');
    const hint = signal === null ? [] : [formatList(listSignalHints(state, signal))];
    return [`**${title} · call ${wait.call}**`, ...hint, formatEndHints(state, wait.call)].join('\n\n');
  });
}

function listSignalHints({ chainId }: ChainState, signal: string): readonly string[] {
  const example = { name: signal, data: {}, by: 'you' };
  return [formatCode(`longhand signal ${chainId} ${signal}`), formatSendHint(['signal'], example)];
}

function formatResumeHints({ chainId }: ChainState): string {
  return formatList([formatCode(`longhand resume ${chainId}`), formatSendHint(['resume'], { by: 'you' })]);
}

function formatEndHints({ chainId }: ChainState, call: string): string {
  return formatList([
    formatCode(`longhand resume ${chainId} ${call}`),
    formatSendHint(['resume'], { call, by: 'you' }),
  ]);
}

function formatRequest({ chainId, now }: ChainState, call: WaitingCall, masker: SnippetMasker): string {
  const { id, request } = call;
  const roles = listDecidingRoles(request, now);
  const lines = formatOpenRequest(viewWaitingCall(call, roles, masker), null);
  const remarks = lines.flatMap((line) => line.remarks.map((remark) => formatWords({ content: toRemarkText(remark) })));
  return [
    [`**${titles[request.kind]} · call ${id}**`, ...remarks].join(' · '),
    ...formatRequestBody(request.kind, lines, masker),
    formatList([
      ...listDecisionCommands(request.kind, chainId, id, roles).map(formatCode),
      formatSendHint(updates[request.kind], {
        call: id,
        ...examples[request.kind],
        by: 'you',
        ...(roles.length === 0 ? {} : { roles: roles.slice(0, 1) }),
      }),
    ]),
  ].join('\n\n');
}

/** The request with its texts masked and cut, for every reader of the Web UI; a question is masked as a whole, below. */
function viewWaitingCall(
  { tool, input, request }: WaitingCall,
  roles: readonly string[],
  masker: SnippetMasker,
): RequestText {
  const { kind, rules, votes, expiresAt } = request;
  const text = kind === 'approval' ? masker.value(tool, input, maxArgumentLength) : null;
  return {
    request: { ...rules, kind, roles, votes, expiresAt, escalates: null, input: text },
    level: 'full',
    tool,
    input: text ?? getSubject(request, input),
    // The reason of an unknown outcome contains the call with its arguments.
    reason: masker.reason(rules.reason, kind === 'outcome' ? maxArgumentLength : 400),
    excludedUser: null,
  };
}

const titles = {
  approval: 'Waits for approval',
  outcome: 'Did this happen?',
  question: 'Waits for an answer',
} as const satisfies { readonly [kind in PersonRequest['kind']]: string };

const updates = {
  approval: ['approve', 'deny'],
  outcome: ['outcome'],
  question: ['answer'],
} as const satisfies { readonly [kind in PersonRequest['kind']]: readonly (keyof typeof messageNames)[] };

const examples = {
  approval: {},
  outcome: { outcome: 'happened' },
  question: { answer: '…' },
} as const satisfies { readonly [kind in PersonRequest['kind']]: object };

/** Quotes, since the Web UI does not wrap code blocks, which hides their end. */
function formatRequestBody(kind: RequestKind, lines: readonly RequestLine[], masker: SnippetMasker): readonly string[] {
  const listTexts = (part: RequestPart) =>
    lines.filter((line) => line.part === part).map((line) => toValueText(line.content));
  const [subject] = lines;
  switch (kind) {
    case 'approval':
      return [formatQuote(formatCode(`${subject?.label.name}(${listTexts('subject')})`)), ...listTexts('reason')];
    case 'question': {
      const choices = listTexts('choice');
      const texts = [
        ...listTexts('subject'),
        ...(choices.length === 0 ? [] : [formatList(choices)]),
        ...listTexts('unanswered'),
      ];
      return [formatQuote(masker.block(showInvisible(texts.join('\n\n')), maxArgumentLength))];
    }
    case 'outcome':
      return listTexts('reason').map(formatQuote);
  }
}

function formatPause(
  state: ChainState,
  { by, reason, question }: NonNullable<ChainState['paused']>,
  masker: SnippetMasker,
): string {
  const notice = masker.reason(question === undefined ? formatPauseNotice(by, reason) : (reason ?? ''), 400);
  if (question === undefined) return `**${notice}**\n\n${formatResumeHints(state)}`;
  const until = question.expiresAt === null ? '' : ` · until ${formatMinute(question.expiresAt)}`;
  const { raise } = question;
  const limits = raise === null ? {} : { limits: raise };
  const commands = [formatAnswerCommand(state.chainId, question), `longhand cancel ${state.chainId}`].map(formatCode);
  const hint = formatSendHint([raise === null ? 'resume' : 'limit'], { ...limits, by: 'you' });
  return [`**Waits at a limit**${until}`, formatQuote(notice), formatList([...commands, hint])].join('\n\n');
}

function formatSendHint(names: readonly (keyof typeof messageNames)[], example: object): string {
  const messages = names.map((name) => formatCode(messageNames[name])).join(' or ');
  return `or, in Temporal, the update or signal ${messages} with ${formatCode(JSON.stringify(example))}`;
}
