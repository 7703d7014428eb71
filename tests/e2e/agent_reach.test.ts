import { expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ID, OTHER, ScriptedProject } from "../support/misbehaving_agent.ts";
import { runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";
import { isRunning } from "../support/work_project.ts";

const INSIDE = "inside the run of spec";

test("an agent starts, ends and merges no work, by no command and no tool", async () => {
  using project = await ScriptedProject.make();
  const command = (line: string): string =>
    `planner ${line} 2>&1 | grep -q '${INSIDE}' || echo '${line}' >> "$out/allowed"`;
  const tool = (name: string, args: string): string => {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: JSON.parse(args) } };
    // Without the variable, as agents start it that keep their environment to themselves.
    return `echo '${JSON.stringify(call)}' | PLANNER_RUN= planner mcp | grep -q '${INSIDE}' || echo ${name} >> "$out/allowed"`;
  };
  const commands = ["work", "split", "pause", "takeover", "archive", "merge"].map((word) =>
    command(`${word} ${OTHER}`),
  );
  const other = `{"id":"${OTHER}"}`;
  const tools = [
    ...["work_start", "split", "pause", "takeover", "archive"].map((name) => tool(`planner_${name}`, other)),
    ...["watch_start", "watch_stop"].map((name) => tool(`planner_${name}`, "{}")),
  ];

  const { stdout } = await project.work(
    [
      "save a; tick",
      ...commands,
      command("watch --once"),
      `cd "$PLANNER_PROJECT"; ${command(`work ${OTHER}`)}; cd "$PLANNER_WORKTREE"`,
      ...tools,
      `planner update ${OTHER} --status completed && echo status >> "$out/allowed"`,
      // The tests of a project that uses planner may start what they like.
      'mkdir -p "$out/mine/.planner/specs"; (cd "$out/mine"; planner watch --once && echo ran > "$out/own")',
    ].join("\n"),
  );

  expect(stdout).toBe(`${ID}: completed\n`);
  expect(project.seen().toSorted()).toEqual(["mine", "own"]);
  expect(project.status(OTHER)).toBe("pending");
});

const PLANTS: Readonly<Record<string, string>> = {
  "hook post-checkout was added": `printf '#!/bin/sh\\ntouch "$HERE/ran"\\n' > "$git/hooks/post-checkout"; chmod +x "$git/hooks/post-checkout"`,
  "hook pre-commit was added": `printf '#!/bin/sh\\ntouch "$HERE/ran"\\n' > "$git/hooks/pre-commit"; chmod +x "$git/hooks/pre-commit"`,
  "setting core.fsmonitor was added": `git config core.fsmonitor "touch $HERE/ran; false"`,
  "setting core.hookspath was added": `mkdir -p "$HERE/hooks"; cp "$0" "$HERE/hooks/pre-commit"; git config core.hooksPath "$HERE/hooks"`,
  "setting include.path was added": `printf '[core]\\n fsmonitor = touch %s/ran\\n' "$HERE" > "$git/more"; git config include.path more`,
  "setting filter.x.clean was added": `git config filter.x.clean "touch $HERE/ran; cat"; echo '* filter=x' > "$git/info/attributes"`,
  "setting alias.status was added": `git config alias.status "!touch $HERE/ran"`,
  "alternates was added": `mkdir "$HERE/objects"; echo "$HERE/objects" > "$git/objects/info/alternates"`,
};

test.each(Object.entries(PLANTS))("what an agent plants is run by no git of planner's: %s", async (says, plant) => {
  using project = await ScriptedProject.make();
  const script = `save a; tick; HERE=$out; git=$(git rev-parse --git-common-dir); ${plant}`;

  const { stdout } = await project.work(script);
  const merge = await project.planner("merge", ID);
  await project.planner("watch", "--once");
  const doctor = await project.planner("doctor", "--fix");

  expect(stdout).toMatch(
    new RegExp(`^${ID}: needs_attention: what git runs here has changed during the run: .*${says}`),
  );
  expect(merge.stderr).toContain(says);
  expect(doctor.stdout).toContain(`${says} during its run`);
  if (!says.includes("alias")) {
    const { stderr } = await project.planner("work", OTHER);
    expect(stderr).toContain(`the run of ${ID} has changed what git runs in every checkout: `);
  }
  expect(project.seen()).not.toContain("ran");
  expect(await project.keeps("a")).toBe(true);
  // Undone as advised.
  const advice = [...doctor.stdout.matchAll(/undo it with: (.*); if it is yours, remove (.*)$/gm)];
  for (const [, undo = ""] of advice) expect([undo, (await project.sh(undo)).code]).toEqual([undo, 0]);
  expect((await project.planner("merge", ID)).stdout).toStartWith(`Merged spec: ${ID}`);
  expect(project.seen()).not.toContain("ran");
});

