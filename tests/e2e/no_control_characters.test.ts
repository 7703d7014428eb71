import { expect, test } from "bun:test";
import { gitProject } from "../support/git_project.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";
import { NO_PSEUDO_TERMINAL, runOnTerminal } from "../support/pseudo_terminal.ts";
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
    for (const words of [["list"], ["show", ID], ["search", "T"], ["diagnose", ID], ["lint"]]) {
      const { stdout } = await runPlanner([...words, "--json"], { cwd: project.root });
      expect(stdout).not.toMatch(CONTROL);
      expect(JSON.stringify(JSON.parse(stdout))).toMatch(/\u009b|\\u001b/);
    }
  } finally {
    project.remove();
  }
});

/** The sequences of planner itself: colours, and the line ends of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const OWN = /\u001b\[(?:1|2|22|3[1-6]|39)m|\r\n/g;
const SETTINGS = String.raw`project: {name: "n\e[2J"}
defaults: {provider: "p\e]0;x\a", prompt: "w\e[2J", model: "m\e[2J", branch_prefix: "b-"}
verify: {commands: ["echo \e[2J\x9b2J"]}
worktree: {setup: ["true \e]0;x\a"]}
"k\e[2Jey": 1`;

test.skipIf(NO_PSEUDO_TERMINAL !== null)(
  "no control character of a spec, a branch, a commit, a log or a setting drives a terminal",
  async () => {
    using project = await gitProject();
    const yaml = String.raw`status: pending
type: "a\e[2J"
labels: ["l\e[2J"]
model: "m\x9b2J"
prompt: "p\e[2J"
assignee: "w\e[2J"
priority: "h\e[2J"
due: "d\e[2J"
target_files: ["a\e]0;x\a\u202e"]
depends_on: ["2026-11-21-009-\e[2J"]
branch: "b-\x9b2J"
output_schema: "o\e[2J.json"
approval: {status: "s\e[2J", by: "b\e[2J"}
members: ["2026-11-21-010-\e[2J"]`;
    const check = `  verify: echo ${EVIL}`;
    project.spec(
      ID,
      `---\nid: ${ID}\n${yaml}\n---\n\n# T${EVIL}\n\n## Acceptance Criteria\n\n- [ ] a ${EVIL}\n${check}\n`,
    );
    project.spec("2026-11-21-002-bad", `---\nstatus: [${EVIL}\n---\n`);
    project.write(".planner/config.md", `---\n${SETTINGS}\n---\n`);
    project.write(`.planner/logs/${ID}.log`, `printed ${EVIL}\r\n`);
    await project.mustGit("config", "user.name", `Ann${EVIL}`);
    await project.mustGit("config", "user.email", "ann@example.org");
    await project.mustGit("checkout", "--quiet", "-b", "b-\u009b2J");
    await project.mustGit("add", "--all");
    await project.mustGit("commit", "--quiet", "--no-verify", "-m", `planner(${ID}): ${EVIL}`);

    const typing = [{ after: "[y/N]", keys: "n\n" }];
    const more = [["config"], ["config", "--validate"], ["approve", "--list"], ["usage"], ["prime"], ["work", ID]];
    const others = [
      ["merge", ID],
      ["check", ID, "1"],
      ["finalize", ID],
      ["takeover", ID],
      ["watch", "status"],
    ];
    for (const words of [...COMMANDS, ...more, ...others, ["show", ID, "--json"], ["lint", "--fix", "--dry-run"]]) {
      const { screen } = await runOnTerminal([...PLANNER, ...words], { cwd: project.root, typing });
      const met = CONTROL.exec(screen.replace(OWN, "\n"));
      expect({ words, met: met === null ? null : screen.slice(Math.max(0, met.index - 40), met.index + 10) }).toEqual({
        words,
        met: null,
      });
    }
  },
  120_000,
);
