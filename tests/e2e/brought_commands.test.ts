import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandSettings, commitProject, type GitProject, gitProject, scriptProvider } from "../support/git_project.ts";
import { runPlanner } from "../support/planner_command.ts";

const ID = "2026-11-01-001-aaa";
const OTHER = "2026-11-01-002-bbb";

interface MarkedProject extends GitProject {
  /** What a command of the agent's choice would make. */
  readonly ran: string;
  readonly agent: string;
}

/** A project with an agent that a person accepted, and one check: `test -f b.txt`. */
async function project(script = "echo b > b.txt"): Promise<MarkedProject> {
  const made = await gitProject();
  const ran = join(made.root, "..", `ran-${made.root.split("-").at(-1)}`);
  const provider = scriptProvider(made, `ran=${ran}\n${script}`);
  made.write(".planner/config.md", commandSettings(provider));
  made.spec(ID, spec(ID, "test -f b.txt"));
  await commitProject(made);
  await made.planner(["approve", "--all", "--yes"]);
  return { ...made, ran, agent: provider.args[0] ?? "" };
}

function spec(id: string, check: string, fields = ""): string {
  return `---\nid: ${id}\nstatus: pending\n${fields}---\n\n# T\n\n## Acceptance Criteria\n\n- [x] It is done\n  verify: ${check}\n`;
}

test("templates, prompts and schemas start nothing that they name", async () => {
  using made = await project();
  const { ran } = made;
  const evil = `$(touch ${ran}) \`touch ${ran}\` {{touch ${ran}}} !touch ${ran}`;
  made.write(
    ".planner/prompts/evil.md",
    `---\nsetup: touch ${ran}\n---\n\n${evil}\n\n- [ ] x\n  verify: touch ${ran}\n`,
  );
  made.write(".planner/templates/evil.md", spec(OTHER, `touch ${ran}`).replace(`id: ${OTHER}\n`, ""));
  made.write(".planner/schemas/evil.json", JSON.stringify({ $ref: `$(touch ${ran}).json`, $comment: evil }));
  const added = await made.planner(["add", "Use the template", "--template", "evil", "--json"]);
  const [id = ""] = /2\d{3}-\d\d-\d\d-\d{3}-\w{3}/.exec(added.stdout) ?? [];
  made.spec(OTHER, spec(OTHER, "test -f b.txt", "prompt: evil\noutput_schema: evil.json\n"));

  await made.planner(["update", id, "--status", "in_progress"]);
  const finalized = await made.planner(["finalize", id]);
  for (const words of [
    ["work", OTHER],
    ["work", ID],
    ["verify", OTHER],
  ])
    await made.planner(words);

  expect([finalized.code, finalized.stderr]).toEqual([1, expect.stringContaining("1 check waits for acceptance")]);
  expect(added.code).toBe(0);
  expect(existsSync(ran)).toBe(false);
});

test("an imported task brings checks that wait", async () => {
  using made = await project();
  const { ran } = made;
  const folder = join(made.root, "backlog", "tasks");
  mkdirSync(folder, { recursive: true });
  const body = `## Description\n\nDo it.\n\n## Acceptance Criteria\n\n- [x] It is done\n  verify: touch ${ran}\n`;
  writeFileSync(join(folder, "t-1 - Rope.md"), `---\nid: t-1\ntitle: Rope\nstatus: In Progress\n---\n\n${body}`);
  made.write(
    "foreign/2026-11-01-003-ccc.md",
    spec("2026-11-01-003-ccc", `touch ${ran}`).replace("pending", "in_progress"),
  );

  const tasks = await made.planner(["import", "backlog", "--json"]);
  const specs = await made.planner(["import", "foreign/2026-11-01-003-ccc.md"]);
  const finalized = await made.planner(["finalize", "2026-11-01-003-ccc"]);
  const checked = await made.planner(["check", "2026-11-01-003-ccc", "1"]);
  for (const { id } of (JSON.parse(tasks.stdout) as { readonly tasks: readonly { readonly id: string }[] }).tasks) {
    await made.planner(["finalize", id]);
  }

  expect([tasks.code, specs.code]).toEqual([0, 0]);
  for (const { code, stderr } of [finalized, checked]) {
    expect([code, stderr]).toEqual([1, expect.stringContaining("1 check waits for acceptance")]);
  }
  expect(existsSync(ran)).toBe(false);
});

