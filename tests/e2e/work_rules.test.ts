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
