/**
 * The entries of the audit log: event, time, chain, person. The set of types is closed, so that readers can know all of them.
 *
 * 1. An entry contains names, numbers and digests. Texts (a task, arguments, a result, a thought, a reason) are contents:
 *    they are stored separately, and the entry has a salted digest of each. So a content can be erased, and the log remains
 *    unchanged and provable.
 * 2. The digest of an original that is masked or not stored has its own salt, which never leaves the store: a reader of an
 *    export cannot test guesses of a password.
 * 3. No member of an event is named `hash` or `previous`: the recipe (recipe.ts) removes these two from the text by name.
 */

import type { ChainResult } from '../engine/index.js';
import type { Json } from '../lib/index.js';
import type {
  AuditLevel,
  Breakpoint,
  BudgetCounter,
  CallRoute,
  CallStatus,
  Decision,
  Effects,
  ModelCallPurpose,
  ModelFailure,
  PartialLimits,
  Plan,
  ReplyStopReason,
  RequestKind,
  Risk,
  StepVerdict,
  ThreadRef,
  Usage,
} from '../model/index.js';
import type { CloseStatus } from '../record/index.js';

/** The name of a content within its entry. */
export type ContentPart =
  | 'task'
  | 'earlier'
  | 'files'
  | 'message'
  | 'thought'
  | 'answer'
  | 'partial'
  | 'problem'
  | 'arguments'
  | 'result'
  | 'reason'
  | 'question'
  | 'plan'
  | 'text';

/** Digests of a content: hexadecimal SHA-256 over the salt and the content's canonical JSON. */
export interface ContentDigest {
  readonly part: ContentPart;
  /** Digest of the stored content; absent if none is stored. */
  readonly stored?: string;
  /** Digest of the original, if the stored content is masked or missing. */
  readonly original?: string;
}

export interface Actor {
  /** Null if unknown, and in entries that are written only after the chain was erased. */
  readonly by: string | null;
  readonly roles: readonly string[];
}

/** Why a call went to its model. The reason of a policy is a content. */
export type AuditRoute = Omit<CallRoute, 'reason'>;

/** Identifies the prompt of a model call: the agent's definition and the head over the facts determine its text. */
export interface PromptDigest {
  readonly definition: string | null;
  readonly facts: number;
  readonly head: string;
}

