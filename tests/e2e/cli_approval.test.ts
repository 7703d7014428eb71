import { expect, test } from "bun:test";
import { type RunResult, runPlanner } from "../support/planner_command.ts";
import { sleeper } from "../support/sleeper.ts";
import { projectOfEachTest } from "../support/test_project.ts";

const ID = "2026-11-01-001-abc";
const HEAD = "---\n# kept\nstatus:   pending\napproval:\n  required: true # by the team\nlabels: [a]\n---\n";
const TEXT = `${HEAD}\n# Paint the door\n\n- [ ] Red\n`;

const project = projectOfEachTest((made) => made.spec(ID, TEXT));

function run(...words: readonly string[]): Promise<RunResult> {
  return runPlanner(words, { cwd: project.root });
}

function specText(): string {
  return project.read(`.planner/specs/${ID}.md`);
}

async function readyIds(): Promise<readonly string[]> {
  const { specs } = JSON.parse((await run("ready", "--json")).stdout) as { specs: { id: string }[] };
  return specs.map(({ id }) => id);
}

test("approve frees a spec that waits for it and writes who and when", async () => {
  const before = await readyIds();

  const { code, stdout } = await run("approve", "abc", "--by", "Ann Lee", "--json");

  const { at, ...decided } = JSON.parse(stdout) as { at: string };
  expect({ code, decided }).toEqual({ code: 0, decided: { spec_id: ID, approval: "approved", by: "Ann Lee" } });
  expect(before).toEqual([]);
  expect(await readyIds()).toEqual([ID]);
  const text = specText();
  expect(text).toContain("# kept\nstatus:   pending\napproval:\n  required: true # by the team\n");
  expect(text).toContain("labels: [a]\n---\n\n# Paint the door\n\n- [ ] Red\n");
  expect(text).toEndWith(`- [ ] Red\n\n## Approval Discussion\n\n**Approved** by Ann Lee, ${at}\n`);
  expect((await run("lint")).code).toBe(0);
});

test("reject quotes its reason so that nothing in it counts as the spec's own text", async () => {
  const reason = "Too vague\n\n## Acceptance Criteria\n- [x] none\n```\n";

  const { code, stdout } = await run("reject", "abc", "--by", "Bo", "--reason", reason);

  expect({ code, stdout }).toEqual({ code: 0, stdout: `Rejected spec: ${ID} (by Bo)\n` });
  expect(specText()).toContain("> Too vague\n>\n> ## Acceptance Criteria\n> - [x] none\n> ```\n");
  expect(await readyIds()).toEqual([]);
  const { criteria } = JSON.parse((await run("verify", ID, "--json")).stdout) as { criteria: unknown };
  expect(criteria).toEqual({ total: 1, checked: 0, unchecked: 1 });
});

test("approve after a rejection goes on in the same section, before what follows it", async () => {
  await run("reject", ID, "--by", "Bo", "--reason", "Too vague");
  await run("update", ID, "--output", "words");

  const { code } = await run("approve", ID, "--by", "Bo", "--reason", "Clear now");

  const text = specText();
  expect(code).toBe(0);
  expect(text.match(/^## Approval Discussion$/gm)).toHaveLength(1);
  expect(text).toMatch(/\n> Too vague\n\n\*\*Approved\*\* by Bo, \S+\n\n> Clear now\n\n## Output\n\nwords\n$/);
  expect(text.match(/^ {2}status: \w+$/gm)).toEqual(["  status: approved"]);
});

test("approve and reject refuse where nothing is to be decided, and write nothing", async () => {
  const free = "2026-11-01-002-fre";
  const done = "2026-11-01-003-don";
  project.spec(free, "---\nstatus: pending\n---\n# Free\n");
  project.spec(done, "---\nstatus: completed\napproval: {required: true}\n---\n# Done\n");
  await run("approve", ID, "--by", "Ann");
  const before = specText();

  const twice = await run("approve", ID, "--by", "Bo");
  const unneeded = await run("approve", free, "--by", "Bo");
  const late = await run("reject", done, "--by", "Bo", "--reason", "No");

  expect(twice.stderr).toBe(`error: Spec '${ID}' is already approved by Ann\n`);
  expect(unneeded.stderr).toBe(
    `error: Spec '${free}' needs no approval: set "approval.required" to true where it shall\n`,
  );
  expect(late.stderr).toBe(`error: Spec '${done}' is completed: there is nothing left to decide\n`);
  expect([twice.code, unneeded.code, late.code]).toEqual([1, 1, 1]);
  expect(specText()).toBe(before);
});

test("approve and reject ask for a name, and reject for a reason", async () => {
  const words = [
    ["approve", ID],
    ["approve", ID, "--by", "two\nlines"],
    ["reject", ID, "--by", "Ann"],
    ["reject", ID, "--by", "Ann", "--reason", "  "],
  ];

  const answers = [];
  for (const line of words) answers.push(await run(...line));

  expect(answers.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  expect(answers.map(({ stderr }) => stderr)).toEqual([
    'error: Missing "--by <name>": who approves\n',
    "error: Invalid name of who decides: expected one line of text\n",
    'error: Missing "--reason <text>": why\nRun `planner reject --help` for its arguments and flags\n',
    "error: Missing reason of the rejection: expected a text\n",
  ]);
  expect(specText()).toBe(TEXT);
});

test("reject refuses while a process works on the spec", async () => {
  await using worker = sleeper();
  project.write(`.planner/locks/${ID}.lock`, String(worker.pid));

  const { code, stderr } = await run("reject", ID, "--by", "Ann", "--reason", "No");

  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `error: Cannot reject spec '${ID}': process ${worker.pid} is working on it\n`,
  });
});
