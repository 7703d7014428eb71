import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import type { PlannerConfig } from "../../config/config.ts";
import { DEFAULT_CONFIG } from "../../config/default_config.ts";
import type { PlannerContext } from "../../context.ts";
import { scanFrontmatter } from "../../spec/quick_frontmatter.ts";
import { splitText } from "../../spec/split_text.ts";
import { readTextFile } from "../files/read_text.ts";

/** Path of the settings from the project root. Source: docs/decisions.md#s-01. */
const CONFIG_FILE = ".planner/config.md";

/**
 * Returns a function that reads the project's settings, or the defaults without such a file. Each call reads the file
 * but parses it only when its text has changed.
 *
 * @throws OperationError `failed_precondition` with line and column if the file is malformed
 */
export function createConfigReader(root: string): () => Promise<PlannerConfig> {
  let known: { readonly text: string; readonly config: PlannerConfig } | undefined;
  return async () => {
    const text = readConfigText(root);
    if (text === known?.text) return known.config;
    // Loaded only when needed: most commands need no settings and so no YAML parser.
    const { parseConfig } = await import("../../config/parse_config.ts");
    const { config } = parseConfig(text);
    known = { text, config };
    return config;
  };
}

/**
 * Returns a function that reads parts of the settings. If the file leaves these parts at their defaults, the function
 * returns the defaults without parsing or checking the file: every list reads settings and must be fast.
 */
export function createSettingsReader(root: string, config: () => Promise<PlannerConfig>): PlannerContext["settings"] {
  return async (...names) => {
    const text = readConfigText(root);
    const split = splitText(text);
    const range = split.ok ? split.range : null;
    const written = range === null ? {} : scanFrontmatter(text, range);
    const isStandard =
      split.ok &&
      written !== undefined &&
      names.every((name) => equalsDefault(written[name] ?? null, DEFAULT_CONFIG[name]));
    return isStandard ? DEFAULT_CONFIG : await config();
  };
}

/** Returns whether each written setting equals that of `standard`; a key without a value counts as not written. */
function equalsDefault(written: unknown, standard: unknown): boolean {
  if (written === null) return true;
  if (!isJsonObject(written)) return JSON.stringify(written) === JSON.stringify(standard);
  if (!isJsonObject(standard)) return false;
  return Object.entries(written).every(([key, value]) =>
    equalsDefault(value, Object.hasOwn(standard, key) ? standard[key] : undefined),
  );
}

function readConfigText(root: string): string {
  const read = readTextFile(join(root, CONFIG_FILE));
  if (read.kind === "text") return read.text;
  if (read.kind === "missing") return "";
  const place = read.line === null ? "" : `:${read.line}:${read.column}`;
  throw new OperationError("failed_precondition", `Cannot read "${CONFIG_FILE}${place}": ${read.message}`);
}
