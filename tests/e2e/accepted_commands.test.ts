import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { commandSettings, commitProject, type GitProject, gitProject, scriptProvider } from "../support/git_project.ts";
import { McpLines } from "../support/mcp_lines.ts";
import { PLANNER } from "../support/planner_command.ts";
import { NO_PSEUDO_TERMINAL, runOnTerminal } from "../support/pseudo_terminal.ts";

const ID = "2026-11-01-001-aaa";
const GROUP = "2026-11-01-002-bbb";

/** What a command of the agent's choice would leave. */
const mark = ({ root }: GitProject): string => join(root, "..", `ran-${root.split("-").at(-1)}`);

function text(id: string, { check, fields = "" }: { readonly check: string; readonly fields?: string }): string {
  return `---\nid: ${id}\nstatus: in_progress\nlabels: [a]\n${fields}---\n\n# T\n\n## Acceptance Criteria\n\n- [x] It is done\n  verify: ${check}\n`;
}

async function project(): Promise<GitProject> {
  const made = await gitProject();
  made.write("a.txt", "a\n");
  await made.mustGit("add", "--all");
  // Repositories with the same first commit share what is accepted.
  await made.mustGit("commit", "--quiet", "-m", "begin", "-m", crypto.randomUUID());
  return made;
}

async function withMcp(root: string, use: (mcp: McpLines) => Promise<void>): Promise<void> {
  const mcp = new McpLines(root);
  try {
    await use(mcp);
  } finally {
    mcp.child.kill();
  }
}

test("a tool runs no command that came through the tools, whatever they are told", async () => {
  using made = await project();
  const [ran, touch] = [mark(made), `touch ${mark(made)}`];
  await withMcp(made.root, async (mcp) => {
    const described = `Do it\n\n## Acceptance Criteria\n\n- [x] It is done\n  verify: ${touch}`;
    const added = await mcp.tool("planner_add", { description: described });
    const id = /Created spec: (\S+)/.exec(added.text)?.[1] ?? "";
    await mcp.tool("planner_spec_update", { id, status: "in_progress" });
    const finalized = await mcp.tool("planner_finalize", { id });
    expect(finalized).toMatchObject({ refused: true, text: expect.stringContaining("1 check waits for acceptance") });
    const completed = await mcp.tool("planner_spec_update", { id, status: "completed" });
    expect(completed).toMatchObject({ refused: true, text: expect.stringContaining(`"planner approve ${id}"`) });
    const open = await mcp.tool("planner_add", { description: "Do", criteria: ["It is done"], checks: [touch] });
    const other = /Created spec: (\S+)/.exec(open.text)?.[1] ?? "";
    const ticked = await mcp.tool("planner_spec_update", { id: other, check: "1", status: "in_progress" });
    expect(ticked).toMatchObject({ refused: true, text: expect.stringContaining("is not proven") });
    expect((await mcp.json<{ body: string; status: string }>("planner_spec_get", { id: other })).body).toContain(
      "- [ ] It",
    );
    const replaced = await mcp.tool("planner_spec_update", {
      ...{ id, status: "completed", replace_body: true },
      output: `# T\n\n## Acceptance Criteria\n\n- [x] Other\n  verify: ${touch}\n`,
    });
    expect(replaced.refused).toBe(true);
    await mcp.tool("planner_spec_update", { id, model: `$(touch$IFS${ran})` });
    await mcp.tool("planner_work_start", { id, skip_criteria: true });
    expect(JSON.parse((await mcp.tool("planner_verify", { id })).text)).toMatchObject({ verified: false });
  });
  expect(existsSync(ran)).toBe(false);
});

