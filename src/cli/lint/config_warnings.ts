import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CheckedConfig, checkConfig } from "#planner/config/check_config.ts";
import { CONFIG_FILE } from "#planner/config/parse_config.ts";

/** Judges the project's configuration; a project without one has the defaults. */
export function checkProjectConfig(root: string): CheckedConfig {
  return checkConfig(textOf(join(root, CONFIG_FILE)));
}

/** What is odd about the configuration, a line each, beginning with its place. */
export function configWarnings(root: string): readonly string[] {
  return checkProjectConfig(root).warnings.map(
    ({ line, column, message }) => `${CONFIG_FILE}:${line}:${column}: ${message}`,
  );
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
