import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { emptyFolder, sampleSite } from "../support/dc_server.ts";
import { runPlanner } from "../support/planner_command.ts";
import { siteLines } from "../support/site_lines.ts";

test("planner dc sample writes the sample site, the same to a file as to standard output", async () => {
  const cwd = emptyFolder();
  const site = sampleSite();

  const printed = await runPlanner(["dc", "sample"], { cwd });
  const written = await runPlanner(["dc", "sample", "-o", "site.jsonl"], { cwd });

  const lines = printed.stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([...siteLines(site)]);
  expect([printed.code, written.code, written.stdout]).toEqual([0, 0, ""]);
  expect(readFileSync(join(cwd, "site.jsonl"), "utf8")).toBe(printed.stdout);
  expect(readdirSync(cwd)).toEqual(["site.jsonl"]);
});

test("planner dc sample tells of a full disk and of more racks than it makes", async () => {
  const cwd = emptyFolder();

  const full = await runPlanner(["dc", "sample", "-o", "/dev/full"], { cwd });
  const folder = await runPlanner(["dc", "sample", "-o", "none/site.jsonl"], { cwd });
  const large = await runPlanner(["dc", "sample", "--racks", "10001"], { cwd });

  expect([full.code, folder.code, large.code]).toEqual([1, 1, 2]);
  expect(full.stderr).toMatch(/Cannot write "\/dev\/full": .*(?:ENOSPC|No space left)/i);
  expect(folder.stderr).toContain("Cannot write");
  expect(large.stderr).toContain('Wrong value "10001" for "--racks": expected at most 10000');
});

test.skipIf(process.platform !== "linux").each(["TERM", "HUP"])(
  "planner dc sample --open serves the site, opens the console and leaves no file after %s",
  async (signal) => {
    const [cwd, temporary, programs] = [emptyFolder(), emptyFolder(), emptyFolder()];
    const opened = join(cwd, "opened");
    // Takes the page as a browser would, then ends the server that started it.
    const browser = `#!/bin/sh\ncat "\${1#file://}" > ${opened}\nkill -${signal} $PPID\n`;
    writeFileSync(join(programs, "xdg-open"), browser, { mode: 0o755 });
    const env = { TMPDIR: temporary, PATH: `${programs}${delimiter}${process.env["PATH"]}`, PLANNER_DC_TOKENS: "none" };

    const ended = await runPlanner(["dc", "sample", "--open"], { cwd, env });

    const address = /^Serving (\S+) from/m.exec(ended.stdout)?.[1] ?? "no address";
    expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining("Ctrl-C ends the server")]);
    expect(readFileSync(opened, "utf8")).toContain(`url=${address}"`);
    expect(readdirSync(temporary)).toEqual([]);
  },
);