test("a made-up record, or the record of another spec, runs no command that was not accepted", async () => {
  using made = await project();
  const { ran } = made;
  await made.planner(["work", ID]);
  const name = `refs/planner/runs/${ID}`;
  const real = await made.mustGit("show", `${name}/1:record.json`);
  const parents = (await made.mustGit("log", "-1", "--format=%P", `${name}/1`)).trim().split(" ");
  const forge = async (run: number, record: string): Promise<void> => {
    made.write("record.json", record);
    const blob = (await made.mustGit("hash-object", "-w", "record.json")).trim();
    rmSync(join(made.root, "record.json"));
    await made.mustGit("update-index", "--add", "--cacheinfo", `100644,${blob},record.json`);
    const tree = (await made.mustGit("write-tree")).trim();
    await made.mustGit("reset", "--quiet");
    const from = parents.flatMap((parent) => ["-p", parent]);
    const commit = (await made.mustGit("commit-tree", ...from, "-m", "record", tree)).trim();
    await made.mustGit("update-ref", `${name}/${run}`, commit);
  };
  expect(real).toContain("test -f b.txt");
  await forge(7, real.replaceAll("test -f b.txt", `touch ${ran}`));
  await forge(8, real.replaceAll("test -f b.txt", `touch ${ran}`).replaceAll(ID, OTHER));

  const forged = await made.planner(["verify", ID, "--record", "--rerun", "--run", "7"]);
  const foreign = await made.planner(["verify", ID, "--record", "--rerun", "--run", "8"]);

  expect([forged.code, foreign.code]).toEqual([1, 1]);
  expect(forged.stdout).toContain(`rerun     differs  not run, since nobody here has accepted "touch ${ran}"`);
  expect(foreign.stdout).toContain(`the record is about "${OTHER}"`);
  expect(existsSync(ran)).toBe(false);
});

test("the settings of a worktree and of another branch start nothing", async () => {
  using made = await project(`
    printf -- '---\\nverify: {commands: ["touch %s"]}\\nworktree: {setup: ["touch %s"], copy: ["*"], link: [".git"], symlink: ["/etc"]}\\n---\\n' "$ran" "$ran" > .planner/config.md
    echo b > b.txt`);
  const worked = await made.planner(["work", ID]);
  const worktree = join(made.root, made.tree(ID));
  const there = { cwd: worktree };
  const answers = [
    await made.planner(["finalize", ID], there),
    await made.planner(["check", ID, "1"], there),
    await made.planner(["work", ID], there),
    await made.planner(["verify", ID, "--record", "--rerun"]),
    await made.planner(["verify", ID, "--record", "--rerun"], there),
    await made.planner(["merge", ID]),
  ];
  await made.mustGit("checkout", "--quiet", "-b", "other");
  answers.push(await made.planner(["finalize", ID]), await made.planner(["verify", ID, "--record", "--rerun"]));

  expect(worked.code).toBe(0);
  expect(answers[3]).toMatchObject({ code: 0, stdout: expect.stringContaining('"test -f b.txt" passed again') });
  expect(existsSync(made.ran)).toBe(false);
});

test("a model's name that a tool sets is no command where a shell starts the agent", async () => {
  using made = await project();
  const { ran } = made;
  const provider = { command: "/bin/sh", args: ["-c", `: --model {model}; sh ${made.agent}`] };
  made.write(".planner/config.md", commandSettings(provider));
  await made.planner(["approve", "--all", "--yes"]);
  const names = [
    `x;touch\${IFS}${ran}`,
    `$(touch\${IFS}${ran})`,
    `\`touch\${IFS}${ran}\``,
    `x|tee<${ran}>${ran}`,
    `x\ntouch`,
  ];
  const answers = [];
  for (const model of names) {
    await callTool(made, "planner_spec_update", { id: ID, model });
    answers.push(await made.planner(["work", ID]));
  }
  await made.planner(["update", ID, "--model", "vendor/small-1:free[1m]"]);
  const honest = await made.planner(["work", ID]);

  for (const { code, stderr } of answers)
    expect([code, stderr]).toEqual([1, expect.stringContaining("is not a model's name")]);
  expect(honest.code).toBe(0);
  expect(existsSync(ran)).toBe(false);
});

