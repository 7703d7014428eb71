import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { PLANNER, runPlanner } from "../support/planner_command.ts";

/** Takes the place of browser and person: sends the disproven work back, merges all, then ends the board. */
const BROWSER = `#!/bin/sh
cat "\${1#file://}" > "$OUT/opened"
planner() { $PLANNER_UNDER_TEST "$@"; }
until planner list | grep -Eq "001-.* completed" && planner list | grep -Eq "002-.* needs_attention"; do sleep 0.1; done
until planner status --activity > "$OUT/activity" && grep -q "ended with status 1" "$OUT/activity"; do sleep 0.1; done
planner review 002 --back "The check printed: two visits are counted as 1"
planner work 002
planner review 002 > "$OUT/review"
planner merge --all
planner list > "$OUT/list"
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

      const [opened, list, activity, review] = ["opened", "list", "activity", "review"].map((name) =>
        readFileSync(join(home, name), "utf8"),
      );
      expect([code, stdout]).toEqual([0, expect.stringContaining("Board of Short links: http://127.0.0.1:")]);
      expect(opened).toContain("?open=");
      expect(activity).toContain('"sh checks.sh visits" ended with status 1');
      expect(review).toContain("[x] 1 Two visits are counted as 2: proven: passed in ");
      expect(list).toMatch(/-001-.* completed .*\n.*-002-.* completed .*\n.*-003-.* pending .*\n.*-004-.* pending /);
      expect(activity).not.toContain("during the run");
      expect(readdirSync(temporary)).toEqual([]);
      expect(readdirSync(home).sort()).toEqual(["activity", "bin", "list", "opened", "review", "tmp"]);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);
