/** Waiting for what is to be sent, and not for ever: a collector that does not answer must not keep a command from ending. */

/** Milliseconds. */
const longest = 3_000;

/**
 * Waits at most 3 s. Who has waited in vain does not wait again before something has been sent: a worker and a client
 * of one process end one after the other.
 *
 * @param late told when it was in vain
 */
export function patiently(send: () => Promise<unknown>, late: () => void): () => Promise<void> {
  let patience = longest;
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const sent = send().then(() => {
      patience = longest;
      return true;
    });
    const waited = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, patience, false);
    });
    const inTime = await Promise.race([sent, waited]);
    clearTimeout(timer);
    if (inTime) return;
    patience = 0;
    late();
  };
}
