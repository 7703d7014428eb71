import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckedConfig } from "#planner/config/check_config.ts";
import { CONFIG_FILE, DEFAULT_CONFIG } from "#planner/config/config.ts";
import { hasTemplate } from "#planner/work/prompts/prompt_template.ts";
import type { OpenedProject } from "../open_project.ts";

/** Checks the project's configuration; a project without one has the defaults. */
export async function checkProjectConfig({ root, context }: OpenedProject): Promise<CheckedConfig> {
  const text = readText(join(root, CONFIG_FILE));
  // The check loads a YAML parser and a schema library, which a project without settings does not need.
  if (text === "") return { config: DEFAULT_CONFIG, errors: [], warnings: [] };
  const { checkConfig } = await import("#planner/config/check_config.ts");
  const checked = checkConfig(text);
  if (checked.config === null) return checked;
  const { prompt } = checked.config.defaults;
  if (prompt === null || (await hasTemplate(context.prompts, prompt))) return checked;
  const { createFrontmatterLocator } = await import("#planner/spec/full_frontmatter.ts");
  const place = createFrontmatterLocator(text)(["defaults", "prompt"]) ?? { line: 1, column: 1 };
  const message = `Setting "defaults.prompt" names no template: expected .planner/prompts/${prompt}.md`;
  return { ...checked, warnings: [...checked.warnings, { ...place, message }] };
}

/** Returns the warnings about the configuration, one line each, beginning with the location. */
export async function findConfigWarnings(project: OpenedProject): Promise<readonly string[]> {
  const { warnings } = await checkProjectConfig(project);
  return warnings.map(({ line, column, message }) => `${CONFIG_FILE}:${line}:${column}: ${message}`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
