/** Ids as a list shows them: short, and still such that each can be named by what is shown. */

/** At the end of a root's id; what follows in a sub-chain's tells it from the others of its tree. */
const uuid = /-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?=$|\/)/;

/** The first eight characters of a made-up id find the chain as well; the rest would take the task's place. */
export function shortIds(ids: readonly string[]): readonly string[] {
  const short = ids.map((id) => id.replace(uuid, ''));
  return short.map((id, at) => (short.indexOf(id) === short.lastIndexOf(id) ? id : (ids[at] ?? id)));
}
