import { afterAll, expect, test } from "bun:test";
import { ID, OTHER, type ScriptedProject } from "../support/misbehaving_agent.ts";
import { adviceOf, followToEnd, type Hands, isMerged, waits, waysIn } from "../support/printed_advice.ts";
import { SharedProjects } from "../support/shared_projects.ts";

/** What becomes of the work: on the main branch, still there, or thrown away as the advice says. */
type End = "merged" | "waits" | "dropped";

interface Row {
  readonly name: string;
  /** What a person does before the run. */
  readonly before?: string;
  readonly agent: string;
  /** What a later agent does. */
  readonly again?: string;
  /** Ends the run when the agent has made the file `ready`. */
  readonly pause?: true;
  /** What a person does after it. */
  readonly after?: string;
  /** Commands of planner; the last one's advice is followed. `work` alone if left out. */
  readonly asks?: readonly (readonly string[])[];
  /** The part of what it prints that is followed. */
  readonly part?: RegExp;
  readonly hands?: Hands;
  /** For each way of the advice. */
  readonly ends: readonly End[];
}

const THERE = `.planner/worktrees/${ID}`;
const TICK = `sed -i 's/- \\[ \\]/- [x]/' ${THERE}/.planner/specs/${ID}.md`;
const COMMIT = "git add -A && git commit -q -m rest";
const AGAIN =
  "echo both > base.txt; test -e a.txt || save a; tick; git add -A; git commit -q -m 'planner: again'; true";
