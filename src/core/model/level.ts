/** How much of a step or call a viewer sees: all of it, one line, or only that it exists. */
export type VisibilityLevel = 'full' | 'summary' | 'hidden';

/** The roles of viewers without a configuration (view/visibility-level.ts); it may add others. */
export const builtInRoles = ['end_user', 'developer', 'auditor'] as const;

export type BuiltInRole = (typeof builtInRoles)[number];