test("checks that an agent proposes in a split wait for a person", async () => {
  using made = await project();
  const { ran } = made;
  const member = {
    ...{ title: "One", description: "Do it.", target_files: ["b.txt"], depends_on: [] },
    acceptance_criteria: [{ criterion: "It is done", verify: `touch ${ran}` }],
  };
  writeFileSync(
    made.agent,
    `cat <<'END'\n${JSON.stringify({ members: [member, { ...member, title: "Two" }] })}\nEND\n`,
  );
  const split = await made.planner(["split", ID]);
  const id = `${ID}.1`;
  const text = made.read(`.planner/specs/${id}.md`);
  await made.planner(["update", id, "--status", "in_progress"]);
  const checked = await made.planner(["check", id, "1"]);
  const completed = await made.planner(["update", id, "--status", "completed"]);

  expect([split.code, text]).toEqual([0, expect.stringContaining(`- [ ] It is done\n  verify: touch ${ran}\n`)]);
  for (const { code, stderr } of [checked, completed]) {
    expect([code, stderr]).toEqual([1, expect.stringContaining("1 check waits for acceptance")]);
  }
  expect(existsSync(ran)).toBe(false);
});

/** Sends one tool call to `planner mcp`, as an agent without a shell does. */
async function callTool(made: MarkedProject, name: string, args: object): Promise<string> {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  const { stdout } = await runPlanner(["mcp"], { cwd: made.root, input: `${JSON.stringify(call)}\n` });
  return stdout;
}

test("a provider's name that a tool or a spec sets starts no program but those of the settings", async () => {
  using made = await project();
  const { ran } = made;
  const names = [`touch ${ran}`, `/bin/sh -c "touch ${ran}"`, `../ran;touch ${ran}`, "constructor", "__proto__"];
  const answers = [];
  for (const provider of names) {
    await callTool(made, "planner_spec_update", { id: ID, provider });
    made.spec(ID, spec(ID, "test -f b.txt", `provider: ${JSON.stringify(provider)}\n`));
    answers.push(await callTool(made, "planner_work_start", { id: ID, provider }));
  }

  for (const answer of answers) expect(answer).toContain('"isError":true');
  expect(existsSync(ran)).toBe(false);
});

test("members of a group that tools made close no group by checks of their choice", async () => {
  using made = await project();
  const { ran } = made;
  const driver = spec(OTHER, "test -f b.txt", "type: group\n");
  made.spec(OTHER, driver);
  for (const number of [1, 2]) {
    const id = `${OTHER}.${number}`;
    made.spec(id, spec(id, `touch ${ran}`));
    await callTool(made, "planner_spec_update", { id, status: "in_progress" });
    await callTool(made, "planner_spec_update", { id, check: "1" });
    await callTool(made, "planner_finalize", { id });
    await callTool(made, "planner_spec_update", { id, status: "completed" });
  }
  const closed = await made.planner(["finalize", OTHER]);
  await made.planner(["work", OTHER]);

  expect(closed.code).toBe(1);
  for (const number of [1, 2])
    expect(made.read(`.planner/specs/${OTHER}.${number}.md`)).not.toContain("status: completed");
  expect(existsSync(ran)).toBe(false);
});

test("hooks, git settings and submodules that a merged branch brings start nothing", async () => {
  using made = await project();
  const { ran } = made;
  await made.mustGit("checkout", "--quiet", "-b", "theirs");
  for (const name of ["pre-commit", "post-checkout", "post-merge", "fsmonitor"]) {
    for (const folder of [".githooks", "hooks", ".planner/hooks"]) {
      made.write(`${folder}/${name}`, `#!/bin/sh\ntouch ${ran}\n`);
      chmodSync(join(made.root, folder, name), 0o755);
    }
  }
  made.write(
    ".gitconfig",
    `[core]\n\thooksPath = .githooks\n\tfsmonitor = touch ${ran}\n[alias]\n\tstatus = !touch ${ran}\n`,
  );
  made.write(".gitattributes", "*.md filter=evil diff=evil merge=evil\n");
  made.write(
    ".gitmodules",
    `[submodule "a"]\n\tpath = a\n\turl = ext::sh -c touch% ${ran}\n\tupdate = !touch ${ran}\n`,
  );
  await made.mustGit("add", "--all", "--force");
  await made.mustGit("commit", "--quiet", "-m", "theirs");
  await made.mustGit("checkout", "--quiet", "main");
  await made.mustGit("merge", "--quiet", "theirs");
  const worked = await made.planner(["work", ID]);
  for (const words of [["list"], ["lint"], ["doctor"], ["verify", ID], ["status"], ["merge", ID]])
    await made.planner(words);

  expect(worked.code).toBe(0);
  expect(existsSync(ran)).toBe(false);
});
