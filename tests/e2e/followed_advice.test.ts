import { CONFLICT, type Row, testAdvice } from "../support/followed_rows.ts";
import { ID, OTHER, THERE } from "../support/misbehaving_agent.ts";
import type { Hands } from "../support/printed_advice.ts";

const TICK = `sed -i 's/- \\[ \\]/- [x]/' ${THERE}/.planner/specs/${ID}.md`;
const COMMIT = "git add -A && git commit -q -m rest";
const DIAGNOSE: Row["asks"] = [["diagnose", ID]];
const DOCTOR: Row["asks"] = [["doctor"]];
const MERGE: Row["asks"] = [["merge", ID]];

const ROWS: readonly Row[] = [
  { name: "work: finished work" },
  { name: "diagnose: finished work", asks: DIAGNOSE },
  { name: "doctor: finished work", asks: DOCTOR },
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
  { name: "diagnose: a paused run", stopped: "paused", asks: DIAGNOSE },
  {
    name: "diagnose: a paused run with open criteria",
    agent: "save a",
    stopped: "paused",
    asks: DIAGNOSE,
    hands: [[/finish and check the open criteria/, TICK]],
    ends: ["merged", "merged"],
  },
  {
    name: "diagnose: a paused run without a commit",
    agent: "echo a > a.txt; tick",
    stopped: "paused",
    asks: DIAGNOSE,
    ends: ["merged", "waits"],
  },
  {
    name: "doctor: a paused run",
    stopped: "paused",
    asks: DOCTOR,
    hands: [[/commit there/, `cd ${THERE} && ${COMMIT}`]],
    ends: ["merged", "merged", "merged", "waits"],
  },
  { name: "diagnose: a spec that was reset", agent: "save a", stopped: "paused", asks: [["reset", ID], ...DIAGNOSE] },
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
    const hands: Hands = [[/remove \.planner/, `rm .planner/worktrees/${ID}.git.json`]];
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
  },
  {
    name: "doctor: changes that git was made to overlook",
    agent: "save a; tick; git commit -q -a -m tick; echo b >> base.txt; git update-index --assume-unchanged base.txt",
    asks: DOCTOR,
    hands: [[/commit there/, `cd ${THERE} && ${COMMIT}`]],
    ends: ["merged", "merged"],
  },
  { name: "merge: a deleted worktree", agent: 'save a; cd /; rm -rf "$PLANNER_WORKTREE"', asks: MERGE },
  { name: "work: a removed spec", agent: 'save a; rm "$spec"; git commit -q -a -m gone' },
  { name: "work: a spec removed from the project", agent: 'save a; tick; rm "$PLANNER_PROJECT/.planner/specs/$id.md"' },
  {
    name: "merge: a file deleted in the person's checkout",
    agent: "save a; tick; echo b >> base.txt; git commit -q -a -m b",
    after: "rm base.txt",
    asks: MERGE,
  },
  { name: "work: a failed run", agent: "save a; exit 3" },
  { name: "diagnose: a failed run", agent: "save a; exit 3", asks: DIAGNOSE },
  {
    name: "diagnose: a failed predecessor",
    before: `sed -i 's/^labels/depends_on: [${ID}]\\nlabels/' .planner/specs/${OTHER}.md && git commit -q -a -m needs`,
    agent: "save a; exit 3",
    asks: [["diagnose", OTHER]],
  },
  {
    name: "doctor: a cancelled spec",
    agent: "save a; exit 3",
    asks: [["cancel", ID], ...DOCTOR],
    ends: ["merged", "dropped"],
  },
  { name: "doctor: work that was sent back", asks: [["review", ID, "--back", "Name the line"], ...DOCTOR] },
  {
    name: "doctor: a deleted spec",
    after: `git rm -q --cached .planner/specs/${ID}.md; rm -f .planner/specs/${ID}.md; git commit -q -m gone`,
    asks: DOCTOR,
    hands: [[/settle the conflict/, `cd ${THERE} && git add .planner/specs/${ID}.md`]],
    ends: ["merged", "dropped"],
  },
];

testAdvice(ROWS);
