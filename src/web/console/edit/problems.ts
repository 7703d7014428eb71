import type { CallError } from "../api/client.ts";
import { type EditableKind, type FormField, listMessageFields, type ResourceValues } from "./form_model.ts";
import { trimViolationPath } from "./paths.ts";
import { describeValueError, isUnsetValue } from "./values.ts";

/** Errors of a draft, by field path such as `ports[3].speed_mbps`. */
export type ProblemsByPath = ReadonlyMap<string, string>;

/** Returns the violations of the fields' types and limits. The server checks for missing required values. */
export function listLimitProblems(values: ResourceValues, message: string, around = ""): ProblemsByPath {
  const found = new Map<string, string>();
  for (const field of listMessageFields(message)) {
    const value = values[field.name];
    if (isUnsetValue(value) || field.shape === "map") continue;
    const path = around === "" ? field.name : `${around}.${field.name}`;
    for (const [key, problem] of listFieldProblems(value, field, path)) found.set(key, problem);
  }
  return found;
}

function listFieldProblems(value: unknown, field: FormField, path: string): ProblemsByPath {
  if (field.type !== "group") {
    const problem = describeValueError(value, field);
    return new Map(problem === "" ? [] : [[path, problem]]);
  }
  if (field.shape === "one") return listLimitProblems(value as ResourceValues, field.of ?? "", path);
  const elements = value as readonly ResourceValues[];
  return new Map(elements.flatMap((one, index) => [...listLimitProblems(one, field.of ?? "", `${path}[${index}]`)]));
}

/** Returns the problems together with the server's refusals, by field. */
export function addRefusalProblems(
  problems: ProblemsByPath,
  kind: EditableKind,
  errors: readonly CallError[],
): ProblemsByPath {
  const found = new Map(problems);
  for (const { field, description } of errors.flatMap(({ violations }) => violations)) {
    found.set(trimViolationPath(field, kind), description);
  }
  return found;
}

/** Returns the error at a path, or "" for none. `ports[3].*` matches any field inside `ports[3]`. */
export function findProblem(problems: ProblemsByPath, path: string): string {
  if (!path.endsWith(".*")) return problems.get(path) ?? "";
  const above = path.slice(0, -1);
  return [...problems].find(([key]) => key.startsWith(above))?.[1] ?? "";
}

/** Whether a field of the resource, or any field inside it, has an error. */
export function hasProblem(problems: ProblemsByPath, name: string): boolean {
  return [...problems.keys()].some((key) => key === name || key.startsWith(`${name}.`) || key.startsWith(`${name}[`));
}