interface AuditedTool {
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

/** An event of a chain. */
type ChainAuditEvent =
  | {
      readonly type: 'chain_started';
      readonly what: {
        readonly model: string | null;
        readonly limits: PartialLimits;
        /** The chain that started it, and the call that did. */
        readonly parent: { readonly chainId: string; readonly call: string } | null;
        readonly root: string;
        /** The chain whose first steps it starts with; `digest` is the head over their facts. */
        readonly origin: { readonly chainId: string; readonly steps: number; readonly digest: string } | null;
        /** The chain that a follow-up follows, and their thread; null for every other chain. */
        readonly thread: ThreadRef | null;
        readonly plan: string | null;
      };
    }
  | {
      readonly type: 'agent_prepared';
      readonly what: {
        /** The version that the agent states; null for none. */
        readonly version: string | null;
        /** Digest of everything that the model sees, and of all limits. */
        readonly definition: string;
        readonly model: string;
        readonly strategy: string;
        /** Digest of the instructions: the version of the prompt. */
        readonly instructions: string;
        /** `meteorologist@3f2a9c81d04e`. Absent for none. */
        readonly prompt?: string;
        readonly tools: readonly AuditedTool[];
      };
    }
  | { readonly type: 'agent_failed'; readonly what: { readonly failure: string } }
  | {
      readonly type: 'model_called';
      readonly what: {
        readonly call: string;
        /** The number of the step that the reply became; null if it became no step. */
        readonly step: number | null;
        readonly purpose: ModelCallPurpose | 'late';
        readonly provider: string | null;
        readonly model: string;
        /** Of a provider that balances over several endpoints; null for others. */
        readonly endpoint: string | null;
        /** As the catalogue states it; null if it states none. */
        readonly region: string | null;
        readonly stopReason: ReplyStopReason;
        /** Why it was this model; null for an agent with one model. */
        readonly route: AuditRoute | null;
        /** Null if the provider reported no plausible usage. */
        readonly usage: Usage | null;
        /** Whether the reply is from the cache: no request was sent. Absent otherwise. */
        readonly cached?: true;
        readonly costUsd: number | null;
        readonly prompt: PromptDigest | null;
        /** SHA-256 of the request as it was sent, as canonical JSON. */
        readonly request: string | null;
      };
    }
  | {
      readonly type: 'model_failed';
      readonly what: Pick<ModelFailure, 'kind' | 'status' | 'settle' | 'usage'> & {
        readonly call: string;
        readonly route: AuditRoute | null;
        readonly prompt: PromptDigest | null;
      };
    }
  | {
      readonly type: 'tool_called';
      readonly what: CallReference & {
        readonly kind: string;
        /** Null for a tool that the agent does not have. */
        readonly effects: Effects | null;
        readonly level: AuditLevel;
      };
    }
  | {
      readonly type: 'tool_ended';
      readonly what: CallReference & {
        readonly kind: string;
        readonly status: CallStatus;
        /** The earlier call whose result was reused. */
        readonly reusedFrom: string | null;
        readonly clippedFrom: number | null;
        /** Charged for the models that it asked, in tokens and US dollars. Absent if it asked none. */
        readonly tokens?: number;
        readonly costUsd?: number | null;
      };
    }
  /** A call was rejected: its tool requires a role that the chain does not have. The actor is the requester. */
  | { readonly type: 'call_not_permitted'; readonly what: CallReference & { readonly required: readonly string[] } }
  | {
      readonly type: 'approval_requested';
      readonly what: CallReference & {
        readonly requestKind: RequestKind;
        /** Digest of the tool and the arguments that people decide about. */
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
        /** Digest of the call as decided, including arguments that the person changed. */
        readonly request: string | null;
        readonly changed: boolean;
        readonly always: boolean;
        readonly partly: boolean;
      };
    }
  | {
      readonly type: 'command_received';
      readonly what: {
        readonly command: 'steer' | 'pause' | 'breakpoint' | 'resume' | 'limits' | 'signal' | 'unreadable';
        readonly breakpoint: Breakpoint | null;
        readonly limits: PartialLimits | null;
      };
    }
  /** A rejected command. The person is in the entry of the command, or in the reason. */
  | { readonly type: 'command_rejected'; readonly what: { readonly step: number } }
  /** A budget of a tenant, an agent or a model rejected the call of the next step. */
  | { readonly type: 'budget_rejected'; readonly what: { readonly step: number } }
  /** A model compared a step with the written policy of the worker, or judged the end of the chain. */
  | {
      readonly type: 'policy_checked' | 'judged';
      readonly what: { readonly step: number; readonly verdict: StepVerdict };
    }
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
        /** Number of facts, and the head over them: exports and the archive are compared with both. */
        readonly facts: number;
        readonly head: string;
        /** Calls that were under way: their outcome is unknown. */
        readonly open: readonly string[];
      };
    };

/** The extent of an erasure; `retention`: the retention time was over. */
export type ErasureScope = 'chain' | 'user' | 'tenant' | 'retention';

/** An API key of the gateway, and what it gives. Its tenant is that of the log. */
export interface AuditedKey {
  /** The id of the key. */
  readonly key: string;
  readonly name: string;
  /** Null for a service. */
  readonly user: string | null;
  readonly scopes: readonly string[];
  /** Null if the caller states them. */
  readonly roles: readonly string[] | null;
  readonly views: readonly string[];
  readonly reach: 'own' | 'all';
  readonly expiresAt: number | null;
}

/** A webhook, without what its URL may contain of secrets. Its tenant is that of the log. */
interface AuditedWebhook {
  /** The id of the webhook. */
  readonly webhook: string;
  /** Of the URL, with a port that is not the usual one. Never its path, which may be a secret of the receiver. */
  readonly host: string;
  readonly events: readonly string[];
  /** Empty for all agents. */
  readonly agents: readonly string[];
}