const CONFLICT: Pick<Row, "agent" | "after" | "hands"> = {
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
const DIAGNOSE: Row["asks"] = [["diagnose", ID]];
const DOCTOR: Row["asks"] = [["doctor"]];
const MERGE: Row["asks"] = [["merge", ID]];

const ROWS: readonly Row[] = [
  { name: "work: finished work", agent: "save a; tick", ends: ["merged"] },
  { name: "diagnose: finished work", agent: "save a; tick", asks: DIAGNOSE, ends: ["merged"] },
  { name: "doctor: finished work", agent: "save a; tick", asks: DOCTOR, ends: ["merged"] },
  { name: "merge: a conflict", ...CONFLICT, asks: MERGE, ends: ["merged", "merged"] },
  { name: "diagnose: a conflict", ...CONFLICT, asks: [...MERGE, ...DIAGNOSE], ends: ["merged", "merged"] },
  {
    name: "diagnose: a conflict, as its check says",
    ...CONFLICT,
    asks: [...MERGE, ...DIAGNOSE],
    part: /FAIL {2}Merge: .*/,
    ends: ["merged", "merged"],
  },
  { name: "doctor: a conflict", ...CONFLICT, asks: [...MERGE, ...DOCTOR], ends: ["merged", "merged"] },
  { name: "diagnose: a paused run", agent: "save a; tick", pause: true, asks: DIAGNOSE, ends: ["merged"] },
  {
    name: "diagnose: a paused run with open criteria",
    agent: "save a",
    pause: true,
    asks: DIAGNOSE,
    hands: [[/finish and check the open criteria/, TICK]],
    ends: ["merged", "merged"],
  },
  {
    name: "diagnose: a paused run without a commit",
    agent: "echo a > a.txt; tick",
    pause: true,
    asks: DIAGNOSE,
    ends: ["merged", "waits"],
  },
  {
    name: "doctor: a paused run",
    agent: "save a; tick",
    pause: true,
    asks: DOCTOR,
    hands: [[/commit there/, `cd ${THERE} && ${COMMIT}`]],
    ends: ["merged", "merged", "merged", "waits"],
  },
  {
    name: "diagnose: a spec that was reset",
    agent: "save a",
    pause: true,
    asks: [["reset", ID], ...DIAGNOSE],
    ends: ["merged"],
  },
  {
    name: "diagnose: open criteria",
    agent: "save a",
    asks: DIAGNOSE,
    hands: [[/fix it/, TICK]],
    ends: ["merged", "merged"],
  },
  {
    name: "diagnose: uncommitted changes",
    agent: "save a; echo b > b.txt; tick",
    asks: DIAGNOSE,
    hands: [[/fix it/, `cd ${THERE} && ${COMMIT}`]],
    ends: ["merged", "merged", "waits"],
  },
  {
    name: "doctor: uncommitted changes",
    agent: "save a; echo b > b.txt; tick",
    asks: DOCTOR,
    hands: [[/commit there/, `cd ${THERE} && ${COMMIT}`]],
    ends: ["merged", "merged"],
  },
  ...[
    "git config core.pager less",
    "git config core.hooksPath /tmp/hooks",
    "git config alias.x '!true'; git config filter.f.clean 'sed s/a/b/'",
    `printf '#!/bin/sh\\n' > "$(git rev-parse --git-common-dir)/hooks/pre-commit"`,
    `echo /nowhere > "$(git rev-parse --git-common-dir)/objects/info/alternates"`,
  ].map((planted): Row => {
    const agent = `save a; tick; git commit -q -a -m 'planner: tick'; ${planted}`;
    const hands: Hands = [[/remove \.planner/, `rm ${THERE}.git.json`]];
    return { name: `work: planted by ${planted}`, agent, hands, ends: ["merged", "merged"] };
  }),
  {
    name: "work: a repository inside its own",
    agent: `save a; tick; git init -q sub; (cd sub; echo s > s.txt; git add .; git commit -q -m s)
      git add sub 2>/dev/null; git commit -q -a -m sub`,
    hands: [
      [/move it away/, `mv ${THERE}/sub ../kept`],
      [/, then run/, `cd ${THERE} && git commit -q -m without`],
    ],
    ends: ["merged"],
  },
  {
    name: "doctor: changes that git was made to overlook",
    agent: "save a; tick; git commit -q -a -m tick; echo b >> base.txt; git update-index --assume-unchanged base.txt",
    asks: DOCTOR,
    hands: [[/commit there/, `cd ${THERE} && ${COMMIT}`]],
    ends: ["merged", "merged"],
  },
  {
    name: "merge: a deleted worktree",
    agent: 'save a; cd /; rm -rf "$PLANNER_WORKTREE"',
    asks: MERGE,
    ends: ["merged"],
  },
  { name: "work: a removed spec", agent: 'save a; rm "$spec"; git commit -q -a -m gone', ends: ["merged"] },
  {
    name: "work: a spec removed from the project",
    agent: 'save a; tick; rm "$PLANNER_PROJECT/.planner/specs/$id.md"',
    ends: ["merged"],
  },
  {
    name: "merge: a file deleted in the person's checkout",
    agent: "save a; tick; echo b >> base.txt; git commit -q -a -m b",
    after: "rm base.txt",
    asks: MERGE,
    ends: ["merged"],
  },
  { name: "work: a failed run", agent: "save a; exit 3", ends: ["merged"] },
  { name: "diagnose: a failed run", agent: "save a; exit 3", asks: DIAGNOSE, ends: ["merged"] },
  {
    name: "diagnose: a failed predecessor",
    before: `sed -i 's/^labels/depends_on: [${ID}]\\nlabels/' .planner/specs/${OTHER}.md && git commit -q -a -m needs`,
    agent: "save a; exit 3",
    asks: [["diagnose", OTHER]],
    ends: ["merged"],
  },
  {
    name: "doctor: a cancelled spec",
    agent: "save a; exit 3",
    asks: [["cancel", ID], ...DOCTOR],
    ends: ["merged", "dropped"],
  },
  {
    name: "doctor: a deleted spec",
    agent: "save a; tick",
    after: `git rm -q --cached .planner/specs/${ID}.md; rm -f .planner/specs/${ID}.md; git commit -q -m gone`,
    asks: DOCTOR,
    hands: [[/settle the conflict/, `cd ${THERE} && git add .planner/specs/${ID}.md`]],
    ends: ["merged", "dropped"],
  },
];

type Begin = Pick<Row, "before" | "agent" | "pause" | "after">;

const projects = new SharedProjects(async (project, begin: Begin) => {
  expect(await project.sh(begin.before ?? "true")).toMatchObject({ code: 0 });
  const printed = await runAgent(project, begin);
  expect(await project.sh(begin.after ?? "true")).toMatchObject({ code: 0 });
  return printed;
});
afterAll(() => projects.remove());

for (const row of ROWS) {
  const { name, again, asks, part, hands, ends, ...begin } = row;
  for (const [way, end] of ends.entries()) {
    test.concurrent(`the advice leads to its end: ${name}, way ${way + 1}: ${end}`, () =>
      projects.use(begin, async (project, printedByWork) => {
        project.script(again ?? AGAIN);
        let printed = printedByWork;
        for (const args of asks ?? []) {
          const { stdout, stderr } = await project.planner(...args);
          printed = stdout + stderr;
        }

        const advice = part === undefined ? adviceOf(printed) : (part.exec(printed)?.[0] ?? printed);
        const ways = waysIn(advice);
        expect({ advice, ways: ways.length }).toEqual({ advice, ways: ends.length });
        const all = await followToEnd(project, ways[way] ?? "", hands);

        const found: End = (await isMerged(project)) ? "merged" : (await waits(project)) ? "waits" : "dropped";
        expect({ all, found }).toEqual({ all, found: end });
      }));
  }
}

/** Returns what `planner work` prints. */
async function runAgent(project: ScriptedProject, { agent, pause }: Begin): Promise<string> {
  if (pause === undefined) {
    const { stdout, stderr } = await project.work(agent);
    return stdout + stderr;
  }
  project.script(`${agent}; touch "$out/ready"; sleep 60`);
  const running = project.planner("work", ID);
  while (!project.seen().includes("ready")) await Bun.sleep(20);
  await project.planner("pause", ID);
  const { stdout, stderr } = await running;
  return stdout + stderr;
}
