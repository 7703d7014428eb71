import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { PlannerConfig } from "../../config/config.ts";
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

function readConfigText(root: string): string {
  const read = readText(join(root, CONFIG_FILE));
  if (read.kind === "text") return read.text;
  if (read.kind === "missing") return "";
  const place = read.line === null ? "" : `:${read.line}:${read.column}`;
  throw new OperationError("failed_precondition", `Cannot read "${CONFIG_FILE}${place}": ${read.message}`);
}
