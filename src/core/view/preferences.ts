/** What a user switches off in views. */

/** A user's preferences. A kind that is switched off stays hidden until it is expanded. */
export interface Preferences {
  /** Whether the view has progress lines. */
  readonly progressSummary: boolean;
  readonly thinking: boolean;
  /** Calls of tools of the kind `external`, the default kind. */
  readonly externalCalls: boolean;
  readonly internalCalls: boolean;
  readonly finalReasoning: boolean;
}

export const allPreferencesOn: Preferences = {
  progressSummary: true,
  thinking: true,
  externalCalls: true,
  internalCalls: true,
  finalReasoning: true,
};

export function getPreferences({
  preferences = allPreferencesOn,
}: {
  readonly preferences?: Preferences;
}): Preferences {
  return preferences;
}
