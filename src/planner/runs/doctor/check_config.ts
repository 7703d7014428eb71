import { OperationError } from "#kernel/errors.ts";
import type { CareDeps, Trouble } from "./trouble.ts";

/** Path of the settings from the project root. Source: docs/decisions.md#s-01. */
const CONFIG_FILE = ".planner/config.md";

/** Settings that cannot be read, without which no agent starts: only a person knows what they were to say. */
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
