import { expect, test } from "bun:test";
import { appendAgentOutput, mergeRunIntoProject } from "#planner/work/bring_back.ts";

const BEFORE = "---\nstatus: in_progress # begun\nlabels: [a]\n---\n\n# T\n\n- [ ] One\n";
const THERE =
  "---\nstatus: completed # begun\nlabels: [a]\ncompleted_at: 2026-11-01T10:00:00Z\n---\n\n# T\n\n- [x] One\n";

test("bringBack takes the worktree's text where nobody changed the project's", () => {
  expect(mergeRunIntoProject({ before: BEFORE, here: BEFORE, there: THERE })).toEqual({ text: THERE, bodyLeft: false });
});

test("bringBack joins a changed field here with what the run changed", () => {
  const here = BEFORE.replace("labels: [a]", "labels: [a, b]");

  expect(mergeRunIntoProject({ before: BEFORE, here, there: THERE })).toEqual({
    text: THERE.replace("labels: [a]", "labels: [a, b]"),
    bodyLeft: false,
  });
});

test("bringBack keeps a body that was changed here and says that another stayed behind", () => {
  const here = BEFORE.replace("# T\n", "# T\n\nMore.\n");

  const { text, bodyLeft } = mergeRunIntoProject({ before: BEFORE, here, there: THERE });

  expect(bodyLeft).toBe(true);
  expect(text).toContain("status: completed # begun\n");
  expect(text).toContain("More.\n\n- [ ] One\n");
});

test("bringBack keeps the project's body where that is wanted, although nobody changed it there", () => {
  const there = THERE.replace("- [x] One\n", "");

  expect(mergeRunIntoProject({ before: BEFORE, here: BEFORE, there, keepBody: true })).toEqual({
    text: THERE.replace("[x]", "[ ]"),
    bodyLeft: true,
  });
});

test("bringBack removes a field that the run removed", () => {
  const before = BEFORE.replace("labels", "model: m\nlabels");
  const here = before.replace("[a]", "[b]");

  expect(mergeRunIntoProject({ before, here, there: BEFORE }).text).toBe(BEFORE.replace("[a]", "[b]"));
});

test("appendAgentOutput adds the agent's words once, and none where it wrote its own", () => {
  expect(appendAgentOutput(BEFORE, " done \n", false)).toBe(`${BEFORE}\n## Output\n\ndone\n`);
  expect(appendAgentOutput(BEFORE, "done", true)).toBe(BEFORE);
  expect(appendAgentOutput(BEFORE, " \n", false)).toBe(BEFORE);
});
