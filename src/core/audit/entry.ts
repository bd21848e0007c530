/**
 * One thing that the audit log holds: what happened, when, to whom, by whom. Closed: whoever reads the log knows them all.
 *
 * 1. An entry holds names, numbers and digests. Words that somebody said (a task, arguments, a result, a thought, a reason)
 *    are contents: they lie beside the entry, which holds a salted digest of each. So they can be erased, and the log stays
 *    as it was, whole and provable.
 * 2. A digest of an original that is not kept, or only masked, has a salt of its own that never leaves the store: who has
 *    an export cannot try out what a password may have been.
 * 3. No member of what happened is named `hash` or `previous`: the recipe for proving a log without this program takes these
 *    two out of the text by their names.
 */

import type { ChainResult } from '../engine/result.js';
import type { Json } from '../lib/json.js';
import type { AuditLevel, Effects } from '../model/agent.js';
import type { CallStatus } from '../model/chain.js';
import type { Breakpoint } from '../model/command.js';
import type { ModelFailure } from '../model/fact.js';
import type { PartialLimits } from '../model/limits.js';
import type { ReplyStopReason, Usage } from '../model/model.js';
import type { Plan } from '../model/plan.js';
import type { Decision, RequestKind, Risk } from '../model/request.js';
import type { ModelCallPurpose } from '../model/state.js';
import type { CloseStatus } from '../record/chain-file.js';

/** Which of an entry's contents it is. */
export type ContentPart =
  | 'task'
  | 'message'
  | 'thought'
  | 'answer'
  | 'partial'
  | 'problem'
  | 'arguments'
  | 'result'
  | 'reason'
  | 'plan'
  | 'text';

/** What an entry knows of one of its contents. SHA-256, in hexadecimal, over the salt and the content's canonical JSON. */
export interface ContentDigest {
  readonly part: ContentPart;
  /** Of what is kept beside the entry; absent where nothing is. */
  readonly kept?: string;
  /** Of the original, where what is kept is masked, or nothing is. */
  readonly original?: string;
}

export interface Actor {
  /** Null where nobody said, and in what is told of a chain only after it was erased. */
  readonly by: string | null;
  readonly roles: readonly string[];
}

/** What a model was asked with, without its words: the agent's definition and the head over the facts determine them. */
export interface PromptDigest {
  readonly definition: string | null;
  readonly facts: number;
  readonly head: string;
}

export interface AuditedTool {
  readonly name: string;
  readonly kind: string;
  readonly effects: Effects;
  readonly level: AuditLevel;
}

interface CallReference {
  /** `3.1`: the first call of step 3. */
  readonly call: string;
  readonly tool: string;
}

/** What happened to a chain. */
export type ChainAuditEvent =
  | {
      readonly type: 'chain_started';
      readonly what: {
        readonly model: string | null;
        readonly limits: PartialLimits;
        /** The chain that began it, and by which of its calls. */
        readonly parent: { readonly chainId: string; readonly call: string } | null;
        readonly root: string;
        /** Whose first steps it goes on with; `digest` is the head over their facts. */
        readonly origin: { readonly chainId: string; readonly steps: number; readonly digest: string } | null;
        readonly plan: string | null;
      };
    }
  | {
      readonly type: 'agent_prepared';
      readonly what: {
        /** Digest of all that the model is told, and of all limits. */
        readonly definition: string;
        readonly model: string;
        readonly strategy: string;
        /** Digest of the instructions: the version of the prompt. */
        readonly instructions: string;
        readonly tools: readonly AuditedTool[];
      };
    }
  | { readonly type: 'agent_failed'; readonly what: { readonly failure: string } }
  | {
      readonly type: 'model_called';
      readonly what: {
        readonly call: string;
        /** The step that its reply is; null where it is none. */
        readonly step: number | null;
        readonly purpose: ModelCallPurpose | 'late';
        readonly model: string;
        readonly stopReason: ReplyStopReason;
        /** Null where none was reported that can be true. */
        readonly usage: Usage | null;
        readonly costUsd: number | null;
        readonly prompt: PromptDigest | null;
      };
    }
  | {
      readonly type: 'model_failed';
      readonly what: Pick<ModelFailure, 'kind' | 'status' | 'settle' | 'usage'> & {
        readonly call: string;
        readonly prompt: PromptDigest | null;
      };
    }
  | {
      readonly type: 'tool_called';
      readonly what: CallReference & {
        readonly kind: string;
        /** Null for one that the agent does not have. */
        readonly effects: Effects | null;
        readonly level: AuditLevel;
      };
    }
  | {
      readonly type: 'tool_ended';
      readonly what: CallReference & {
        readonly kind: string;
        readonly status: CallStatus;
        /** The earlier call that answered it. */
        readonly reusedFrom: string | null;
        readonly clippedFrom: number | null;
      };
    }
  | {
      readonly type: 'approval_requested';
      readonly what: CallReference & {
        readonly ask: RequestKind;
        /** Digest of tool and arguments, which is what people decide about. */
        readonly request: string;
        readonly risk: Risk;
        readonly roles: readonly string[];
        readonly approvers: number;
      };
    }
  | {
      readonly type: 'decided';
      readonly what: CallReference & {
        readonly decision: Decision['kind'];
        /** Of the call as it was decided: with the arguments that the person set, where they set some. */
        readonly request: string | null;
        readonly changed: boolean;
        readonly always: boolean;
        readonly partly: boolean;
      };
    }
  | {
      readonly type: 'command_received';
      readonly what: {
        readonly direction: 'steer' | 'pause' | 'breakpoint' | 'resume' | 'limits' | 'unreadable';
        readonly breakpoint: Breakpoint | null;
        readonly limits: PartialLimits | null;
      };
    }
  /** What a person said was not taken; who it was stands in the entry of what they said, or in the reason. */
  | { readonly type: 'command_rejected'; readonly what: { readonly step: number } }
  | { readonly type: 'cancel_requested'; readonly what: { readonly summarize: boolean } }
  | {
      readonly type: 'plan_made';
      readonly what: Pick<Plan, 'revision' | 'source'> & { readonly tasks: readonly string[] };
    }
  | {
      readonly type: 'sub_chain_started';
      readonly what: CallReference & { readonly subChain: string; readonly subAgent: string };
    }
  | {
      readonly type: 'sub_chain_ended';
      readonly what: CallReference & {
        readonly subChain: string;
        readonly outcome: string;
        readonly steps: number | null;
        readonly tokens: number | null;
        readonly costUsd: number | null;
      };
    }
  | {
      readonly type: 'chain_ended';
      readonly what: {
        readonly outcome: ChainResult['outcome'];
        readonly closed: CloseStatus;
        readonly steps: number;
        readonly tokens: number;
        readonly costUsd: number | null;
        /** How many facts the chain has, and the head over them: what its export and its archive are held against. */
        readonly facts: number;
        readonly head: string;
        /** Calls that were under way: nobody knows what became of them. */
        readonly open: readonly string[];
      };
    };

