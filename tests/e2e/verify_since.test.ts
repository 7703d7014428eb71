import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type GitProject, gitProject } from "../support/git_project.ts";

const id = (number: number): string => `2026-11-01-${String(number).padStart(3, "0")}-aaa`;
const HOSTILE = 'A | <img src=x> [b](https://e.example) `c` \u001b[31m & "d"';

function spec(number: number, criteria: string, { done = false, title = "T" } = {}): string {
  const status = done ? "completed" : "in_progress";
  return `---\nid: ${id(number)}\nstatus: ${status}\n---\n\n# ${title}\n\n## Acceptance Criteria\n\n${criteria}\n`;
}

const check = (command: string, label = "It is done"): string => `- [x] ${label}\n  verify: ${command}`;

/** Before the change: checks that a person wrote. */
const BEFORE: Readonly<Record<number, string>> = {
  1: check("sh t/1.sh"),
  2: check("test -f two.txt"),
  3: check("test -f three.txt"),
  4: check("test -f four.txt"),
  6: check("sh t/6.sh"),
  7: "- [x] It is done",
  8: check("test -f kept.log"),
  10: check("test -f one.txt"),
  11: check("sh -c 'exit 9'"),
};

/** The specs that the change words otherwise, and those that it adds. */
const AFTER: Readonly<Record<number, string>> = {
  3: check("true"),
  4: "- [x] It is nearly done",
  5: check("touch added.txt"),
};

async function changed(): Promise<GitProject> {
  const made = await gitProject();
  const { mustGit, write } = made;
  write(".gitignore", "*.log\n");
  write("t/1.sh", "test -f one.txt\n");
  write("t/6.sh", "test -f six.txt\n");
  write(".planner/config.md", "---\nverify: {protect: []}\n---\n");
  for (const [number, criteria] of Object.entries(BEFORE))
    made.spec(id(Number(number)), spec(Number(number), criteria));
  made.spec(id(9), spec(9, check("false"), { done: true }));
  await mustGit("add", "--all");
  await mustGit("commit", "--quiet", "-m", "begin");
  await mustGit("branch", "base");
  write("one.txt", "1\n");
  write("t/6.sh", "exit 0\n");
  write("kept.log", "here alone\n");
  for (const [name, criteria] of Object.entries({ ...BEFORE, ...AFTER })) {
    const number = Number(name);
    if (number === 11) continue;
    made.spec(id(number), spec(number, criteria, { done: true, title: number === 2 ? HOSTILE : `Spec ${number}` }));
  }
  await mustGit("add", "--all");
  await mustGit("commit", "--quiet", "-m", "change");
  return made;
}

/** Keeps a record for one spec that is about another. */
async function fakeRecord({ mustGit, write }: GitProject, number: number): Promise<void> {
  write("record.json", JSON.stringify({ spec_id: id(1), status: "completed", head: "0".repeat(40) }));
  await mustGit("add", "record.json");
  const tree = (await mustGit("write-tree")).trim();
  await mustGit("rm", "--quiet", "--force", "record.json");
  const commit = (await mustGit("commit-tree", tree, "-p", "HEAD", "-m", "record")).trim();
  await mustGit("update-ref", `refs/planner/runs/${id(number)}/1`, commit);
}

interface Answer {
  readonly specs: readonly {
    readonly spec_id: string;
    readonly verdict: string;
    readonly proposed: readonly { readonly change: string; readonly command: string }[];
  }[];
}

const verdicts = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries((JSON.parse(text) as Answer).specs.map(({ spec_id, verdict }) => [spec_id, verdict]));

