/** Selects the problems of a validation that name what is wrong: the validator reports one for each schema around them too. */

import { type OutputUnit, schemaArrayKeyword, schemaKeyword, schemaMapKeyword } from '@cfworker/json-schema';

/** Takes the problems in the validator's order, in which that of a schema comes before those within it. */
export function selectProblems(outputUnits: readonly OutputUnit[]): readonly OutputUnit[] {
  const problems = placeRejections(outputUnits);
  const ancestors = collectAncestors(problems.map(({ keywordLocation }) => keywordLocation));
  // That of `if` comes with those of `then` or `else`.
  const inner = new Set(
    problems.filter(({ keyword, keywordLocation }) => keyword !== 'if' && !ancestors.has(keywordLocation)),
  );
  for (const choice of groupByChoice(problems)) keepDeepest(inner, choice);
  // A format is also reported as a pattern; the name of the format is clearer.
  const places = new Set(
    [...inner].flatMap(({ keyword, instanceLocation }) => (keyword === 'format' ? [instanceLocation] : [])),
  );
  return [...inner].filter(({ keyword, instanceLocation }) => keyword !== 'pattern' || !places.has(instanceLocation));
}

/** The problem of a schema that is `false` has its place in the value where others have that of the keyword. */
function placeRejections(problems: readonly OutputUnit[]): readonly OutputUnit[] {
  const placed: OutputUnit[] = [];
  for (const problem of problems) {
    const before = placed.at(-1);
    if (problem.keyword !== 'false' || before === undefined) placed.push(problem);
    else {
      const within = wrappers.has(before.keyword) ? '/false' : '';
      placed.push({ ...problem, keywordLocation: `${before.keywordLocation}${within}` });
    }
  }
  return placed;
}

const wrappers: ReadonlySet<string> = new Set([
  ...[schemaKeyword, schemaArrayKeyword, schemaMapKeyword].flatMap(Object.keys),
  ...['$ref', '$recursiveRef', 'dependencies'],
]);

/** Returns the places around those given, without reading one twice. */
function collectAncestors(places: readonly string[]): ReadonlySet<string> {
  const ancestors = new Set<string>();
  for (const place of places) {
    for (let end = place.lastIndexOf('/'); end > 0; end = place.lastIndexOf('/', end - 1)) {
      const ancestor = place.slice(0, end);
      if (ancestors.has(ancestor)) break;
      ancestors.add(ancestor);
    }
  }
  return ancestors;
}

/** Returns the problems within each outermost `anyOf` and `oneOf`. */
function groupByChoice(problems: readonly OutputUnit[]): readonly (readonly OutputUnit[])[] {
  const groups: OutputUnit[][] = [];
  let choice: OutputUnit | undefined;
  for (const problem of problems) {
    if (choice !== undefined && isWithin(problem, choice)) groups.at(-1)?.push(problem);
    else {
      choice = problem.keyword === 'anyOf' || problem.keyword === 'oneOf' ? problem : undefined;
      if (choice !== undefined) groups.push([]);
    }
  }
  return groups;
}

function isWithin(problem: OutputUnit, choice: OutputUnit): boolean {
  return (
    problem.keywordLocation.startsWith(`${choice.keywordLocation}/`) &&
    `${problem.instanceLocation}/`.startsWith(`${choice.instanceLocation}/`)
  );
}

/** Of a choice, the part that the value is probably meant to match is the one in which problems are deeper. */
function keepDeepest(problems: Set<OutputUnit>, choice: readonly OutputUnit[]): void {
  const candidates = choice.filter((problem) => problems.has(problem));
  const ancestors = collectAncestors(candidates.map(({ instanceLocation }) => instanceLocation));
  for (const problem of candidates) if (ancestors.has(problem.instanceLocation)) problems.delete(problem);
}
