/** Holds the lock of a project until it is ended, and prints a line once it has it: `bun hold_lock.ts <root>`. */
import { runWithProjectLock } from "#planner/store/locks/project_lock.ts";

const [root = ""] = process.argv.slice(2);

await runWithProjectLock(root, async () => {
  process.stdout.write("{}\n");
  await new Promise((resolve) => setTimeout(resolve, 600_000));
});
