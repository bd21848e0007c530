/** What a workflow tells its worker besides: no command, and nothing in its history. */

/** A type and no interface: the SDK asks for one with an index. */
export type ArchiveSinks = {
  /** The run that tells it is about to close, and nothing comes after it: its worker may archive it. */
  longhandArchive: { ending: () => void };
};
