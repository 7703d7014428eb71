import { expect, test } from "bun:test";
import { describeChangedRules } from "#planner/runs/run/evidence.ts";
import { appendAgentOutput, mergeRunIntoProject } from "#planner/runs/run/write_end.ts";
import { judgeCriteria } from "#planner/work/acceptance.ts";
import { explainMissingWork, type WorkFacts } from "#planner/work/default_evidence.ts";
import { decideRunEnd, NO_EVIDENCE, type RunEvidence, type RunFacts } from "#planner/work/end_of_run.ts";

const CHECKED = { label: "It is done", checked: true, lost: false, verify: null };
const OPEN = { label: "It is tested", checked: false, lost: false, verify: null };

function run(facts: Partial<Omit<RunFacts, "evidence">> = {}, evidence: Partial<RunEvidence> = {}) {
  return decideRunEnd({
    ...{
      exit: { code: 0, signal: null },
      exitMeaning: null,
      limit: null,
      interrupted: false,
      status: "in_progress",
      ...facts,
    },
    evidence: { ...NO_EVIDENCE, ...evidence },
  });
}

test("decideRunEnd completes a spec whose agent ended well and left the evidence", () => {
  expect(run({}, { criteria: [CHECKED], commits: 1, requireCommit: true })).toEqual({
    status: "completed",
    reasons: [],
  });
});

test("decideRunEnd fails a spec whose agent ended otherwise, whatever the evidence", () => {
  expect(
    run({ exit: { code: 42, signal: null }, exitMeaning: "it reached its limit" }, { criteria: [CHECKED] }),
  ).toEqual({
    status: "failed",
    reasons: ["the agent ended with status 42: it reached its limit"],
  });
  expect(run({ exit: { code: null, signal: "SIGSEGV" } }).reasons).toEqual(["the agent was ended by SIGSEGV"]);
});

test("decideRunEnd names every piece of evidence that is missing", () => {
  const paths = ["a", "b", "c", "d", "e", "f", "g"];

  expect(
    run(
      {},
      {
        criteria: [CHECKED, OPEN, { ...OPEN, label: "It is quick", lost: true }],
        missingWork: "nothing was changed outside .planner/",
        requireCommit: true,
        uncommittedPaths: paths,
        failedChecks: ['"npm test" ended with status 1'],
        outputProblem: "Output validation failed (schema: s.json)",
      },
    ),
  ).toEqual({
    status: "needs_attention",
    reasons: [
      "2 of 3 acceptance criteria are not checked",
      'criteria were removed, reworded or dropped: "It is quick"',
      "nothing was changed outside .planner/",
      "no commit names the spec",
      "changes are not committed: a, b, c, d, e and 2 more",
      '"npm test" ended with status 1',
      "Output validation failed (schema: s.json)",
    ],
  });
});

test("decideRunEnd honours what the agent decided through the tools", () => {
  const crash = { code: 1, signal: null };

  expect(run({ status: "completed", exit: crash }).status).toBe("completed");
  expect(run({ status: "completed", exit: crash }, { criteria: [OPEN] }).status).toBe("needs_attention");
  expect(run({ status: "completed", interrupted: true, exit: crash }).status).toBe("completed");
  expect(run({ status: "cancelled" }).status).toBe("cancelled");
  expect(run({ status: "failed" }, { criteria: [CHECKED] }).status).toBe("failed");
});

test("decideRunEnd fails a run that reached a limit, and says which", () => {
  const limit = "it reached limits.tokens: 1200 of 1000";

  expect(run({ limit, exit: { code: null, signal: "SIGTERM" } }, { commits: 1 })).toEqual({
    status: "failed",
    reasons: [limit],
  });
  expect(run({ limit, status: "completed" }).status).toBe("completed");
});

test("decideRunEnd puts an interrupted spec back only when the run left nothing behind", () => {
  const interrupted = { interrupted: true, exit: { code: null, signal: "SIGTERM" } };

  expect(run(interrupted, { criteria: [OPEN] }).status).toBe("pending");
  for (const left of [{ commits: 1 }, { uncommittedPaths: ["a"] }, { criteria: [CHECKED] }]) {
    expect(run(interrupted, left).status).toBe("failed");
  }
});

const NO_CHANGE = "nothing was changed outside .planner/";
const NOTHING = "nothing was changed and no output was written";

function missing(signs: Partial<WorkFacts>, type = "code", body = "# T\n", evidence?: string): string | null {
  const brought = { frontmatter: { evidence }, type, body };
  const own = { file: ".planner/specs/own.md", hasTrace: false, hasCommands: false };
  return explainMissingWork({ specBefore: brought, body: `${body}\n`, ...own, changed: [], ...signs });
}

