import { UsageError } from "./usage_error.ts";

const LISTS = ["depends_on", "labels", "target_files"] as const;
const TEXTS = ["model", "priority", "assignee", "due"] as const;

/** Fields that `--clear` empties. */
export const CLEARABLE = [...LISTS, ...TEXTS] as const;

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
  readonly unproven: string | undefined;
  readonly priority?: string | undefined;
  readonly assignee?: string | undefined;
  readonly due?: string | undefined;
  readonly clear: readonly (typeof CLEARABLE)[number][];
}

/** The words as arguments of the update tool: a field that was not named is not there, a cleared one is empty. */
export function updateArgs(words: UpdateWords): Record<string, unknown> {
  const lists = { depends_on: words["depends-on"], labels: words.label, target_files: words["target-file"] };
  const args: Record<string, unknown> = { id: words.id };
  if (words.status !== undefined) args["status"] = words.status;
  if (words.output !== undefined) args["output"] = words.output;
  if (words["replace-body"]) args["replace_body"] = true;
  if (words.unproven !== undefined) args["unproven"] = words.unproven;
  for (const name of TEXTS) if (words[name] !== undefined) args[name] = words[name];
  for (const [field, list] of Object.entries(lists)) {
    if (list.length > 0) args[field] = list;
  }
  for (const field of words.clear) {
    if (args[field] !== undefined) throw new UsageError(`Field "${field}" is both set and cleared`, null);
    args[field] = LISTS.some((list) => list === field) ? [] : "";
  }
  return args;
}
