import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findProgramVersion, isProgramAvailable } from "#planner/store/processes/agent_process.ts";
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

const HOME = mkdtempSync(join(tmpdir(), "planner-versions-"));
afterAll(() => rmSync(HOME, { recursive: true, force: true }));

const PATHS = { PATH: join(HOME, "bin") };

function put(path: string, text: string): string {
  const whole = join(HOME, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text, { mode: 0o755 });
  return whole;
}

function link(name: string, target: string): void {
  mkdirSync(join(HOME, "bin"), { recursive: true });
  symlinkSync(target, join(HOME, "bin", name));
}

test("findProgramVersion reads the npm package whose bin the program is, through its link", async () => {
  const pack = "lib/node_modules/@maker/agent";
  put(`${pack}/package.json`, '{"name": "@maker/agent", "version": "2.0.14", "bin": {"agent": "./dist/cli.js"}}');
  link("agent", put(`${pack}/dist/cli.js`, ""));

  expect(await findProgramVersion("agent", PATHS)).toBe("2.0.14");
});

test("findProgramVersion reads a version out of the program's own folders", async () => {
  link("claude", put("share/claude/versions/2.1.0", ""));
  link("codex", put("Cellar/codex/0.46.0/bin/codex", ""));

  expect(await findProgramVersion("claude", PATHS)).toBe("2.1.0");
  expect(await findProgramVersion("codex", PATHS)).toBe("0.46.0");
});

test("findProgramVersion is null for a program that is not there, and for one of another's package or version", async () => {
  put("node/v22.1.0/package.json", '{"version": "9.9.9", "bin": "other.js"}');
  link("script", put("node/v22.1.0/script", ""));

  expect(await findProgramVersion("script", PATHS)).toBeNull();
  expect(await findProgramVersion("missing", PATHS)).toBeNull();
  expect(await findProgramVersion(put("alone/tool", ""), PATHS)).toBeNull();
});
