/** A measured system: how it starts, how a chain is run on it, and which of its processes count. */

import type { PackageSet } from './install.js';
import type { Service } from './service.js';

export interface Peer {
  /** As in the table. */
  readonly title: string;
  /** Which packages it needs; null for those of this project. */
  readonly packages: PackageSet | null;
  /** Major version of Node that its worker runs on. */
  readonly node: 20 | 24;
  /** What is counted as the worker, and what as the server. */
  readonly counted: string;
  /** What is counted as the record of a chain. */
  readonly record: string;
  readonly start: (places: Places) => Promise<RunningPeer>;
  /** Whether only crashes are measured: a variant that costs the same as another one. */
  readonly measures: 'everything' | 'crashes';
}

export interface Places {
  readonly modelUrl: string;
  /** For the files of this start; removed after it. */
  readonly folder: string;
  /** Variables of the worker's process. */
  readonly env: Readonly<Record<string, string>>;
  /** Receives what has to be stopped, the first last. Each must be safe to call after a crash. */
  readonly onStop: (stop: () => Promise<void>) => void;
}

export interface RunningPeer {
  /** Of the present process of the worker. */
  readonly worker: () => Service;
  /** Processes of servers and databases, with their children. */
  readonly servers: readonly number[];
  /** Runs a chain to its end. @returns whether it answered */
  readonly run: (id: string, task: string) => Promise<boolean>;
  /** Bytes of the records of chains that have ended. */
  readonly countBytes: (ids: readonly string[]) => Promise<number>;
  /** Starts the worker again after it died. `fatal` variables of its first start are left out. */
  readonly restart: () => Promise<void>;
  /** How an interrupted chain is resumed, and a wait for its answer. */
  readonly resumption: Resumption;
}

export type Resumer = 'itself' | 'the caller' | 'a person';

export interface Resumption {
  /** Waits for the answer, after what has to be done for the chain to continue. */
  readonly wait: (id: string) => Promise<boolean>;
  /** What made the chain continue; known after the wait. */
  readonly getResumer: () => Resumer;
}

/** Prints a line about what runs: stdout has the tables alone. */
export function printProgress(line: string): void {
  console.error(`· ${line}`);
}
