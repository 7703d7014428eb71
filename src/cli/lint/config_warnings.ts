import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckedConfig } from "#planner/config/check_config.ts";
import { DEFAULT_CONFIG } from "#planner/config/default_config.ts";

/** Where the configuration lies, from the project root. Source: decision S-01. */
export const CONFIG_FILE = ".planner/config.md";

/** Judges the project's configuration; a project without one has the defaults. */
export async function checkProjectConfig(root: string): Promise<CheckedConfig> {
  const text = textOf(join(root, CONFIG_FILE));
  // The check brings a YAML reader and a schema library, which a project without settings has no use for.
  if (text === "") return { config: DEFAULT_CONFIG, errors: [], warnings: [] };
  const { checkConfig } = await import("#planner/config/check_config.ts");
  return checkConfig(text);
}

/** What is odd about the configuration, a line each, beginning with its place. */
export async function configWarnings(root: string): Promise<readonly string[]> {
  const { warnings } = await checkProjectConfig(root);
  return warnings.map(({ line, column, message }) => `${CONFIG_FILE}:${line}:${column}: ${message}`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // What cannot be read for another reason was refused when the project's settings were asked for.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