test("what an agent planted runs where a person allows it, and the next run begins", async () => {
  using project = await ScriptedProject.make();
  await project.work("save a; tick; git config filter.x.clean cat");

  await project.sh(`rm .planner/worktrees/${ID}.git.json`);

  expect((await project.planner("merge", ID)).stdout).toStartWith(`Merged spec: ${ID}`);
  expect((await project.planner("doctor")).stdout).toStartWith("Nothing found\n");
});

test("a person who installs a hook manager after a kill is told what to do, and the next runs begin then", async () => {
  using project = await ScriptedProject.make();
  project.script("save a; kill -9 $PPID; sleep 60");
  await project.planner("work", ID);
  // As husky does.
  await project.sh(`mkdir -p .husky/_; printf '#!/bin/sh\\n' > .husky/_/pre-commit; chmod +x .husky/_/pre-commit
    echo '*' > .husky/_/.gitignore; git config core.hooksPath .husky/_`);
  project.script("save b; tick");

  const refused = await project.planner("work", OTHER);
  const doctor = await project.planner("doctor", "--fix");
  const file = /setting core\.hookspath was added .*\n.*; if it is yours, remove (\S+)$/m.exec(doctor.stdout)?.[1];
  await project.sh(`rm ${file}`);

  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`or remove ${file} if it is yours`)]);
  expect((await project.planner("work", OTHER)).stdout).toBe(`${OTHER}: completed\n`);
  expect((await project.planner("work", ID)).stdout).toBe(`${ID}: completed\n`);
  expect((await project.planner("merge", "--all")).code).toBe(0);
  expect(await project.git("log", "--format=%s", "main")).toContain(`planner(${ID}): a`);
});

test("children that ignore SIGTERM end with the run, wherever they went", async () => {
  using project = await ScriptedProject.make();
  const child = `trap "" TERM; echo $$ > "$out/child"; while :; do sleep 1; done`;

  const { stdout } = await project.work(
    `save a; tick; trap "" TERM; export out; setsid sh -c '${child}' & while [ ! -s "$out/child" ]; do sleep 0.01; done`,
  );

  expect(stdout).toBe(`${ID}: completed\n`);
  expect(isRunning(Number(readFileSync(join(project.root, "../child"), "utf8")))).toBe(false);
});

test("nothing in an agent's environment leads it out of its worktree", async () => {
  using project = await ScriptedProject.make();
  const { root } = project;
  // As a shell, a hook of git and a run of npm in the project leave them.
  project.env = {
    ...{ PWD: root, OLDPWD: root, GIT_DIR: join(root, ".git"), GIT_WORK_TREE: root },
    ...{ GIT_INDEX_FILE: join(root, ".git/index"), GIT_PREFIX: "", GIT_COMMON_DIR: join(root, ".git") },
  };

  const { stdout } = await project.work(`save a; tick
    # A shell puts its own PWD right: what it was given is what other programs get.
    [ ! -r /proc/$$/environ ] || tr '\\0' '\\n' < /proc/$$/environ | grep '^\\(OLD\\)\\?PWD=' | grep -vxF "PWD=$PLANNER_WORKTREE" >> "$out/led"
    [ "$(git rev-parse --show-toplevel)" = "$PLANNER_WORKTREE" ] || git rev-parse --show-toplevel >> "$out/led"
    env | grep '^GIT_\\(DIR\\|WORK_TREE\\|INDEX_FILE\\|COMMON_DIR\\)=' >> "$out/led"; [ -s "$out/led" ] || rm "$out/led"`);

  expect(stdout).toBe(`${ID}: completed\n`);
  expect(project.seen()).toEqual([]);
  expect(project.has("a.txt")).toBe(false);
  expect(await project.git("status", "--porcelain", "--untracked-files=no")).toBe(` M .planner/specs/${ID}.md\n`);
});

