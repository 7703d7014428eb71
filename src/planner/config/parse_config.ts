import { OperationError } from "#kernel/errors.ts";
import { type ConfigProblem, checkConfig } from "./check_config.ts";
import type { PlannerConfig } from "./config.ts";
import { CONFIG_FILE } from "./config_values.ts";

/**
 * Parses the text of `.planner/config.md`.
 * @throws OperationError `failed_precondition` with one line for each error, naming line and column
 */
export function parseConfig(text: string): {
  readonly config: PlannerConfig;
  readonly warnings: readonly ConfigProblem[];
} {
  const { config, errors, warnings } = checkConfig(text);
  if (config !== null) return { config, warnings };
  const lines = errors.map(({ line, column, message }) => `${CONFIG_FILE}:${line}:${column}: ${message}`);
  throw new OperationError("failed_precondition", `Cannot read the configuration:\n${lines.join("\n")}`);
}
