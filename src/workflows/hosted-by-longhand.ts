/** Replaced by the user's own workflows when a bundle is built for a worker with `workflowsPath` (worker/bundle.ts). */

export {};
