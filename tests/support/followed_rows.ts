import { afterAll, expect, test } from "bun:test";
import { ID, type ScriptedProject, THERE } from "./misbehaving_agent.ts";
import { PLANNER } from "./planner_command.ts";
import { adviceOf, followToEnd, type Hands, isMerged, waits, waysIn, word } from "./printed_advice.ts";
import { SHARED_LIMIT_MS, SharedProjects } from "./shared_projects.ts";
import { isRunning } from "./work_project.ts";

/** What becomes of the work: on the main branch, still there, or thrown away as the advice says. */
type End = "merged" | "waits" | "dropped";

export interface Row {
  readonly name: string;
  /** What a person does before the run. */
  readonly before?: string;
  /** What the agent does, `FINISHED` if left out. */
  readonly agent?: string;
  /** What a later agent does. */
  readonly again?: string;
  /** Ends the run when the agent has made the file `ready`: as a person does, or as a crash. */
  readonly stopped?: "paused" | "killed";
  /** Name of the project's folder. */
  readonly folder?: string;
  /** What a person does after it. */
  readonly after?: string;
  /** Commands of planner; the last one's advice is followed. `work` alone if left out. */
  readonly asks?: readonly (readonly string[])[];
  /** The part of what it prints that is followed. */
  readonly part?: RegExp;
  readonly hands?: Hands;
  /** The command to repeat, where the advice is only about what it refused. */
  readonly repeats?: readonly string[];
  /** For each way of the advice; of one that is merged if left out. */
  readonly ends?: readonly End[];
}

/** An agent that does its work and ticks its criterion. */
export const FINISHED = "save a; tick";
const AGAIN =
  "echo both > base.txt; test -e a.txt || save a; tick; git add -A; git commit -q -m 'planner: again'; true";
/** A conflict with the main branch, and how a person settles it. */
export const CONFLICT: Pick<Row, "agent" | "after" | "hands"> = {
  agent:
    "echo theirs > base.txt; git commit -q -a -m 'planner: base'; save a; tick; git commit -q -a -m 'planner: tick'",
  after: "echo ours > base.txt && git commit -q -m ours base.txt",
  hands: [
    [/settle the conflict/, `cd ${THERE} && echo both > base.txt && git add base.txt`],
    [
      /what check "Merge" says/,
      `cd ${THERE} && (git rebase -q main; echo both > base.txt && git add base.txt && GIT_EDITOR=true git rebase --continue)`,
    ],
  ],
};

type Begin = Pick<Row, "before" | "agent" | "stopped" | "folder" | "after">;

/** Tests that each way of each advice, followed to the letter, leads to its end. */
export function testAdvice(rows: readonly Row[]): void {
  const projects = new SharedProjects(
    async (project, begin: Begin) => {
      expect(await project.sh(begin.before ?? "true")).toMatchObject({ code: 0 });
      const printed = await runAgent(project, begin);
      expect(await project.sh(begin.after ?? "true")).toMatchObject({ code: 0 });
      return printed;
    },
    ({ folder }) => folder,
  );
  afterAll(() => projects.remove());

  for (const row of rows) {
    const { name, again = AGAIN, asks = [], part, hands, repeats = [], ends = ["merged"], ...begin } = row;
    for (const [way, end] of ends.entries()) {
      const follow = () =>
        projects.use(begin, async (project, printedByWork) => {
          project.script(again);
          let printed = printedByWork;
          for (const args of asks) printed = await printedBy(project, args);

          const advice = part?.exec(printed)?.[0] ?? adviceOf(printed);
          const ways = waysIn(advice, hands);
          expect({ advice, ways: ways.length }).toEqual({ advice, ways: ends.length });
          const all = await followToEnd(project, ways[way] ?? "", { hands, repeats });

          expect({ all, found: await endOf(project) }).toEqual({ all, found: end });
        });
      test.concurrent(`the advice leads to its end: ${name}, way ${way + 1}: ${end}`, follow, SHARED_LIMIT_MS);
    }
  }
}

async function printedBy(project: ScriptedProject, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await project.planner(...args);
  return stdout + stderr;
}

async function endOf(project: ScriptedProject): Promise<End> {
  if (await isMerged(project)) return "merged";
  return (await waits(project)) ? "waits" : "dropped";
}

/** Returns what `planner work` prints. */
async function runAgent(project: ScriptedProject, { agent = FINISHED, stopped }: Begin): Promise<string> {
  if (stopped === undefined) {
    const { stdout, stderr } = await project.work(agent);
    return stdout + stderr;
  }
  project.script(`${agent}; touch "$out/ready"; sleep 60`);
  const planner = PLANNER.map(word).join(" ");
  const { stdout: pid } = await project.sh(`${planner} work ${ID} >../printed 2>&1 & echo $!`);
  while (!project.seen().includes("ready")) await Bun.sleep(20);
  if (stopped === "paused") await project.planner("pause", ID);
  else process.kill(Number(pid), "SIGKILL");
  while (isRunning(Number(pid))) await Bun.sleep(20);
  return project.read("../printed");
}
