import type { SourceTask } from "./source.ts";

/** The status of a feature by its tasks; those that wait for approval do not count. */
export function featureStatus(tasks: readonly SourceTask[]): SourceTask["status"] {
  const needed = tasks.filter(({ isDraft }) => isDraft !== true);
  if (tasks.every(({ status }) => status === "pending")) return "pending";
  return needed.every(({ status }) => status === "completed") ? "completed" : "in_progress";
}
