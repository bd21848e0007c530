/** The note of a schedule that a person wrote. Temporal replaces it with each pause and resume, and requires one. */

export const defaultNotes = { paused: 'Paused.', resumed: 'Resumed.' } as const;

/** Returns null for no note, and for one of a pause or resume without a note: the schedule's state shows which. */
export function toWrittenNote(note: string | undefined): string | null {
  return !note || note === defaultNotes.paused || note === defaultNotes.resumed ? null : note;
}
