/** Which goals are similar enough to reuse a plan, and which are not. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareGoals, maxGoalLength } from '../../../../src/core/engine/plan/similar-goals.js';
import { planDefaults } from '../../../../src/core/strategies/strategy.js';

const { reuseSimilarity } = planDefaults;

describe('two goals are similar', () => {
  it.each([
    ['Fix the login bug.', 'fix the LOGIN bug'],
    ['Fix the login bug', '  Fix   the\nlogin bug  '],
    ['Please fix the login bug', 'Fix the login bug!'],
    ['Can you summarize the report?', 'Summarize a report'],
    ['Compare the price of each offer', 'Compare the prices of each offer'],
    ['Resumer le cafe de Geneve', 'Résumer le café de Genève'],
    ['Write the release notes for version 2.3', 'Write release notes for the version 2.3'],
    ['Find slow queries in the orders service', 'Find slow queries in the orders service, please'],
    ['Find slow queries in the orders service', 'Find all slow queries in the orders service'],
    ['Update the documentation of the public interface', 'Update the documentation of the whole public interface'],
    ['Don’t deploy; report failing checks only', 'Do not deploy; report failing checks only'],
    ['比较巴黎和罗马的天气', '比较巴黎和罗马的天气。'],
    ['A report of the sales, please', 'Report of the sales'],
    ['Clean up the follow-up tickets: 4 of them', 'Clean up the follow up tickets; 4 of them'],
  ])('%j and %j', (one, other) => {
    expect(compareGoals(one, other)).toBeGreaterThanOrEqual(reuseSimilarity);
  });
});

describe('two goals are not similar', () => {
  it.each([
    // A word in place of another one (G2).
    ['Compare the weather in Paris and Oslo', 'Compare the weather in Berlin and Oslo'],
    ['Archive all customer records of the old billing system', 'Delete all customer records of the old billing system'],
    ['Summarize the sales of the northern region', 'Summarize the sales of the southern region'],
    ['Enable the nightly backup of the database', 'Disable the nightly backup of the database'],
    // Another number or name with digits (G3).
    ['Write the release notes for version 2.3', 'Write the release notes for version 2.4'],
    ['Close ticket 4711 and inform its reporter of the fix', 'Close ticket and inform its reporter of the fix'],
    ['Review the changes of branch a1 before they are merged', 'Review the changes of branch before they are merged'],
    // A negation or a restriction (G3).
    ['Delete the temporary files of the last build', 'Do not delete the temporary files of the last build'],
    ['Migrate the user tables of the shop', 'Migrate only the user tables of the shop'],
    ['Pay every open invoice of this month', 'Pay every open invoice of this month without asking'],
    // Another order (G4).
    ['Convert the amounts from EUR to USD', 'Convert the amounts from USD to EUR'],
    ['Move the files of alpha to beta', 'Move the files of beta to alpha'],
    ['Copy all new orders from alpha to beta', 'Copy all new orders from alpha to beta and from beta to alpha'],
    // Another word that begins in the same way (G1).
    ['Summarize the news about Niger', 'Summarize the news about Nigeria'],
    ['Check the form of the invoice', 'Check the format of the invoice'],
    // A name that looks like a filler.
    ['Deploy variant A to the staging cluster of the shop', 'Deploy variant B to the staging cluster of the shop'],
    ['Report the sales of the US', 'Report the sales'],
    // Another sign (G5).
    ['List the offers with a price > 10', 'List the offers with a price < 10'],
    ['Rewrite the parser in C', 'Rewrite the parser in C++'],
    ['Raise the price by 10 %', 'Raise the price by 10 $'],
    ['Set the offset to 5', 'Set the offset to -5'],
    // Too many words more (G1).
    ['Delete the old logs', 'Delete the old logs and the customer database'],
    ['Fix the bug', 'Fix the bug in the parser'],
    ['Summarize the report', 'Book a flight'],
    ['', 'Fix the bug'],
    ['the', 'a'],
  ])('%j and %j', (one, other) => {
    expect(compareGoals(one, other)).toBeLessThan(reuseSimilarity);
  });
});

describe('the similarity', () => {
  it('is the share of words that both goals have', () => {
    expect(compareGoals('one two three four', 'one two three four five')).toBe(0.8);
    expect(compareGoals('the one', 'one')).toBe(1);
  });

  it('has no direction, is from 0 to 1, and is 1 for equal goals', () => {
    const goal = fc
      .array(fc.constantFrom('fix', 'the', 'bug', 'bugs', 'not', 'a1', 'in', 'Paris'))
      .map((all) => all.join(' '));
    fc.assert(
      fc.property(goal, goal, (one, other) => {
        const similarity = compareGoals(one, other);
        expect(similarity).toBe(compareGoals(other, one));
        expect(similarity).toBeGreaterThanOrEqual(0);
        expect(similarity).toBeLessThanOrEqual(1);
        expect(compareGoals(one, one)).toBe(1);
      }),
    );
  });

  it('of a long goal is 1 if it is equal, and else 0', () => {
    const long = 'word '.repeat(maxGoalLength / 4);
    expect(compareGoals(long, ` ${long}`)).toBe(1);
    expect(compareGoals(long, `${long} please`)).toBe(0);
  });
});