test("a change is judged by the checks, files and commits that it does not decide about", async () => {
  using made = await changed();
  await fakeRecord(made, 10);
  const summary = join(made.root, "summary.md");

  const judged = await made.planner(["verify", "--since", "base", "--json", "--junit", "junit.xml"], {
    env: { GITHUB_STEP_SUMMARY: summary },
  });
  const head = await made.planner(["verify", "--since", "base", "--json", "--checks", "head"]);

  const expected = {
    [id(1)]: "proven",
    [id(2)]: "disproven",
    [id(3)]: "disproven",
    [id(4)]: "disproven",
    [id(5)]: "proposed",
    [id(6)]: "edited",
    [id(7)]: "unchecked",
    [id(8)]: "disproven",
    [id(10)]: "disproven",
  };
  expect([judged.code, verdicts(judged.stdout)]).toEqual([1, expected]);
  expect(verdicts(head.stdout)).toEqual({ ...expected, [id(5)]: "proven" });
  const proposed = (JSON.parse(judged.stdout) as Answer).specs.flatMap((one) =>
    one.proposed.map(({ change, command }) => [one.spec_id, change, command]),
  );
  expect(proposed).toEqual([
    [id(3), "altered", "true"],
    [id(4), "dropped", "test -f four.txt"],
    [id(5), "added", "touch added.txt"],
  ]);
  expect(existsSync(join(made.root, "added.txt"))).toBe(false);

  const markdown = readFileSync(summary, "utf8");
  expect(markdown).toContain("9 specs completed between");
  expect(markdown).toContain("&#60;img src&#61;x&#62;");
  expect(markdown).not.toMatch(/<img|\]\(|`|:\/\/|\p{Cc}(?<!\n)/u);
  const xml = readFileSync(join(made.root, "junit.xml"), "utf8");
  expect(xml).toContain(`<testcase classname="${id(2)}" name="1: It is done"`);
  expect(xml).toContain('message="disproven: &quot;test -f two.txt&quot; ended with status 1"');
  expect(xml.match(/<testsuite /g)?.length).toBe(9);
});

test("a change passes with what is proven, and with what nobody could judge unless that is asked for", async () => {
  using made = await changed();
  await made.mustGit("reset", "--quiet", "--hard", "base");
  made.write("one.txt", "1\n");
  made.spec(id(1), spec(1, BEFORE[1] ?? "", { done: true }));
  await made.mustGit("add", "--all");
  await made.mustGit("commit", "--quiet", "-m", "work");
  const proven = await made.planner(["verify", "--since", "base", "--strict"]);
  made.spec(id(7), spec(7, BEFORE[7] ?? "", { done: true }));
  await made.mustGit("commit", "--quiet", "--all", "-m", "more");
  const lax = await made.planner(["verify", "--since", "base"]);
  const strict = await made.planner(["verify", "--since", "base", "--strict"]);
  const nothing = await made.planner(["verify", "--since", "HEAD", "--strict"]);

  expect([proven.code, lax.code, strict.code, nothing.code]).toEqual([0, 0, 1, 0]);
  expect(proven.stdout).toContain(`proven    ${id(1)}  T\n  proven    1: It is done: "sh t/1.sh" passed\n`);
  expect(nothing.stdout).toMatch(/^0 specs completed between (\w+) and \1\n$/);
});

test("checks of a spec that a change deletes, or whose file it breaks, do not get out of sight", async () => {
  using made = await changed();
  await made.mustGit("reset", "--quiet", "--hard", "base");
  await made.mustGit("rm", "--quiet", `.planner/specs/${id(1)}.md`, `.planner/specs/${id(7)}.md`);
  await made.mustGit("rm", "--quiet", `.planner/specs/${id(9)}.md`);
  made.write(`.planner/specs/${id(2)}.md`, "---\nstatus: [\n---\n");
  made.spec(id(3), spec(3, BEFORE[3] ?? "").replace("in_progress", "cancelled"));
  await made.mustGit("commit", "--quiet", "--all", "-m", "change");
  const judged = await made.planner(["verify", "--since", "base"]);
  const strict = await made.planner(["verify", "--since", "base", "--strict", "--json"]);

  expect([judged.code, judged.stdout]).toEqual([0, expect.stringMatching(/: 2 proposed\n$/)]);
  expect(judged.stdout).toContain(
    `proposed  ${id(1)}  T\n  proposed  1: It is done: "sh t/1.sh" is proposed\n  its status was in_progress, and the change deletes it\n  proposed: check dropped at "It is done": sh t/1.sh\n`,
  );
  expect(judged.stdout).toContain("its status was in_progress, and the change makes its file unreadable\n");
  expect([strict.code, verdicts(strict.stdout)]).toEqual([1, { [id(1)]: "proposed", [id(2)]: "proposed" }]);
});

test("an output is judged by the schema from before the change, and one from before the work does not count", async () => {
  using made = await gitProject();
  const text = (number: number, status: string, output: string): string =>
    `---\nid: ${id(number)}\nstatus: ${status}\noutput_schema: answer.json\n---\n\n# T\n\n- [x] It is done\n  verify: test -d .planner\n\n## Output\n\n${output}\n`;
  const settings = (strict: boolean): string =>
    `---\nvalidation: {strict_output_validation: ${strict}}\nverify: {protect: []}\n---\n`;
  const [old, other] = ['{"answer": "old"}', '{"other": 1}'];
  made.write(".planner/schemas/answer.json", '{"type": "object", "required": ["answer"]}');
  made.write(".planner/config.md", settings(true));
  for (const number of [1, 2, 3, 4]) made.spec(id(number), text(number, "pending", old));
  made.spec(id(3), text(3, "in_progress", old));
  await made.mustGit("add", "--all");
  await made.mustGit("commit", "--quiet", "-m", "begin");
  await made.mustGit("branch", "base");
  made.write(".planner/schemas/answer.json", "{}");
  made.write(".planner/config.md", settings(false));
  made.spec(id(1), text(1, "completed", old));
  made.spec(id(2), text(2, "completed", `${old}\n\n${other}`));
  made.spec(id(3), text(3, "completed", old));
  made.spec(id(4), text(4, "completed", `${old}\n\n{"answer": "new"}`));
  await made.mustGit("commit", "--quiet", "--all", "-m", "change");
  const judged = await made.planner(["verify", "--since", "base", "--json", "--junit", "junit.xml"]);
  await made.mustGit("checkout", "--quiet", "-b", "lax", "base");
  made.write(".planner/config.md", settings(false));
  await made.mustGit("commit", "--quiet", "--all", "-m", "lax");
  made.spec(id(1), text(1, "completed", old));
  await made.mustGit("commit", "--quiet", "--all", "-m", "change");
  const lax = await made.planner(["verify", "--since", "HEAD~1", "--strict"]);

  const expected = { [id(1)]: "disproven", [id(2)]: "disproven", [id(3)]: "proven", [id(4)]: "proven" };
  expect([judged.code, verdicts(judged.stdout)]).toEqual([1, expected]);
  expect(judged.stdout).toContain("Output validation failed (schema: answer.json); no JSON found in the output");
  const message = /name="output"[^>]*><failure message="disproven: Output validation failed .*missing required field/;
  expect(readFileSync(join(made.root, "junit.xml"), "utf8")).toMatch(message);
  expect([lax.code, lax.stdout]).toEqual([
    0,
    expect.stringContaining("Output validation failed (schema: answer.json)"),
  ]);
});

test("settings that a change brings decide about no verdict", async () => {
  using made = await changed();
  await made.mustGit("reset", "--quiet", "--hard", "base");
  made.write(".planner/config.md", '---\nworktree: {setup: ["touch two.txt"]}\n---\n');
  made.spec(id(2), spec(2, BEFORE[2] ?? "", { done: true }));
  await made.mustGit("commit", "--quiet", "--all", "-m", "change");

  const judged = await made.planner(["verify", "--since", "base", "--json"]);
  expect([judged.code, verdicts(judged.stdout)]).toEqual([1, { [id(2)]: "disproven" }]);
});

test("it refuses what names no commit, other questions beside it, and every run", async () => {
  using made = await changed();
  const refused = async (args: readonly string[], env = {}) => {
    const { code, stderr } = await made.planner(["verify", ...args], { env });
    return [code, stderr] as const;
  };

  expect(await refused(["--since", "gone"])).toEqual([
    2,
    expect.stringContaining('"gone" is no commit of this repository'),
  ]);
  expect(await refused(["--since", "--output=x"])).toEqual([2, expect.any(String)]);
  expect(await refused(["--since", "base", "--record"])).toEqual([2, expect.stringContaining("exclude each other")]);
  expect(await refused([id(1), "--since", "base"])).toEqual([2, expect.stringContaining('"--since" and <id>')]);
  expect(await refused([id(1), "--strict"])).toEqual([2, expect.stringContaining('"--strict" needs "--since <ref>"')]);
  expect(await refused(["--since", "base"], { PLANNER_RUN: `${id(1)}-1@${made.root}` })).toEqual([
    1,
    expect.stringContaining("Cannot verify a change in a run"),
  ]);
});