const FILE = [{ path: "src/a.ts", isNew: false }];
const WRITTEN = { body: "# T\n## Output\nFound it\n" };

test("explainMissingWork asks for a change outside .planner or a new spec", () => {
  expect(missing({})).toBe(NO_CHANGE);
  expect(missing({ changed: FILE })).toBeNull();
  expect(missing({ changed: [{ path: ".planner/specs/a.md", isNew: true }] })).toBeNull();
  expect(missing({ changed: [{ path: ".planner/specs/a.md", isNew: false }] })).toBe(NO_CHANGE);
  expect(missing({ changed: [{ path: ".planner/config.md", isNew: true }] })).toBe(NO_CHANGE);
  expect(missing(WRITTEN)).toBe(NO_CHANGE);
});

test("explainMissingWork takes an output for research, tasks, docs and drivers, and without git", () => {
  for (const type of ["research", "task", "docs", "documentation", "driver"]) {
    expect(missing({}, type)).toBe(NOTHING);
    expect(missing(WRITTEN, type)).toBeNull();
    expect(missing({ changed: FILE }, type)).toBeNull();
  }
  expect(missing({ changed: null })).toBe(NOTHING);
  expect(missing({ ...WRITTEN, changed: null })).toBeNull();
  expect(missing({ body: WRITTEN.body, changed: null }, "code", WRITTEN.body)).toBe(NOTHING);
});

test("explainMissingWork leaves a spec with criteria, or a project with commands, to those once anything happened", () => {
  const criteria = "# T\n- [ ] a\n";
  const own = [{ path: ".planner/specs/own.md", isNew: false }];
  for (const signs of [{}, { changed: own }]) {
    expect(missing(signs, "code", criteria)).toBe("nothing was changed");
    expect(missing({ ...signs, hasCommands: true })).toBe("nothing was changed");
    expect(missing({ ...signs, hasCommands: true, hasTrace: true })).toBeNull();
    expect(missing({ ...signs, body: `${criteria}## Output\nyes\n` }, "code", criteria)).toBeNull();
  }
  for (const path of ["src/a.ts", ".planner/prompts/a.md", ".planner/specs/other.md"]) {
    expect(missing({ changed: [{ path, isNew: false }] }, "code", criteria)).toBeNull();
  }
  // Without git no change can be seen.
  expect(missing({ changed: null }, "code", criteria)).toBeNull();
});

test("explainMissingWork does what the spec's evidence says, before anything else", () => {
  const criteria = "# T\n- [ ] a\n";

  expect(missing({}, "code", "# T\n", "none")).toBeNull();
  expect(missing({ hasCommands: true }, "research", criteria, "commit")).toMatch(/^no change was committed/);
  expect(missing({ changed: FILE }, "research", criteria, "commit")).toBeNull();
  expect(missing({ changed: FILE }, "code", criteria, "output")).toMatch(/^no output was written/);
  expect(missing({ body: `${criteria}## Output\nyes\n` }, "code", criteria, "output")).toBeNull();
});

const BEFORE = "# T\n## Acceptance Criteria\n- [ ] a\n  verify: make a\n- [ ] b\n- [ ] b\n";

function judged(after: string): readonly string[] {
  return judgeCriteria(BEFORE, after).map(
    ({ label, checked, lost }) => `${checked ? "+" : "-"}${lost ? " lost" : ""} ${label}`,
  );
}

test("judgeCriteria takes the boxes of the spec that was brought", () => {
  expect(judged(BEFORE.replaceAll("[ ]", "[x]"))).toEqual(["+ a", "+ b", "+ b"]);
  expect(judged(BEFORE.replace("- [ ] b", "* [X]  b "))).toEqual(["- a", "+ b", "- b"]);
});

test("judgeCriteria counts one that was removed, reworded or fenced as unchecked", () => {
  expect(judged("# T\n")).toEqual(["- lost a", "- lost b", "- lost b"]);
  expect(judged("# T\n## Acceptance Criteria\n- [x] a little\n- [x] b\n")).toEqual([
    "- lost a",
    "+ b",
    "- lost b",
    "+ a little",
  ]);
  expect(judged(`\`\`\`\n${BEFORE.replaceAll("[ ]", "[x]")}\`\`\`\n`)).toEqual(["- lost a", "- lost b", "- lost b"]);
});

