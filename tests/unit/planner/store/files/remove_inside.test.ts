import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFileInOpenFolder, runInOpenFolder } from "#planner/store/files/open_folder.ts";

test("removeFileInOpenFolder removes nothing behind a link that leads out of the project, be it put there meanwhile", async () => {
  const home = mkdtempSync(join(tmpdir(), "removing-"));
  const [locks, outside] = [join(home, "project/.planner/locks"), join(home, "outside")];
  mkdirSync(locks, { recursive: true });
  mkdirSync(outside);
  for (const folder of [locks, outside]) writeFileSync(join(folder, "a.lock"), "");

  await removeFileInOpenFolder(join(locks, "gone.lock"));
  await removeFileInOpenFolder(join(locks, "a.lock"));
  const removed = !existsSync(join(locks, "a.lock"));
  writeFileSync(join(locks, "a.lock"), "");
  await runInOpenFolder(join(locks, "a.lock"), async (inside) => {
    renameSync(locks, `${locks}-real`);
    symlinkSync(outside, locks);
    if (process.platform === "linux") rmSync(inside);
  });
  const refused = await removeFileInOpenFolder(join(locks, "a.lock")).catch((error: Error) => error.message);

  expect(removed).toBe(true);
  expect(existsSync(join(`${locks}-real`, "a.lock"))).toBe(process.platform !== "linux");
  expect(refused).toContain('".planner/locks": it is a symbolic link that leads out of the project');
  expect(existsSync(join(outside, "a.lock"))).toBe(true);
  rmSync(home, { recursive: true });
});
