/** How much of a step or call a viewer sees: all of it, one line, or only that it exists. */
export type VisibilityLevel = 'full' | 'summary' | 'hidden';
