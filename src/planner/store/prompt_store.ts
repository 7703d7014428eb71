import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { PromptStore } from "../ports.ts";
import { isMissing, reason } from "./disk_error.ts";

const FOLDER = ".planner/prompts";

/** Opens `.planner/prompts/`. Source: decision S-01. */
export function openPromptStore(root: string): PromptStore {
  return {
    async names() {
      const entries = await readdir(join(root, FOLDER), { withFileTypes: true }).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw new OperationError("unavailable", `Cannot read "${FOLDER}": ${reason(error)}`, { cause: error });
      });
      return entries
        .filter((entry) => !entry.isDirectory() && entry.name.endsWith(".md") && !entry.name.startsWith("."))
        .map((entry) => entry.name.slice(0, -".md".length))
        .sort();
    },
  };
}
