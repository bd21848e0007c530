/** The format `events`: as `watch` emits them. Tokens have their offset as well, so that a reader removes repeats. */

import type { WatchEvent } from '../../client/index.js';
import type { StreamedChainEvent } from '../../http/index.js';
import { encodeFrame, type Format, type FormatEvent, type Frame, isRecorded, type Topic } from './frame.js';
import { formatPositionId, type RunPosition } from './position-id.js';
import { formatJsonFrame } from './sse.js';

export const eventFormat: Format = { create: createEventFormatter, needsEarlier: false, needsTurns: false };

type TokenEvent = Extract<WatchEvent, { type: 'token' }>;

function createEventFormatter(): FormatEvent {
  /** Of the newest reply. */
  let counted = { reply: '', characters: 0 };
  return (event) => {
    if (event.type === 'turn-completed') return null;
    const { type, runId, eventId, item } = event;
    if (type === 'token') {
      const reply = `${event.step} ${event.call}`;
      const isNew = counted.reply !== reply;
      const offset = (isNew ? 0 : counted.characters) + event.missing;
      counted = { reply, characters: offset + event.text.length };
      return { bytes: encodeEvent({ ...event, offset }, null), position: null, ...relateToken(event, isNew) };
    }
    const position = isRecorded(event) ? { runId, eventId, item } : null;
    return { bytes: encodeEvent(event, position), position, ...relate(event) };
  };
}

function encodeEvent(event: StreamedChainEvent, position: RunPosition | null): Uint8Array {
  const { type } = event;
  return encodeFrame(
    formatJsonFrame(event, position === null ? { event: type } : { event: type, id: formatPositionId(position) }),
  );
}

type Relation = Pick<Frame, 'topic' | 'replaces'>;

function relateToken({ step, call }: TokenEvent, isNew: boolean): Relation {
  const isOlder = (topic: Topic) =>
    topic.kind === 'tokens' && (topic.step < step || (topic.step === step && topic.call !== call));
  return { topic: { kind: 'tokens', step, call }, replaces: isNew ? isOlder : null };
}

function relate(event: Exclude<StreamedChainEvent, { type: 'token' }>): Relation {
  switch (event.type) {
    case 'interim-result':
      return replaceNewest(`call ${event.call}`);
    case 'sub-chain-changed': {
      const about = `chain ${event.child.chainId}`;
      return event.provisional === undefined ? { ...replaceNewest(about), topic: null } : replaceNewest(about);
    }
    case 'step-changed': {
      const { number } = event.step;
      return { topic: null, replaces: (topic) => topic.kind === 'tokens' && topic.step <= number };
    }
    case 'view-completed':
      return { topic: null, replaces: () => true };
    default:
      return { topic: null, replaces: null };
  }
}

function replaceNewest(about: string): Relation {
  return { topic: { kind: 'newest', about }, replaces: (topic) => topic.kind === 'newest' && topic.about === about };
}
