import { expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { runSpec } from "#planner/runs/run_queue.ts";
import { joinSpec } from "#planner/store/worktrees/join_spec.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";
import { fakeRuns, ID, wishes } from "../../../support/run_fakes.ts";
import { SeededRandom } from "../../../support/seeded_random.ts";

const CONFIG_WITH_COMMAND =
  "---\ndefaults: {provider: command}\nproviders: {command: {command: agent}}\nverify: {commands: ['true']}\n---\n";

const STEPS = {
  "worktrees.prepareWorktree": "failed",
  "worktrees.writeStatus": "failed",
  "logs.open": "failed",
  "agents.start": "failed",
} as const;

test.each(Object.entries(STEPS))(
  "wherever a run breaks, here at %s, it has one end and gives up its claim",
  async (step, status) => {
    for (const error of [new OperationError("unavailable", "the disk is full"), new Error("a defect")]) {
      using runs = await fakeRuns();
      const [port, method] = step.split(".") as ["agents", "start"];
      runs.deps.ports[port][method] = () => Promise.reject(error);

      await runSpec(runs.deps, ID, wishes()).catch(() => {});

      expect({ status: runs.status(), ends: runs.ends.length, last: runs.others.at(-1) }).toEqual({
        status,
        ends: 1,
        last: "claim released",
      });
    }
  },
);

test.each(["settle", "holds", "openSpecs", "commitSpec"] as const)(
  "a fault of planner after the agent's end, here of %s, is no failure of the run, which nobody pays for twice",
  async (method) => {
    for (const error of [
      new OperationError("unavailable", "git is away"),
      new SyntaxError("Invalid regular expression"),
    ]) {
      using runs = await fakeRuns();
      const worktree = await runs.deps.ports.worktrees.prepareWorktree(ID, { branchPrefix: "", mainBranch: null });
      runs.project.write(".planner/config.md", CONFIG_WITH_COMMAND);
      const end = async (): Promise<never> => Promise.reject(error);
      runs.script.agent = () =>
        void Object.assign(worktree, {
          [method]:
            method === "openSpecs"
              ? () => {
                  throw error;
                }
              : end,
        });

      const { status, reasons } = await runSpec(runs.deps, ID, wishes());

      expect({ status, spec: runs.status(), ends: runs.ends.map((one) => one.status) }).toEqual({
        status: "needs_attention",
        spec: "needs_attention",
        ends: ["failed"],
      });
      expect(reasons.join()).toContain(error.message);
      expect(runs.lines.join("\n")).toContain(error.message);
    }
  },
);

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