/** An event outside of chains. */
export type ExternalAuditEvent =
  /** A person read contents that are masked for others. */
  | { readonly type: 'content_viewed'; readonly what: { readonly role: string; readonly command: string } }
  | {
      readonly type: 'exported';
      readonly what: { readonly format: string; readonly filters: { readonly [filter: string]: Json } };
    }
  | {
      readonly type: 'erased';
      readonly what: {
        readonly scope: ErasureScope;
        /** Chains whose contents were erased, in the entries before this one. */
        readonly chains: readonly string[];
        readonly contents: number;
      };
    }
  | {
      readonly type: 'verified';
      readonly what: { readonly entries: number; readonly problem: string | null };
    }
  /** A person had the current log signed, although it lacks entries that were signed before. */
  | {
      readonly type: 'accepted';
      readonly what: {
        readonly fault: string;
        /** The entry and the hash that were signed; null for a log that was never signed. */
        readonly signed: { readonly seq: number; readonly head: string } | null;
      };
    }
  /** A person created an API key of the gateway. An entry never has the key or its hash. */
  | { readonly type: 'key_created'; readonly what: AuditedKey }
  | { readonly type: 'key_revoked'; readonly what: Pick<AuditedKey, 'key' | 'name' | 'user'> }
  /** A person decided where events of a tenant's chains are sent. An entry never has the secret. */
  | { readonly type: 'webhook_created'; readonly what: AuditedWebhook }
  | { readonly type: 'webhook_deleted'; readonly what: Pick<AuditedWebhook, 'webhook' | 'host'> }
  /** A person set, removed or raised a budget. In the log of its tenant. */
  | { readonly type: 'budget_changed'; readonly what: AuditedBudget };

/** A change of a budget. */
export interface AuditedBudget {
  readonly change: 'set' | 'removed' | 'raised';
  /** `the budget of tenant acme per day` */
  readonly budget: string;
  /** The limits, or what a raise adds to them; empty for a budget that was removed. */
  readonly amounts: { readonly [counter in BudgetCounter]?: number };
}

export type AuditEvent = ChainAuditEvent | ExternalAuditEvent;

export type AuditType = AuditEvent['type'];

/** Place, time and person of an entry. */
export interface EntryMetadata {
  /** Milliseconds since 1970, by the writer's clock. The order of entries is that of `seq`, not of clocks. */
  readonly at: number;
  readonly namespace: string;
  readonly tenant: string | null;
  /** Null for an event that concerns no single chain. */
  readonly chainId: string | null;
  /** Null for an event outside of chains. */
  readonly runId: string | null;
  readonly eventId: number | null;
  /** Index among the entries of its event, from 0. */
  readonly item: number;
  readonly agent: string | null;
  readonly who: Actor | null;
}

/** An entry before it has its place in a log. */
export type AuditDraft = EntryMetadata & AuditEvent & { readonly parts: readonly DraftPart[] };

export interface DraftPart {
  readonly part: ContentPart;
  readonly original: Json;
  /** The content to store: the original, masked if needed; undefined to store its digest only. */
  readonly stored: Json | undefined;
}

/** The members that an entry's digest covers. Its hash covers this digest and the previous hash. */
export type EntryBody = EntryMetadata &
  AuditEvent & {
    /** From 1, without gaps, in each namespace and tenant. */
    readonly seq: number;
    readonly contents: readonly ContentDigest[];
    /** Random, so that the content of an omitted entry cannot be guessed from its digest. */
    readonly nonce: string;
  };

export type AuditEntry = EntryBody & {
  /** The hash of the entry before it; empty for the first. */
  readonly previous: string;
  readonly hash: string;
};

/** A content as it is stored, separate from its entry. */
export interface AuditContent {
  readonly seq: number;
  readonly part: ContentPart;
  readonly salt: string;
  readonly content: Json;
}

export interface EntryWithContents {
  readonly entry: AuditEntry;
  /** The contents that exist. The others were erased, or only their digests were stored. */
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
  call_not_permitted: true,
  approval_requested: true,
  decided: true,
  command_received: true,
  command_rejected: true,
  budget_rejected: true,
  cancel_requested: true,
  policy_checked: true,
  judged: true,
  plan_made: true,
  sub_chain_started: true,
  sub_chain_ended: true,
  chain_ended: true,
  content_viewed: true,
  exported: true,
  erased: true,
  verified: true,
  accepted: true,
  key_created: true,
  key_revoked: true,
  webhook_created: true,
  webhook_deleted: true,
  budget_changed: true,
};

export const auditTypes = Object.keys(types) as readonly AuditType[];
