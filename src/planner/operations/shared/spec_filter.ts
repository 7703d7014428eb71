import { Type } from "@sinclair/typebox";
import { createInvalidArgumentError } from "#kernel/errors.ts";
import { createEnumSchema } from "#kernel/one_of.ts";
import { PRIORITIES } from "../../spec/planning.ts";
import type { Spec } from "../../spec/spec.ts";
import { createSearchPattern, matchesPattern } from "./search_text.ts";

/** Conditions of a list; every spec meets an empty or absent condition. */
export interface SpecFilter {
  readonly types?: readonly string[];
  readonly labels?: readonly string[];
  readonly priorities?: readonly string[];
  readonly assignees?: readonly string[];
}

interface FilteredFields {
  readonly type: string;
  readonly labels?: readonly string[];
  readonly priority?: string | null;
  readonly assignee?: string | null;
}

/** Creates a test for all conditions: a spec has any of the types, any of the labels, and so on. */
export function createFilterTest<Tested extends FilteredFields>({
  types = [],
  labels = [],
  priorities = [],
  assignees = [],
}: SpecFilter): (spec: Tested) => boolean {
  const tests: ((spec: Tested) => boolean)[] = [];
  if (types.length > 0) tests.push(({ type }) => types.includes(type));
  if (labels.length > 0) tests.push((spec) => spec.labels?.some((label) => labels.includes(label)) === true);
  if (priorities.length > 0) tests.push(({ priority }) => priorities.includes(priority ?? ""));
  if (assignees.length > 0) tests.push(({ assignee }) => assignees.includes(assignee ?? ""));
  return tests.length === 0 ? () => true : (spec) => tests.every((test) => test(spec));
}

const createTextParameter = (description: string) => Type.Optional(Type.String({ description }));

/** Parameters that filter a list of specs by fields. */
export const fieldParams = {
  label: createTextParameter("Has this label"),
  priority: Type.Optional(createEnumSchema(PRIORITIES, "Has this priority")),
  assignee: createTextParameter("Whose work it is"),
};

/** Parameters that filter a list of specs by fields and text. */
export const filterParams = { ...fieldParams, text: createTextParameter("In title or body, in any case") };

/** Values of the filter parameters. */
export interface FilterArguments {
  readonly label?: string;
  readonly priority?: string;
  readonly assignee?: string;
  readonly text?: string;
}

/** Creates a test for the filter parameters. @throws OperationError for a blank value or a text that is too long */
export function createParameterFilter({
  label,
  priority,
  assignee,
  text: query,
}: FilterArguments): (spec: Spec) => boolean {
  for (const [name, value] of Object.entries({ label, assignee })) {
    if (value?.trim() === "") throw createInvalidArgumentError(`Invalid ${name} "${value}": expected text`);
  }
  const toList = (value: string | undefined): readonly string[] => (value === undefined ? [] : [value]);
  const filter = { labels: toList(label), priorities: toList(priority), assignees: toList(assignee) };
  const pattern = query === undefined ? undefined : createSearchPattern(query, "text");
  const matchesFields = createFilterTest<Spec>(filter);
  return (spec) => matchesFields(spec) && (pattern === undefined || matchesPattern(spec, pattern));
}
