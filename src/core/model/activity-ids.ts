/** Ids of the activities that a delegating call makes. Stored in histories: a change here is a new version. */

const reads = 'read-';
const scores = 'score-';

/** Reads the history of a sub-chain whose close was silent. */
export function readActivityId(chainId: string): string {
  return `${reads}${chainId}`;
}

/** Scores the answers to a call. */
export function scoreActivityId(call: string): string {
  return `${scores}${call}`;
}

/** Null for any other activity. */
export function chainThatIsRead(id: string): string | null {
  return id.startsWith(reads) ? id.slice(reads.length) : null;
}

/** Null for any other activity. */
export function callThatIsScored(id: string): string | null {
  return id.startsWith(scores) ? id.slice(scores.length) : null;
}
