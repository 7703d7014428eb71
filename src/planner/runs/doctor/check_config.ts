import { OperationError } from "#kernel/errors.ts";
import type { CareDeps, Trouble } from "./trouble.ts";

/** Path of the settings from the project root. Source: docs/decisions.md#s-01. */
const CONFIG_FILE = ".planner/config.md";

/** Reports settings that cannot be read. No agent starts without them, and only a person can correct them. */
export async function brokenConfig({ context }: CareDeps): Promise<readonly Trouble[]> {
  try {
    await context.config();
    return [];
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    const advice = "fix its text; `planner config --validate` lists the faults";
    return [{ kind: "broken_config", subject: CONFIG_FILE, message: error.message, advice }];
  }
}