test("an agent that deletes the project's own .planner loses no commit, and the run ends", async () => {
  using project = await ScriptedProject.make();

  const { code, stderr } = await project.work('save a; rm -rf "$PLANNER_PROJECT/.planner"');

  expect(code).toBe(1);
  expect(stderr).not.toContain("defect");
  expect(await project.git("show", `planner/${ID}:a.txt`)).toBe("the work in a\n");
});

test("a run speaks for its own spec: others come back, a new one is pending, their planning stays", async () => {
  using project = await ScriptedProject.make();
  const third = "2026-11-01-003-ccc";
  const before = project.read(`.planner/specs/${OTHER}.md`);

  await project.work(`save a; tick; cd .planner/specs
    sed 's/${OTHER}/${third}/; s/pending/completed/' ${OTHER}.md > ${third}.md
    sed -i 's/status: pending/status: completed/; s/labels: .work./labels: [work, soon]/; s/It is done/It is/' ${OTHER}.md
    git add . && git commit -q -m "planner($id): others"`);
  const merge = await project.planner("merge", ID);

  expect(merge.stdout).toStartWith(`Merged spec: ${ID}`);
  expect(merge.stderr).toContain(`"${`.planner/specs/${OTHER}.md`}" is not this run's spec`);
  expect(project.read(`.planner/specs/${OTHER}.md`)).toBe(before.replace("[work]", "[work, soon]"));
  expect(project.status(third)).toBe("pending");
  expect(await project.git("status", "--porcelain")).toBe("");
});

test("a later run's prompt says why the one before did not complete, and what it left", async () => {
  using project = await ScriptedProject.make();
  await project.work("save a; echo half > half.txt; exit 3");

  const { stdout } = await project.work('cat > "$out/prompt"; git add -A; git commit -q -m rest; tick');

  expect(stdout).toBe(`${ID}: completed\n`);
  const prompt = readFileSync(join(project.root, "../prompt"), "utf8");
  expect(prompt).toContain("## An earlier run");
  expect(prompt).toMatch(/It ended so: .*the agent ended with status 3/);
  expect(prompt).toContain("commits are on this branch: git log main..HEAD");
  expect(prompt).toContain("not committed: half.txt");
});

test("init denies what accepts commands in settings of claude that are there, and keeps every byte of them", async () => {
  using project = tempProject();
  const init = (...words: readonly string[]) => runPlanner(["init", ...words], { cwd: project.root });
  const file = ".claude/settings.json";
  const own = `{
  // Mine.
  "permissions": {
    "allow": ["Bash(npm test)"], /* fast */
    "deny": [
      "Read(.env)", // secrets
      "Bash(planner trust:*)",
    ],
  },
  "model": "opus"
}
`;
  project.write(file, own.replaceAll("\n", "\r\n"));

  const first = await init("--agent", "claude");
  const second = await init("--agent", "claude");

  const line = '      "Bash(planner trust:*)",\n';
  const extended = own.replace(line, `${line}      "Bash(planner approve:*)",\n`);
  expect(project.read(file)).toBe(extended.replaceAll("\n", "\r\n"));
  expect(first.stdout).toContain(`extended ${file} (denies planner approve and planner trust)\n`);
  expect([first.code, second.code, second.stdout]).toEqual([
    0,
    0,
    expect.stringContaining(`kept ${file} (already there)`),
  ]);

  project.write(file, '{"permissions": {"deny": "all"}}');
  const unfit = await init("--agent", "claude");
  expect([unfit.code, unfit.stderr]).toEqual([1, expect.stringContaining(`"${file}": "permissions.deny" is no list`)]);
  rmSync(join(project.root, file));
  await init("--agent", "claude");
  expect(existsSync(join(project.root, file))).toBe(false);
  await init("--agent", "claude", "--guide");
  const deny = ["Bash(planner approve:*)", "Bash(planner trust:*)"];
  expect(JSON.parse(project.read(file))).toEqual({ permissions: { deny } });
});