/** What somebody asked to be erased; `retention`: its time was over. */
export type ErasureScope = 'chain' | 'user' | 'tenant' | 'retention';

/** What was done from outside of chains. */
export type ExternalAuditEvent =
  /** Somebody read what is masked for others. */
  | { readonly type: 'content_viewed'; readonly what: { readonly role: string; readonly command: string } }
  | {
      readonly type: 'exported';
      readonly what: { readonly format: string; readonly filters: { readonly [filter: string]: Json } };
    }
  | {
      readonly type: 'erased';
      readonly what: {
        readonly scope: ErasureScope;
        /** Whose contents are gone, of entries before this one. */
        readonly chains: readonly string[];
        readonly contents: number;
      };
    }
  | {
      readonly type: 'verified';
      readonly what: { readonly entries: number; readonly problem: string | null };
    }
  /** Somebody had the log signed as it is, although it does not hold what was signed before. */
  | {
      readonly type: 'accepted';
      readonly what: {
        readonly fault: string;
        /** The entry and the hash that were signed; null for a log that never was. */
        readonly signed: { readonly seq: number; readonly head: string } | null;
      };
    };

export type AuditEvent = ChainAuditEvent | ExternalAuditEvent;

export type AuditType = AuditEvent['type'];

/** Where and to whom it happened. */
export interface EntryMetadata {
  /** Milliseconds since 1970, as whoever wrote it had it: the order is that of `seq`, whatever clocks said. */
  readonly at: number;
  readonly namespace: string;
  readonly tenant: string | null;
  /** Null for what concerns no single chain. */
  readonly chainId: string | null;
  /** Null for what came from outside. */
  readonly runId: string | null;
  readonly eventId: number | null;
  /** Which of the entries of its event it is, from 0. */
  readonly item: number;
  readonly agent: string | null;
  readonly who: Actor | null;
}

/** What is to be kept, before it has its place in a log. */
export type AuditDraft = EntryMetadata & AuditEvent & { readonly parts: readonly DraftPart[] };

export interface DraftPart {
  readonly part: ContentPart;
  readonly original: Json;
  /** As it may be kept: the original, or the original masked; undefined for its digest alone. */
  readonly kept: Json | undefined;
}

/** What of an entry the digest of its body covers; its hash covers this digest and the hash before it. */
export type EntryBody = EntryMetadata &
  AuditEvent & {
    /** From 1, without gaps, in each namespace and tenant. */
    readonly seq: number;
    readonly contents: readonly ContentDigest[];
    /** Random: from the digest of an entry that is left out, nobody can guess what it says. */
    readonly nonce: string;
  };

export type AuditEntry = EntryBody & {
  /** The hash of the entry before it; empty for the first. */
  readonly previous: string;
  readonly hash: string;
};

/** A content as it lies beside its entry. */
export interface AuditContent {
  readonly seq: number;
  readonly part: ContentPart;
  readonly salt: string;
  readonly content: Json;
}

export interface EntryWithContents {
  readonly entry: AuditEntry;
  /** What of its contents is there; of the others only digests are kept, or they were erased. */
  readonly contents: readonly AuditContent[];
}

const types: { readonly [type in AuditType]: true } = {
  chain_started: true,
  agent_prepared: true,
  agent_failed: true,
  model_called: true,
  model_failed: true,
  tool_called: true,
  tool_ended: true,
  approval_requested: true,
  decided: true,
  command_received: true,
  command_rejected: true,
  cancel_requested: true,
  plan_made: true,
  sub_chain_started: true,
  sub_chain_ended: true,
  chain_ended: true,
  content_viewed: true,
  exported: true,
  erased: true,
  verified: true,
  accepted: true,
};

export const auditTypes = Object.keys(types) as readonly AuditType[];
