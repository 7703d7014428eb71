import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PLANNER } from "../support/planner_command.ts";
import { NO_PSEUDO_TERMINAL, runOnTerminal } from "../support/pseudo_terminal.ts";
import { type WorkProject, workProject } from "../support/work_project.ts";

const ID = "2026-11-01-001-aaa";
const AGENT = join(import.meta.dirname, "..", "support", "agent.ts");

/** A project whose agent has a session, has finished its work and leaves its arguments as a note. */
async function worked(fields = ""): Promise<WorkProject & { readonly env: Readonly<Record<string, string>> }> {
  const project = await workProject({ plan: {} });
  const event = JSON.stringify({ type: "system", subtype: "init", session_id: "5f0c-21" });
  const env = {
    AGENT_PLAN: JSON.stringify({ "*": [`event:${event}`, "say_prompt", "tick", "commit"] }),
    AGENT_NOTES: project.notes,
  };
  const settings = { defaults: { provider: "claude" }, providers: { claude: { env } } };
  project.write(".planner/config.md", `---\n${JSON.stringify(settings)}\n---\n`);
  const config = `"$(printf '%s\\n' "$@" | grep 'mcp.json$')"`;
  const program = ".planner/logs/bin/claude";
  project.write(program, `#!/bin/sh\nexec "${process.execPath}" "${AGENT}" ${config} "$@"\n`);
  chmodSync(join(project.root, program), 0o755);
  await project.add(ID, fields);
  const path = { PATH: `${join(project.root, ".planner/logs/bin")}:${process.env["PATH"]}` };
  expect((await project.planner(["work", ID], { env: path })).stdout).toContain("completed");
  return { ...project, env: path };
}

test("review sends work back: the agent goes on in its session with the text, and the work is accepted then", async () => {
  using project = await worked();
  const review = (...words: readonly string[]) => project.planner(["review", ID, ...words]);
  const facts = JSON.parse((await review("--json")).stdout);
  expect(facts).toMatchObject({
    spec_id: ID,
    status: "completed",
    need: { kind: "finished" },
    criteria: [{ label: "It is done", checked: true }],
    record: { run: 1, agent: "claude", status: "completed" },
    difference: { kind: "merged", conflicts: [] },
  });
  expect(facts.difference.files).toContainEqual({
    ...{ path: `${ID}.txt`, change: "added", added: 1, removed: 0, changed_in_main: false },
  });
  const shown = await review();
  expect(shown.stdout).toContain(`added    ${ID}.txt (+1 -0)`);
  expect(shown.stdout).toContain(`+the work of ${ID}`);
  expect(shown.stdout).toEndWith(`planner review ${ID} --reject\n`);

  expect(await review("--back", "Handle an empty list too")).toMatchObject({
    code: 0,
    stdout: `Sent back spec: ${ID} (planner work ${ID})\n`,
  });
  expect(project.field(ID, "status")).toBe("pending");
  expect((await project.planner(["merge", ID])).stderr).toContain("its status is pending");
  const again = await project.planner(["work", ID], { env: project.env });
  expect(again.stdout).toContain("completed");
  const given = readFileSync(join(project.notes, "arguments"), "utf8").split("\n");
  expect(given.slice(given.indexOf("--resume"))).toEqual(["--resume", "5f0c-21", ""]);
  const log = project.read(`.planner/logs/${ID}.log`);
  expect(log).toContain("## A person sent the work back");
  // In the spec, and as what the run is for.
  expect(log.match(/> Handle an empty list too$/gm)).toHaveLength(2);

  const accepted = await review("--accept");
  expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining(`Merged spec: ${ID} (`) });
  expect(project.field(ID, "status")).toBe("completed");
  // The agent's output repeats the prompt, without its blank lines.
  expect(project.read(`.planner/specs/${ID}.md`).match(/^## Review\n\n\*\*Sent back/gm)).toHaveLength(1);
  expect(project.read(`${ID}.txt`)).toContain("the work");
  const nothing = await review();
  expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining("its work is in your branch") });
});

test("review rejects work and keeps its branch; no agent and no second decision does", async () => {
  using project = await worked();
  const review = (words: readonly string[], env = {}) => project.planner(["review", ID, ...words], { env });
  const head = await project.mustGit("rev-parse", `planner/${ID}`);

  for (const words of [[], ["--json"], ["--accept"], ["--back", "x"], ["--reject"]]) {
    const inside = await review(words, { PLANNER_RUN: `${ID}-1@${project.root}` });
    expect([inside.code, inside.stdout]).toEqual([1, ""]);
    expect(inside.stderr).toContain(`Cannot review work inside the run of spec '${ID}'`);
  }
  expect((await review(["--accept", "--reject"])).code).toBe(2);
  expect((await review(["--back", " "])).stderr).toContain("expected what the agent is to change");
  const rejected = JSON.parse((await review(["--reject", "--json"])).stdout);

  expect(rejected).toMatchObject({ results: [{ spec_id: ID, kept: null }] });
  expect(project.field(ID, "status")).toBe("cancelled");
  expect(await project.mustGit("rev-parse", `refs/planner/kept/${ID}/1`)).toBe(head);
  expect(existsSync(join(project.root, project.tree(ID)))).toBe(false);
  expect((await review(["--reject"])).stderr).toContain("its status is cancelled, and it has no worktree");
});

test.skipIf(NO_PSEUDO_TERMINAL !== null)(
  "on a terminal review asks after the pager of the person, and obeys no name, text or setting of the work",
  async () => {
    using project = await worked("title: x\n");
    const tree = join(project.root, project.tree(ID));
    const ran = join(project.notes, "ran");
    const git = (...args: readonly string[]) => project.git(args, { cwd: tree });
    project.write(`${project.tree(ID)}/--output=x`, "a\n");
    project.write(`${project.tree(ID)}/<b>\u001b[2J.txt`, "b\n");
    await git("add", "-A");
    await git("commit", "--quiet", "-m", "planner: \u001b]0;evil\u0007 <script>");
    await project.mustGit("config", "core.pager", `touch ${ran}; cat`);
    await project.mustGit("config", "pager.diff", `touch ${ran}; cat`);
    await project.mustGit("config", "diff.external", `touch ${ran}`);
    const file = project.read(`.planner/specs/${ID}.md`);
    project.spec(ID, file.replace(`# ${ID}`, "# <img src=x> \u001b[31m--accept"));

    const { code, screen } = await runOnTerminal([...PLANNER, "review", ID], {
      cwd: project.root,
      env: { ...project.env, GIT_CONFIG_GLOBAL: "/dev/null", PAGER: "sed s/^/paged:/", EDITOR: "echo 'Say why' >" },
      typing: [
        { after: "or [l]eave?", keys: "what\n" },
        { after: "or [l]eave?", keys: "b\n" },
      ],
    });

    expect(code).toBe(0);
    expect(screen).toContain("<img src=x> ␛[31m--accept");
    for (const obeyed of ["\u001b[2J", "\u001b]0;", "\u001b[31m--accept"]) expect(screen).not.toContain(obeyed);
    expect(screen).toMatch(new RegExp(`paged:.*the work of ${ID}`));
    expect(screen).toContain("--output=x (+1 -0)");
    expect(existsSync(ran)).toBe(false);
    expect(screen).toContain(`Sent back spec: ${ID}`);
    expect(project.read(`.planner/specs/${ID}.md`)).toEndWith("\n> Say why\n");
  },
);
