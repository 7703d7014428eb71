import { expect, test } from "bun:test";
import { joinSpec } from "#planner/store/worktrees/join_spec.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";
import { SeededRandom } from "../../../support/seeded_random.ts";

/** A spec as a plain list: which criteria there are, and which of them are checked. */
type Model = ReadonlyMap<string, boolean>;

function textOf(model: Model, words: string, output: string): string {
  const lines = [...model].map(([name, checked]) => `- [${checked ? "x" : " "}] ${name}`);
  const section = output === "" ? "" : `\n## Output\n\n${output}\n`;
  return `---\nstatus: in_progress\n---\n\n# ${words}\n\n## Acceptance Criteria\n\n${lines.join("\n")}\n${section}`;
}

function modelOf(text: string): Model {
  return new Map([...text.matchAll(/^- \[([ x])\] (.*)$/gm)].map(([, mark, name = ""]) => [name, mark === "x"]));
}

test("joinSpec checks each criterion by its words, loses no criterion, no output and no word of the project's", async () => {
  const seeded = new SeededRandom(11);
  const random = (): number => seeded.next();
  for (let run = 0; run < Math.max(10, LAW_RUNS / 10); run++) {
    const names = ["first", "second", "third"];
    const base: Model = new Map(names.map((name) => [name, random() < 0.3]));
    const flipped = (model: Model): Model => new Map([...model].map(([name, on]) => [name, random() < 0.5 ? !on : on]));
    const added = random() < 0.5;
    const ours: Model = new Map([...flipped(base), ...(added ? ([["new", random() < 0.5]] as const) : [])]);
    const theirs = flipped(base);

    const { text, open } = await joinSpec({
      ours: textOf(ours, "Mine", "person's"),
      base: textOf(base, "Old", ""),
      theirs: textOf(theirs, "Agent's", "agent's"),
    });

    const wanted = new Map([...ours].map(([name, on]) => [name, on || (theirs.get(name) === true && !base.get(name))]));
    expect(modelOf(text)).toEqual(wanted);
    expect(open).toEqual(ours.get("new") === false ? ["new"] : []);
    expect(text).toContain("# Mine\n");
    expect(text).toEndWith("## Output\n\nperson's\n\nagent's\n");
  }
});