test("judgeCriteria lets no run drop a criterion or leave out what looked like one", () => {
  expect(judged("# T\n- [-] a – not asked for\n- [x] b\n- [x] b\n")).toEqual(["- lost a", "+ b", "+ b"]);

  const judgedFrom = (before: string, after: string) =>
    judgeCriteria(before, after).map(({ label, checked, lost }) => [label, checked, lost]);
  expect(judgedFrom("- [] a\n- [x] b\n", "- [x] b\n")).toEqual([
    ["b", true, false],
    ["a", false, true],
  ]);
  expect(judgedFrom("- [] a\n", "- [x] a\n")).toEqual([["a", true, false]]);
  expect(judgedFrom("- [-] a – no\n- [ ] b", "- [-] a – no\n- [x] b")).toEqual([["b", true, false]]);
});

test("judgeCriteria is not misled by a section that the run puts before or behind the real one", () => {
  const own = "## Acceptance Criteria\n- [x] a\n- [x] b\n- [x] b\n";

  expect(judged(`${BEFORE}## Output\n${own}`)).toEqual(["- a", "- b", "- b"]);
  expect(judged(`## Acceptance Criteria\n- [x] done\n${BEFORE}`)).toEqual([
    "- lost a",
    "- lost b",
    "- lost b",
    "+ done",
  ]);
});

test("judgeCriteria keeps the command that was brought, and counts one that the run added", () => {
  const after = "## Acceptance Criteria\n- [x] a\n  verify: true\n- [x] b\n- [x] b\n- [x] c\n  verify: true\n";

  expect(judgeCriteria(BEFORE, after).map(({ verify }) => verify)).toEqual(["make a", null, null, "true"]);
});

test.each([
  [".planner/config.md", true],
  [".planner/prompts/standard.md", true],
  [".planner/schemas/deep/answer.json", true],
  ["schemas/answer.json", true],
  ["schemas/other.json", false],
  [".planner/specs/2026-11-01-001-aaa.md", false],
  ["docs/.planner/config.md", false],
])("a change of %s is named: %p", (path, named) => {
  const told = describeChangedRules([{ path }], "./schemas/answer.json");

  expect(told).toEqual(named ? [`the run changed "${path}": a merge makes it hold for later runs`] : []);
});

const BRING_BACK_BEFORE = "---\nstatus: in_progress # begun\nlabels: [a]\n---\n\n# T\n\n- [ ] One\n";
const THERE =
  "---\nstatus: completed # begun\nlabels: [a]\ncompleted_at: 2026-11-01T10:00:00Z\n---\n\n# T\n\n- [x] One\n";

test("bringBack takes the worktree's text where nobody changed the project's", () => {
  expect(mergeRunIntoProject({ before: BRING_BACK_BEFORE, here: BRING_BACK_BEFORE, there: THERE })).toEqual({
    text: THERE,
    bodyLeft: false,
  });
});

test("bringBack joins a changed field here with what the run changed", () => {
  const here = BRING_BACK_BEFORE.replace("labels: [a]", "labels: [a, b]");

  expect(mergeRunIntoProject({ before: BRING_BACK_BEFORE, here, there: THERE })).toEqual({
    text: THERE.replace("labels: [a]", "labels: [a, b]"),
    bodyLeft: false,
  });
});

test("bringBack keeps a body that was changed here and says that another stayed behind", () => {
  const here = BRING_BACK_BEFORE.replace("# T\n", "# T\n\nMore.\n");

  const { text, bodyLeft } = mergeRunIntoProject({ before: BRING_BACK_BEFORE, here, there: THERE });

  expect(bodyLeft).toBe(true);
  expect(text).toContain("status: completed # begun\n");
  expect(text).toContain("More.\n\n- [ ] One\n");
});

test("bringBack keeps the project's body where that is wanted, although nobody changed it there", () => {
  const there = THERE.replace("- [x] One\n", "");

  expect(mergeRunIntoProject({ before: BRING_BACK_BEFORE, here: BRING_BACK_BEFORE, there, keepBody: true })).toEqual({
    text: THERE.replace("[x]", "[ ]"),
    bodyLeft: true,
  });
});

test("bringBack removes a field that the run removed", () => {
  const before = BRING_BACK_BEFORE.replace("labels", "model: m\nlabels");
  const here = before.replace("[a]", "[b]");

  expect(mergeRunIntoProject({ before, here, there: BRING_BACK_BEFORE }).text).toBe(
    BRING_BACK_BEFORE.replace("[a]", "[b]"),
  );
});

test("appendAgentOutput adds the agent's words once, and none where it wrote its own", () => {
  expect(appendAgentOutput(BRING_BACK_BEFORE, " done \n", false)).toBe(`${BRING_BACK_BEFORE}\n## Output\n\ndone\n`);
  expect(appendAgentOutput(BRING_BACK_BEFORE, "done", true)).toBe(BRING_BACK_BEFORE);
  expect(appendAgentOutput(BRING_BACK_BEFORE, " \n", false)).toBe(BRING_BACK_BEFORE);
});
