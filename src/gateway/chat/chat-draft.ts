/** Tokens of a reply under way as a draft: until its step is recorded, which confirms the draft or replaces it. */

import type { WatchEvent } from '../../client/index.js';
import type { ChatPart } from './chat-part.js';

type Token = Pick<Extract<WatchEvent, { type: 'token' }>, 'step' | 'call' | 'text' | 'missing'>;

export interface DraftReader {
  readonly add: (token: Token) => readonly ChatPart[];
  /** Confirms the draft of a step. Null if the draft is not the text of the step. */
  readonly confirm: (step: number, as: 'answer' | 'thought', text: string) => readonly ChatPart[] | null;
  readonly discard: () => readonly ChatPart[];
}

interface Draft {
  readonly id: string;
  readonly step: number;
  readonly call: string;
  readonly text: string;
  /** Whether its part has started: the first characters decide its kind. */
  readonly started: boolean;
  readonly raw: boolean;
  /** Whether further tokens are ignored: some are missing. */
  readonly ended: boolean;
}

/** @param enterStep returns the parts that begin a step, where it has not begun */
export function createDraftReader(enterStep: (step: number) => readonly ChatPart[]): DraftReader {
  let draft: Draft | null = null;

  const discard = (): readonly ChatPart[] => {
    const last = draft;
    draft = null;
    return last?.started ? [{ type: 'draft-discarded', id: last.id }] : [];
  };

  return {
    discard,
    add: ({ step, call, text, missing }) => {
      const before = draft?.step === step && draft.call === call ? [] : discard();
      draft ??= { id: `${step}:${call}`, step, call, text: '', started: false, raw: false, ended: false };
      const { id, started, ended } = draft;
      if (ended) return before;
      if (missing > 0) {
        draft = { ...draft, started: false, ended: true };
        return started ? [...before, { type: 'draft-discarded', id }] : before;
      }
      draft = { ...draft, text: draft.text + text };
      if (started) return [...before, { type: 'draft-added', id, text }];
      const raw = findProtocol(draft.text);
      if (raw === null) return before;
      draft = { ...draft, started: true, raw };
      const start: ChatPart = { type: 'draft-started', id, raw };
      return [...before, ...enterStep(step), start, { type: 'draft-added', id, text: draft.text }];
    },
    confirm: (step, as, text) => {
      if (draft === null || draft.step !== step || !draft.started || draft.raw) return null;
      const { id, text: sent } = draft;
      const isWhole = text.trim() === sent.trim();
      if (!isWhole && !(as === 'answer' && text.startsWith(sent))) return null;
      draft = null;
      return [{ type: 'draft-confirmed', id, as, text, rest: isWhole ? '' : text.slice(sent.length) }];
    },
  };
}

/** Characters by which a text protocol is recognised. */
const protocolCharacters = 12;

/** Returns whether a reply begins as in a text protocol, in which thoughts and calls are text; null for not known yet. */
function findProtocol(text: string): boolean | null {
  const beginning = text.trimStart().slice(0, protocolCharacters);
  if (/^\W*(?:thought|action|observation|final answer)\W*:/i.test(beginning)) return true;
  return beginning.length < protocolCharacters && !/\s\S/.test(beginning) ? null : false;
}
