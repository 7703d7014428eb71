import { UsageError } from "./usage_error.ts";

/** The checked words of `planner update`. */
export interface UpdateWords {
  readonly id: string;
  readonly status: string | undefined;
  readonly output: string | undefined;
  readonly "replace-body": boolean;
  readonly "depends-on": readonly string[];
  readonly label: readonly string[];
  readonly "target-file": readonly string[];
  readonly model: string | undefined;
  readonly clear: readonly ("depends_on" | "labels" | "target_files" | "model")[];
}

/** The words as arguments of the update tool: a field that was not named is not there, a cleared one is empty. */
export function updateArgs(words: UpdateWords): Record<string, unknown> {
  const lists = { depends_on: words["depends-on"], labels: words.label, target_files: words["target-file"] };
  const args: Record<string, unknown> = { id: words.id };
  if (words.status !== undefined) args["status"] = words.status;
  if (words.output !== undefined) args["output"] = words.output;
  if (words["replace-body"]) args["replace_body"] = true;
  if (words.model !== undefined) args["model"] = words.model;
  for (const [field, list] of Object.entries(lists)) {
    if (list.length > 0) args[field] = list;
  }
  for (const field of words.clear) {
    if (args[field] !== undefined) throw new UsageError(`Field "${field}" is both set and cleared`, null);
    args[field] = field === "model" ? "" : [];
  }
  return args;
}
