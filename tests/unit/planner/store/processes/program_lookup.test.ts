import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { isProgramAvailable } from "#planner/store/processes/agent_process.ts";
import { tempProject } from "../../../../support/temp_project.ts";

test.skipIf(process.platform === "win32")("isProgramThere finds programs on PATH, and nothing else there", () => {
  using project = tempProject();
  for (const name of ["agent", "notes"]) project.write(`bin/${name}`, "#!/bin/sh\n");
  project.write("bin/folder/file", "");
  chmodSync(join(project.root, "bin/agent"), 0o755);
  const env = { PATH: `/nowhere:${join(project.root, "bin")}` };

  expect(["agent", "notes", "folder", "other"].map((name) => isProgramAvailable(name, env))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test("isProgramAvailable leaves paths, and a system without PATH, to the start itself", () => {
  expect(isProgramAvailable("./other", { PATH: "/nowhere" })).toBe(true);
  expect(isProgramAvailable("other", {})).toBe(true);
});
