import { expect, test } from "bun:test";
import { ID, ScriptedProject, THERE } from "../support/misbehaving_agent.ts";

/** Keeps what the agent is asked to do. */
const PROMPT = 'cp "$PLANNER_PROJECT/.planner/logs/$id.prompt.md" "$out/prompt" 2>/dev/null || cat > "$out/prompt"; ';

test("after a conflict the next run begins on the new base, with the conflict as its task", async () => {
  using project = await ScriptedProject.make();
  await project.work(
    "echo theirs > base.txt; git commit -q -a -m 'planner: base'; save a; tick; git commit -q -a -m 'planner: tick'",
  );
  await project.sh("echo ours > base.txt && git commit -q -m ours base.txt");
  const refused = await project.planner("merge", ID);
  const old = await project.git("rev-parse", `planner/${ID}`);

  const { stdout } = await project.work(`${PROMPT}
    git merge-base --is-ancestor main HEAD || exit 3
    grep -q '<<<<<<<' base.txt && test -e a.txt || exit 4
    echo both > base.txt; git add -A; git commit -q -m 'planner: settle'`);
  const prompt = project.read("../prompt");
  const merge = await project.planner("merge", ID);

  expect(refused.stderr).toContain(`or let an agent settle it: "planner work ${ID}"`);
  expect(stdout).toContain(`${ID}: completed`);
  expect(prompt).toContain("conflict markers in: base.txt");
  expect(prompt).not.toMatch(/planner (merge|work|finalize) /);
  expect(merge.stdout).toStartWith("Merged spec: ");
  expect([project.read("base.txt"), project.has("a.txt")]).toEqual(["both\n", true]);
  expect(await project.git("for-each-ref", "--format=%(objectname)", "refs/planner/kept")).toContain(old.trim());
});

test("a conflict that a person has settled is not begun anew", async () => {
  using project = await ScriptedProject.make();
  await project.work(
    "echo theirs > base.txt; git commit -q -a -m 'planner: base'; tick; git commit -q -a -m 'planner: tick'",
  );
  await project.sh("echo ours > base.txt && git commit -q -m ours base.txt");
  await project.planner("merge", ID);
  const there = `cd ${THERE}`;
  await project.sh(
    `${there} && git rebase -q main; echo both > base.txt && git add . && GIT_EDITOR=true git rebase --continue`,
  );

  const { stdout } = await project.work(`test "$(cat base.txt)" = both || exit 3`);

  expect(stdout).toContain(`${ID}: completed`);
  const merge = await project.planner("merge", ID);

  expect(merge.stdout + merge.stderr).toStartWith("Merged spec: ");
});

const STOPS: Readonly<Record<string, string>> = {
  "moved the main branch": "save a; git update-ref refs/heads/main HEAD",
  "left two ends": "save a; git checkout -q --detach HEAD~1; save b",
  "left a merge":
    "git branch -q mine; save a; git checkout -q mine; save b; git checkout -q -; git merge -q --no-commit mine",
  "left open criteria and changes": "echo x > x.txt",
  "changed a setting": "git config core.pager less",
  "deleted its spec": 'rm "$spec"',
};

for (const [name, does] of Object.entries(STOPS)) {
  test(`the prompt after a run that ${name} quotes no command that an agent is refused`, async () => {
    using project = await ScriptedProject.make();
    await project.work(does);

    await project.work(PROMPT);
    const again = project.seen().includes("prompt") ? project.read("../prompt") : "";

    const earlier = again.slice(Math.max(0, again.indexOf("## An earlier run")));
    expect(earlier).not.toMatch(/planner (?:merge|work|finalize|pause|archive|split|doctor) /);
    expect(earlier).not.toMatch(/git (?:update-ref|branch -m|reset --keep|config)/);
  });
}

test("an agent reads its log in the first run and in later ones", async () => {
  using project = await ScriptedProject.make();
  const read =
    'echo "printed $1"; until planner log "$id" | grep -q "printed $1"; do :; done; planner log "$id" > "$out/log$1"';

  await project.work(`set -- 1; ${read}`);
  await project.work(`set -- 2; ${read}`);

  expect(project.read("../log1")).toContain("printed 1");
  expect(project.read("../log2")).toMatch(/printed 1[\s\S]*printed 2/);
});

test("an agent whose shell hides the person's settings can commit", async () => {
  using project = await ScriptedProject.make();
  await project.sh(
    "git config --unset user.name; git config --unset user.email; printf '[user]\\nname = Ann\\nemail = ann@example.org\\n' > ../home",
  );
  project.env = { GIT_CONFIG_GLOBAL: `${project.root}/../home` };

  const { stdout } = await project.work(
    'for name in $(env | grep -o "^GIT_CONFIG[A-Z0-9_]*"); do unset $name; done; HOME=/nowhere; export HOME; save a; tick',
  );
  const author = await project.git("log", "-1", "--format=%an %ae %cn", `planner/${ID}~1`);

  expect(stdout).toContain(`${ID}: completed`);
  expect(author).toBe("Ann ann@example.org Ann\n");
});

test("the reason of a failure is the program's own error, and a spec that is gone is said so", async () => {
  using project = await ScriptedProject.make();

  const crash = await project.work("printf 'Error: no key\\n    at a (b:1:2)\\n\\nNode.js v20.1.0\\n' >&2; exit 1");
  const moved = await project.work('mkdir docs; git mv "$spec" docs/; git commit -q -m moved');
  const gone = await project.work(`save a; tick; rm "$PLANNER_PROJECT/.planner/specs/$id.md"`);

  expect(crash.stdout).toContain("the agent ended with status 1: it says: Error: no key");
  expect(moved.stdout).toContain(`moved its spec ".planner/specs/${ID}.md" to "docs/${ID}.md"`);
  expect(gone.stdout).toMatch(/is gone from the project since the run began: "cp (\S+) \S+" brings it back/);
  const command = /"(cp [^"]*)" brings it back/.exec(gone.stdout)?.[1] ?? "false";
  expect(await project.sh(command)).toMatchObject({ code: 0 });
  await project.sh(`cd ${THERE} && git rm -qf docs/*.md && git add -A && git commit -q -m back`);
  const merge = await project.planner("merge", ID);

  expect(merge.stdout + merge.stderr).toStartWith("Merged spec: ");
});
