/** How a value of a call is laid out, in place of JSON, for readers who see it in full. */

/**
 * `table`: the result has rows, each an object or a list of cells. `diff`: it has a diff in the unified format. `edit`: the
 * arguments replace a text. A value that does not have them is shown as JSON.
 */
export type BlockRule = TableRule | DiffRule | EditRule;

export interface TableRule {
  readonly as: 'table';
  /** Member of the result with the rows. Default: the result itself. */
  readonly rows?: string;
  /** Member of the result with the names of the columns, where rows are lists. Default: they are numbered. */
  readonly columns?: string;
}

export interface DiffRule {
  readonly as: 'diff';
  /** Member of the result with the diff. Default: the result itself. */
  readonly text?: string;
}

export interface EditRule {
  readonly as: 'edit';
  /** Member of the arguments with the place of the text, such as a path. */
  readonly place: string;
  /** Member with the text that is replaced. Default: none is. */
  readonly before?: string;
  /** Member with the text that replaces it. */
  readonly after: string;
}

const members: { readonly [as in BlockRule['as']]: { readonly [member: string]: 'required' | 'optional' } } = {
  table: { rows: 'optional', columns: 'optional' },
  diff: { text: 'optional' },
  edit: { place: 'required', before: 'optional', after: 'required' },
};

/** Returns the problem of a rule, as the end of a sentence, or null. */
export function validateBlockRule(value: unknown): string | null {
  const forms = "must be { as: 'table' }, { as: 'diff' } or { as: 'edit' }, with names of members";
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return forms;
  const { as, ...names } = value as { readonly [member: string]: unknown };
  if (as !== 'table' && as !== 'diff' && as !== 'edit') return forms;
  const known = members[as];
  for (const [member, name] of Object.entries(names)) {
    if (!Object.hasOwn(known, member))
      return `has no member \`${member}\` as '${as}'; it has ${Object.keys(known).join(', ')}`;
    if (name !== undefined && (typeof name !== 'string' || name === ''))
      return `has \`${member}\`, which must be the name of a member`;
  }
  const missing = Object.keys(known).find((member) => known[member] === 'required' && names[member] === undefined);
  return missing === undefined ? null : `needs \`${missing}\`: the name of a member of the arguments`;
}
