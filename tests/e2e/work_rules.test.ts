import { expect, test } from "bun:test";
import { ID, ScriptedProject } from "../support/misbehaving_agent.ts";

test("prompts and schemas that a run changes are named at its end and by the merge", async () => {
  using project = await ScriptedProject.make();
  const files = [".planner/prompts/mine.md", ".planner/schemas/answer.json"];
  const told = files.map((path) => `the run changed "${path}": a merge makes it hold for later runs`);
  const writing = files.map((path) => `mkdir -p "$(dirname ${path})"; echo '{}' > ${path}`).join("; ");

  const worked = await project.work(`${writing}; git add ${files.join(" ")}; save more; tick`);
  const merged = await project.planner("merge", ID);

  expect(worked.stdout).toStartWith(`${ID}: completed`);
  for (const line of told) {
    expect(project.read(`.planner/logs/${ID}.log`)).toContain(`planner: ${line}`);
    expect(worked.stdout + worked.stderr).toContain(line);
    expect(merged.stdout + merged.stderr).toContain(line);
  }
});

test("a run completes no spec with an item that is not read as a criterion, and says so before it starts", async () => {
  using project = await ScriptedProject.make();

  const worked = await project.work(
    `save more; tick; echo '- [] It is quick' >> "$spec"; git commit -qam "planner($id): more"`,
  );
  const merged = await project.planner("merge", ID);

  expect(worked.stdout).toContain(`${ID}: needs_attention`);
  for (const { stdout, stderr } of [worked, merged])
    expect(stdout + stderr).toContain("'- [] It is quick': write '- [ ]");
  expect(project.status()).toBe("needs_attention");
  const again = await project.work("exit 1");
  expect(again.stdout + again.stderr).toContain("the run does not complete it so");
});

test("a run drops no criterion: a person does, in the project's file", async () => {
  using project = await ScriptedProject.make();
  const drop = `s/- \\[ \\] \\(.*\\)/- [-] \\1 – not asked for/`;

  const worked = await project.work(`save more; sed -i '${drop}' "$spec"; git commit -qam "planner($id): drop"`);
  expect(worked.stdout).toContain("criteria were removed, reworded or dropped");
  expect(project.read(`.planner/specs/${ID}.md`)).not.toContain("not asked for");

  await project.sh(`sed -i '${drop}' .planner/specs/${ID}.md`);
  const merged = await project.planner("merge", ID);
  expect([merged.code, merged.stderr]).toEqual([0, ""]);
  expect(project.status()).toBe("completed");
});
