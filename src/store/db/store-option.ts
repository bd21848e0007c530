/** The store as options take it: without the types of its tables, which would load a database library for each type check. */

/** A store that `openStore` opened. */
export interface OpenStore {
  readonly kind: 'sqlite' | 'postgres';
  /** For people, without the password. */
  readonly location: string;
  /** May be called twice. */
  readonly close: () => Promise<void>;
}

export type StoreKind = OpenStore['kind'];

/** The `store` of a worker, a client or a gateway: a store, its address, or false (or null) for none, overriding the environment. */
export type StoreOption = OpenStore | string | false | null;
