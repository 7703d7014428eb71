import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { PLANNER, runPlanner } from "../support/planner_command.ts";

/** Takes the place of a browser: waits until the work that the demonstration starts has ended, then ends the board. */
const BROWSER = `#!/bin/sh
cat "\${1#file://}" > "$OUT/opened"
planner() { $PLANNER_UNDER_TEST "$@"; }
while planner list | grep -Eq "00[12]-.* (pending|in_progress)"; do sleep 0.1; done
until planner status --activity | grep -q expiry; do sleep 0.1; done
planner list > "$OUT/list"
planner status --activity > "$OUT/activity"
kill -TERM "$PPID"
`;

test.skipIf(process.platform !== "linux")(
  "planner demo shows a board on which agents work, and leaves nothing",
  async () => {
    const home = mkdtempSync(join(tmpdir(), "planner-demo-test-"));
    const [temporary, programs] = [join(home, "tmp"), join(home, "bin")];
    for (const folder of [temporary, programs]) mkdirSync(folder);
    writeFileSync(join(programs, "xdg-open"), BROWSER, { mode: 0o755 });
    const env = {
      ...{ TMPDIR: temporary, HOME: home, OUT: home, PLANNER_UNDER_TEST: PLANNER.join(" "), PLANNER_DEMO_PAUSE: "0" },
      PATH: `${programs}${delimiter}${process.env["PATH"]}`,
    };
    try {
      const { code, stdout } = await runPlanner(["demo"], { cwd: home, env });

      const [opened, list, activity] = ["opened", "list", "activity"].map((name) =>
        readFileSync(join(home, name), "utf8"),
      );
      expect([code, stdout]).toEqual([0, expect.stringContaining("Board of Short links: http://127.0.0.1:")]);
      expect(opened).toContain("?open=");
      expect(list).toMatch(/-001-.* completed [\s\S]*-002-.* completed [\s\S]*-003-.* needs_attention /);
      expect(activity).toContain('"sh checks.sh expiry" ended with status 1');
      expect(activity).not.toContain("during the run");
      expect(readdirSync(temporary)).toEqual([]);
      expect(readdirSync(home).sort()).toEqual(["activity", "bin", "list", "opened", "tmp"]);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);