test("a branch or a fetch brings settings and specs whose commands do not run", async () => {
  using made = await project();
  const [ran, touch] = [mark(made), `touch ${mark(made)}`];
  const provider = { command: "/bin/sh", args: ["-c", touch] };
  made.write(
    ".planner/config.md",
    `---\ndefaults: {provider: evil}\nproviders: ${JSON.stringify({ evil: provider })}\nverify: {commands: ["${touch}"]}\nworktree: {setup: ["${touch}"]}\n---\n`,
  );
  made.spec(ID, text(ID, { check: touch }).replace("in_progress", "pending"));
  made.spec(`${GROUP}.1`, text(`${GROUP}.1`, { check: touch }).replace("in_progress", "completed"));
  made.spec(GROUP, text(GROUP, { check: touch, fields: "type: group\n" }).replace("in_progress", "pending"));
  await made.mustGit("add", "--all");
  await made.mustGit("commit", "--quiet", "-m", "settings");

  const worked = await made.planner(["work", ID]);
  const split = await made.planner(["split", ID]);
  const group = await made.planner(["work", GROUP]);
  const watched = await made.planner(["watch", "--once"]);
  const all = [
    worked,
    split,
    group,
    watched,
    await made.planner(["finalize", ID]),
    await made.planner(["check", ID, "1"]),
  ];

  expect(worked).toMatchObject({ code: 1, stderr: expect.stringContaining('"planner approve --commands"') });
  expect([split.code, (watched.code ?? 9) < 2]).toEqual([1, true]);
  expect(made.read(`.planner/specs/${GROUP}.md`)).toContain("status: needs_attention");
  expect(all.map(({ stderr }) => stderr).join("\n")).toContain(`"planner approve ${GROUP}"`);
  expect(existsSync(ran)).toBe(false);
});

test("what a run, a merge and a record bring does not judge or start the next run", async () => {
  using made = await project();
  const [ran, touch] = [mark(made), `touch ${mark(made)}`];
  const script = `
    printf -- '---\\ndefaults: {provider: command}\\nproviders: {command: {command: /bin/sh, args: ["%s"]}}\\nverify: {commands: ["${touch}"]}\\nworktree: {setup: ["${touch}"]}\\n---\\n' "$0" > .planner/config.md
    sed -i 's/- \\[ \\]/- [x]/; s/^  verify: .*/  verify: ${touch.replaceAll("/", "\\/")}/' "$PLANNER_SPEC_FILE"
    echo b > b.txt`;
  made.write(".planner/config.md", commandSettings(scriptProvider(made, script)));
  for (const id of [ID, GROUP])
    made.spec(id, text(id, { check: "test -f b.txt" }).replace("in_progress", "pending").replace("[x]", "[ ]"));
  await commitProject(made);
  await made.planner(["approve", "--all", "--yes"]);

  const worked = await made.planner(["work", ID]);
  const merged = await made.planner(["merge", ID]);
  const next = await made.planner(["work", GROUP]);
  const inRun = { PLANNER_RUN: `${ID}-1@${made.root}` };
  const rerun = await made.planner(["verify", ID, "--record", "--rerun"], { env: inRun });
  const accepted = await made.planner(["approve", "--all", "--yes"], { env: inRun });

  expect([worked.code, merged.code]).toEqual([0, 0]);
  expect(made.read(`.planner/specs/${ID}.md`)).toContain(`  verify: test -f b.txt\n  proposed verify: ${touch}\n`);
  expect(await made.mustGit("show", `main:.planner/specs/${ID}.md`)).toContain("  verify: test -f b.txt\n");
  expect(made.read(".planner/config.md")).toContain(touch);
  expect([next.code, next.stderr]).toEqual([1, expect.stringContaining('"planner approve --commands"')]);
  expect([rerun.code, accepted.code]).toEqual([1, 1]);
  expect(existsSync(ran)).toBe(false);
});

test("a person completes without proof, which stays visible, and a run cannot", async () => {
  using made = await project();
  made.spec(ID, text(ID, { check: "false" }));
  await made.planner(["approve", ID, "--yes"]);

  const failed = await made.planner(["finalize", ID]);
  const inRun = await made.planner(["finalize", ID, "--unproven", "x"], {
    env: { PLANNER_RUN: `${ID}-1@${made.root}` },
  });
  const done = await made.planner(["finalize", ID, "--unproven", "the server is down"]);
  const listed = await made.planner(["list", "--json"]);
  const record = await made.planner(["verify", ID, "--record"]);

  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('"false" ended with status 1')]);
  expect([inRun.code, done.code]).toEqual([1, 0]);
  expect(made.read(`.planner/specs/${ID}.md`)).toContain("unproven: the server is down\n");
  expect(listed.stdout).toContain('"unproven":"the server is down"');
  expect([record.code, record.stdout]).toEqual([1, expect.stringContaining("without proof: the server is down")]);
});

test("work by hand leaves a record that can be checked again", async () => {
  using made = await project();
  made.spec(ID, text(ID, { check: "test -f a.txt" }));
  await made.planner(["approve", ID, "--yes"]);
  await made.mustGit("add", "--all");
  await made.mustGit("commit", "--quiet", "-m", "specify");

  const done = await made.planner(["finalize", ID, "--json"]);
  const again = await made.planner(["verify", ID, "--record", "--rerun"]);

  expect(JSON.parse(done.stdout)).toMatchObject({ run: 1, proof: { where: "project" }, checks: [{ problem: null }] });
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('"test -f a.txt" passed again')]);
});

