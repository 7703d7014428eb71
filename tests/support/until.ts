import { setTimeout as pause } from "node:timers/promises";

const LOOK_MS = 2;

/** Resolves when a condition holds. The test's own limit of time ends the wait for one that never does. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(LOOK_MS);
}
