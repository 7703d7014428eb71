import type { CallError } from "../api/client.ts";
import { type FormField, fieldsOf, type Kind, type Values } from "./form_model.ts";
import { violationPath } from "./paths.ts";
import { isUnset, problemOf } from "./values.ts";

/** What is wrong in a draft, by path such as `ports[3].speed_mbps`. */
export type Problems = ReadonlyMap<string, string>;

/** Returns violations of fields' types and limits. The server checks for missing required values. */
export function limitProblems(values: Values, message: string, around = ""): Problems {
  const found = new Map<string, string>();
  for (const field of fieldsOf(message)) {
    const value = values[field.name];
    if (isUnset(value) || field.shape === "map") continue;
    const path = around === "" ? field.name : `${around}.${field.name}`;
    for (const [key, problem] of fieldProblems(value, field, path)) found.set(key, problem);
  }
  return found;
}

function fieldProblems(value: unknown, field: FormField, path: string): Problems {
  if (field.type !== "group") {
    const problem = problemOf(value, field);
    return new Map(problem === "" ? [] : [[path, problem]]);
  }
  if (field.shape === "one") return limitProblems(value as Values, field.of ?? "", path);
  const elements = value as readonly Values[];
  return new Map(elements.flatMap((one, index) => [...limitProblems(one, field.of ?? "", `${path}[${index}]`)]));
}

/** Problems with what the server refused put on its fields. */
export function withRefusals(problems: Problems, kind: Kind, errors: readonly CallError[]): Problems {
  const found = new Map(problems);
  for (const { field, description } of errors.flatMap(({ violations }) => violations)) {
    found.set(violationPath(field, kind), description);
  }
  return found;
}

/** Returns the problem at a path, or "" without one. `ports[3].*` matches any field inside `ports[3]`. */
export function problemAt(problems: Problems, path: string): string {
  if (!path.endsWith(".*")) return problems.get(path) ?? "";
  const above = path.slice(0, -1);
  return [...problems].find(([key]) => key.startsWith(above))?.[1] ?? "";
}

/** Whether a field of the resource, or anything inside it, has a problem. */
export function hasProblem(problems: Problems, name: string): boolean {
  return [...problems.keys()].some((key) => key === name || key.startsWith(`${name}.`) || key.startsWith(`${name}[`));
}
