/** A source of tools: a server that lists them, so that an agent has tools which its definition does not know. */

import { isObject } from '../../core/lib/index.js';
import type { SecretProvider } from '../../secrets/index.js';
import type { Tool } from './define-tool.js';
import type { ToolLog } from './tool-definition.js';

/** Part of an agent's `tools`. It is only a definition: each worker opens it, and closes it when it stops. */
export interface ToolSource {
  /** Unique within an agent. */
  readonly name: string;
  /** The start of the names of all its tools. */
  readonly prefix: string;
  /** Whether chains start without its tools where it cannot be reached. Otherwise they wait. */
  readonly optional: boolean;
  readonly open: (context: SourceContext) => OpenToolSource;
}

/** What a worker gives a source. */
export interface SourceContext {
  /** Read without a tenant: the connection serves chains of all tenants. */
  readonly secrets: SecretProvider;
  readonly log: ToolLog;
}

/** An open source. It connects when its tools are first listed. */
export interface OpenToolSource {
  /**
   * Lists its tools: the same array until they change.
   *
   * @param options `isFresh`: the list is for a new chain, so that an old one is read again
   * @throws where it cannot be reached
   */
  readonly list: (options: { readonly isFresh: boolean }) => Promise<readonly Tool[]>;
  /** Ends its connection, and the process that it started. */
  readonly close: () => Promise<void>;
}

/** By shape, not by class: another copy of this package may have created it. */
export function isToolSource(value: unknown): value is ToolSource {
  return isObject(value) && typeof Reflect.get(value, 'open') === 'function' && 'prefix' in value;
}
