/** Rehearsed: the task of examples/recovery.ts, which begins with a call that must fail. */

import { dataOf, type Play } from './play.js';

export const recovery: Play = {
  task: 'Get data from nonexistent_api',
  recovers: true,
  next: ([refused, datasets]) => {
    if (refused === undefined) {
      return {
        thought: 'The task wants data from nonexistent_api, so I call that.',
        call: { tool: 'nonexistent_api', input: {} },
      };
    }
    if (datasets === undefined) {
      return {
        thought: 'That tool does not exist; the observation lists those I have. I look at what there is instead.',
        call: { tool: 'list_datasets', input: {} },
      };
    }
    const names = dataOf(datasets);
    const offered = Array.isArray(names) ? names.join(', ') : datasets.text;
    return {
      thought: 'I cannot get what was asked for, but I can say what exists.',
      answer: `There is no nonexistent_api here, so I have no data from it. What I can read: ${offered}. Tell me which you want.`,
    };
  },
};