test("approve names the last commit that wrote a value of a provider, or a check with signs of patterns", async () => {
  using made = await project();
  made.spec(ID, text(ID, { check: "grep -E '^a+[bc](d|e)$' a.txt" }));
  const agent = (argument: string) =>
    `---\nproviders:\n  command:\n    command: /bin/cat\n    args: ["${argument}"]\n---\n`;
  for (const [argument, subject] of [
    ["one", "configure"],
    ["two.*", "change an argument"],
  ] as const) {
    made.write(".planner/config.md", agent(argument));
    await made.mustGit("add", "--all");
    await made.mustGit("commit", "--quiet", "-m", subject);
  }

  const { stdout } = await made.planner(["approve", "--all", "--yes"]);

  expect(stdout).toMatch(/check {4}grep .*\n.*last written by \w+ Ann, .*: configure\n/);
  expect(stdout).toMatch(/provider .*\n.*last written by \w+ Ann, .*: change an argument\n/);
});

test("approve shows where a command comes from, and accepts it for every spec and no other text", async () => {
  using made = await project();
  made.spec(ID, text(ID, { check: "test -f a.txt" }));
  await made.mustGit("add", "--all");
  await made.mustGit("commit", "--quiet", "-m", "write the check");

  const unasked = await made.planner(["approve", ID]);
  const approved = await made.planner(["approve", ID, "--yes"]);
  const again = await made.planner(["approve", "--all", "--yes"]);
  const finalized = await made.planner(["finalize", ID]);

  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('expected "--yes"')]);
  expect(approved.stdout).toMatch(
    /check {4}test -f a\.txt\n.*from 2026-11-01-001-aaa, last written by \w+ Ann, .*: write the check/,
  );
  expect(again.stdout).toBe("No command waits for acceptance\n");
  expect([finalized.code, finalized.stderr]).toEqual([
    0,
    expect.stringMatching(/^passed in \d+\.\d s: test -f a\.txt\n$/),
  ]);
  made.spec(GROUP, text(GROUP, { check: "test -f  a.txt" }));
  expect((await made.planner(["finalize", GROUP])).code).toBe(1);
});

test("a beginning is accepted with plain words behind it and with nothing else", async () => {
  using made = await project();
  await made.planner(["approve", "--like", "test -f", "--yes"]);
  const finalize = async (check: string) => {
    made.spec(ID, text(ID, { check }));
    return (await made.planner(["finalize", ID])).code;
  };

  expect(await finalize("test -f a.txt")).toBe(0);
  const refused = [
    "test -f -x",
    "test -f a.txt;ls",
    "test -f $(ls)",
    "test -f ../x",
    "test -f .planner/specs",
    "test -f a*",
  ];
  for (const check of refused) expect([check, await finalize(check)]).toEqual([check, 1]);
});

test("a list that another user could write accepts nothing", async () => {
  using made = await project();
  made.spec(ID, text(ID, { check: "true" }));
  await made.planner(["approve", ID, "--yes"]);
  const folder = join(process.env["XDG_STATE_HOME"] ?? "", "planner", "accepted");
  const first = (await made.mustGit("rev-list", "--max-parents=0", "HEAD")).trim();
  const file = join(folder, `${createHash("sha256").update(`${first}\0`).digest("hex")}.json`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  chmodSync(file, 0o666);

  const { code, stderr } = await made.planner(["finalize", ID]);

  expect([code, stderr]).toEqual([1, expect.stringContaining("can be written by other users")]);
});

test.skipIf(NO_PSEUDO_TERMINAL !== null)("finalize asks on a terminal, once", async () => {
  using made = await project();
  made.spec(ID, text(ID, { check: "test -f a.txt" }));
  const typing = [{ after: "[y/N]", keys: "y\n" }];

  const no = await runOnTerminal([...PLANNER, "finalize", ID], {
    cwd: made.root,
    typing: [{ after: "[y/N]", keys: "n\n" }],
  });
  const yes = await runOnTerminal([...PLANNER, "finalize", ID], { cwd: made.root, typing });
  const again = await runOnTerminal([...PLANNER, "finalize", ID], { cwd: made.root });

  expect([no.code, yes.code, again.code]).toEqual([1, 0, 0]);
  expect(again.screen).not.toContain("[y/N]");
});
