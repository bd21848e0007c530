/** Code of users that does not come to an end must not hold up a chain. */

/** What it comes to; null once it has taken longer than so many milliseconds. It runs on, and nobody listens. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<{ readonly value: T } | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work.then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
  }
}
