import { type At, type Problem, problemLine, shown, shownList, typeOf } from "../problems.ts";

/** Number of alternatives whose first problem is reported if no alternative was clearly meant. */
const MAX_TOLD_ALTERNATIVES = 3;

/**
 * Says why a value fits none of several schemas in as few lines as help: which one was meant often follows from the
 * value's type or from the one alternative whose constants it has.
 *
 * @param branches what is wrong by each schema, none of them empty
 */
export function alternativesProblems(
  branches: readonly (readonly Problem[])[],
  value: unknown,
  at: At,
): readonly Problem[] {
  const ofType = branches.filter((problems) => typesWanted(problems, at) === undefined);
  if (ofType.length === 0) return [wrongType(branches, value, at)];
  const meant = ofType.filter((problems) => !problems.some(isWrongConstant));
  const [only] = meant.length === 1 ? meant : ofType;
  if (only !== undefined && (meant.length === 1 || ofType.length === 1)) return only;
  return [wrongConstant(ofType, value, at) ?? noneFits(branches.length, ofType, at)];
}

/** Returns the types that an alternative expects, or undefined if the value's type is right. */
function typesWanted(problems: readonly Problem[], at: At): readonly string[] | undefined {
  return problems.find((problem) => problem.at === at && problem.types !== undefined)?.types;
}

function isWrongConstant({ allowed }: Problem): boolean {
  return allowed !== undefined;
}

function wrongType(branches: readonly (readonly Problem[])[], value: unknown, at: At): Problem {
  const types = [...new Set(branches.flatMap((problems) => typesWanted(problems, at) ?? []))];
  return { at, what: `expected ${types.join(" or ")}, got ${typeOf(value)}`, types };
}

/** One list of values when every alternative is a constant or an enumeration. */
function wrongConstant(branches: readonly (readonly Problem[])[], value: unknown, at: At): Problem | undefined {
  const lists = branches.map(([first, second]) =>
    first?.at === at && second === undefined ? first?.allowed : undefined,
  );
  const allowed = lists.flatMap((list) => list ?? []);
  if (lists.includes(undefined)) return undefined;
  return { at, what: `expected one of ${shownList(allowed)}, got ${shown(value)}`, allowed };
}

function noneFits(alternatives: number, branches: readonly (readonly Problem[])[], at: At): Problem {
  const reasons = branches.flatMap(([first]) => (first === undefined ? [] : [problemLine(first)]));
  const told = reasons.slice(0, MAX_TOLD_ALTERNATIVES).join("; ");
  const more = reasons.length > MAX_TOLD_ALTERNATIVES ? "; …" : "";
  return { at, what: `expected one of ${alternatives} alternatives to fit, got none: ${told}${more}` };
}
