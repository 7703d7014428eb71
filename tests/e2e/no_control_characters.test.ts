import { expect, test } from "bun:test";
import { runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";

const ID = "2026-11-21-001-abc";
const EVIL = "\u001b]0;x\u0007\u202e\u009b2J";
// Tabs and line ends are meant; a carriage return moves the cursor back.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

const COMMANDS = [
  ["list"],
  ["show", ID],
  ["lint"],
  ["lint", "--format", "github"],
  ["lint", "--format", "sarif"],
  ["status"],
  ["diagnose", ID],
  ["verify", ID],
  ["log", ID],
  ["search", "T"],
  ["ready"],
  ["doctor"],
  ["export", "--format", "markdown"],
  ["show", `${ID}\u001b[2J`],
];

test("no control character of a spec, a log or an argument is printed as such", async () => {
  const project = tempProject();
  try {
    const yaml = String.raw`status: "nea\e[2Jrly\r\n::error::x"`;
    const more = String.raw`type: "a\e[2J"
labels: ["l\e[2J"]
target_files: ["a\e]0;x\a\u202e"]
depends_on: ["2026-11-21-009-\e[2J"]`;
    project.spec(ID, `---\nid: ${ID}\n${yaml}\n${more}\n---\n\n# T${EVIL}\n\n- [ ] a ${EVIL}\n`);
    project.write(`.planner/logs/${ID}.log`, `printed ${EVIL}\r\n`);
    for (const words of COMMANDS) {
      const { stdout, stderr } = await runPlanner(words, { cwd: project.root });
      const met = CONTROL.exec(`${stdout}${stderr}`)?.[0];
      expect({ words, met: met?.codePointAt(0) }).toEqual({ words, met: undefined });
      expect(stdout).not.toMatch(/^::error::x/m);
    }
    const { stdout } = await runPlanner(["list", "--json"], { cwd: project.root });
    expect(stdout).toContain(EVIL.slice(-2));
  } finally {
    project.remove();
  }
}, 60_000);
