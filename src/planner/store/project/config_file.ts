import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import type { PlannerConfig } from "../../config/config.ts";
import { DEFAULT_CONFIG } from "../../config/default_config.ts";
import type { PlannerContext } from "../../context.ts";
import { scanFrontmatter } from "../../spec/quick_frontmatter.ts";
import { splitText } from "../../spec/split_text.ts";
import { readText } from "../files/read_text.ts";

/** Path of the settings from the project root. Source: docs/decisions.md#s-01. */
const CONFIG_FILE = ".planner/config.md";

/**
 * Returns a function that reads the project's settings; the defaults where there is no such file. The file is read at
 * every call and parsed again only when its text differs.
 *
 * @throws OperationError `failed_precondition` with line and column where the file is broken
 */
export function openConfig(root: string): () => Promise<PlannerConfig> {
  let known: { readonly text: string; readonly config: PlannerConfig } | undefined;
  return async () => {
    const text = readConfigText(root);
    if (text === known?.text) return known.config;
    // Most commands ask for no setting, so its YAML reader is not on their way.
    const { parseConfig } = await import("../../config/parse_config.ts");
    const { config } = parseConfig(text);
    known = { text, config };
    return config;
  };
}

/**
 * Returns a function that reads parts of the settings. Where the file says of them what the defaults say, the rest of
 * the file is neither parsed nor checked: every list asks for some.
 */
export function openSettings(root: string, config: () => Promise<PlannerConfig>): PlannerContext["settings"] {
  return async (...names) => {
    const text = readConfigText(root);
    const split = splitText(text);
    const range = split.ok ? split.range : null;
    const written = range === null ? {} : scanFrontmatter(text, range);
    const isStandard =
      split.ok &&
      written !== undefined &&
      names.every((name) => saysTheSame(written[name] ?? null, DEFAULT_CONFIG[name]));
    return isStandard ? DEFAULT_CONFIG : await config();
  };
}

/** Whether each of the written settings is that of `standard`; a key without a value is not written. */
function saysTheSame(written: unknown, standard: unknown): boolean {
  if (written === null) return true;
  if (!isJsonObject(written)) return JSON.stringify(written) === JSON.stringify(standard);
  if (!isJsonObject(standard)) return false;
  return Object.entries(written).every(([key, value]) =>
    saysTheSame(value, Object.hasOwn(standard, key) ? standard[key] : undefined),
  );
}

function readConfigText(root: string): string {
  const read = readText(join(root, CONFIG_FILE));
  if (read.kind === "text") return read.text;
  if (read.kind === "missing") return "";
  const place = read.line === null ? "" : `:${read.line}:${read.column}`;
  throw new OperationError("failed_precondition", `Cannot read "${CONFIG_FILE}${place}": ${read.message}`);
}
