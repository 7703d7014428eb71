import { CONFIG_FILE } from "../config/config_values.ts";

const RULE_FOLDERS = [".planner/prompts/", ".planner/schemas/"];

/**
 * Returns a sentence for each setting, prompt and schema that a run's commits change. The project's version judges the
 * run itself; the changed version judges later runs once it is merged.
 *
 * @param outputSchema path of the spec's schema from the project's root, or null
 */
export function describeChangedRules(
  changed: readonly { readonly path: string }[],
  outputSchema: string | null,
): readonly string[] {
  const schema = outputSchema?.replace(/^(?:\.\/)+/, "");
  return changed
    .map(({ path }) => path)
    .filter((path) => path === CONFIG_FILE || path === schema || RULE_FOLDERS.some((folder) => path.startsWith(folder)))
    .map((path) => `the run changed "${path}": a merge makes it hold for later runs`);
}
