/** What views read from results and messages, also where a chain is only counted. */

import { check, findOwn, isObject, type Json } from '../lib/index.js';
import type { PersonMessage } from '../model/index.js';

/** Returns a message as its notice shows it. */
export function formatMessage({ by, text }: PersonMessage): string {
  return `${by ?? 'The user'}: ${text}`;
}

const countMembers = ['rowCount', 'row_count', 'recordCount', 'record_count'];
/** Of SQL and CSV, of JSON queries, of the memory, and of HTTP. */
const listMembers = ['rows', 'records', 'result', 'memories', 'body'];

/** Returns the number of records that a result reports or contains. */
export function countRecords(observation: Json): number {
  if (!isObject(observation)) return 0;
  const count = countMembers.map((name) => findOwn(observation, name)).find(check.count.is);
  if (count !== undefined) return count;
  const records = listMembers.map((name) => findOwn(observation, name)).find((list) => Array.isArray(list));
  return Array.isArray(records) ? records.length : 0;
}
