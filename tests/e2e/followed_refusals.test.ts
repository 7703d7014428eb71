import { CONFLICT, FINISHED, type Row, testAdvice } from "../support/followed_rows.ts";
import { ID, THERE } from "../support/misbehaving_agent.ts";
import type { Hands } from "../support/printed_advice.ts";

const WORK = ["work", ID];
const MERGE = ["merge", ID];

const NO_IDENTITY = "git config --unset user.name; git config --unset user.email; git config user.useConfigOnly true";
const IDENTITY: Hands = [
  [/run "git config user.name/, "git config user.name Ann; git config user.email ann@example.org"],
];
const NO_SIGNATURE = "git config commit.gpgsign true; git config gpg.program /bin/false";
/** The main branch goes on, so that a merge has to make commits anew. */
const MEANWHILE = "echo more >> base.txt; git commit -q -a -m more";

function hook(name: string, script: string): string {
  return `printf '#!/bin/sh\\n${script}\\n' > .git/hooks/${name}; chmod +x .git/hooks/${name}`;
}

function setting(line: string): string {
  return `sed -i 's/^defaults: {/${line}/' .planner/config.md`;
}
/** A setting beside the place of the worktrees. */
function base(name: string): string {
  return `sed -i 's/directory: [.][.]/&, base: ${name}/' .planner/config.md`;
}
const CORRECTED = `sed -i -e 's/, base: [^}]*//' -e 's/main_branch: nowhere, //' .planner/config.md`;

/** Two branches that change one file, and what a person began with them on the main branch. */
const SIDE =
  "git checkout -q -b side; echo side > base.txt; git commit -q -a -m side; git checkout -q main; echo main > base.txt; git commit -q -a -m main";
const SETTLE: Hands = [[/end it with/, "echo both > base.txt; git add base.txt"]];

const RENAMED = `${FINISHED}; git -C "$PLANNER_PROJECT" branch -m main trunk`;
const BACK: Hands = [[/See the reason|fix it in/, "git branch -m trunk main"]];

/** A folder whose name a shell takes apart. */
const ODD = "it's $HOME; a project";

const ROWS: readonly Row[] = [
  { name: "work: no identity", before: NO_IDENTITY, hands: IDENTITY, repeats: WORK },
  { name: "work: a signature that fails", before: NO_SIGNATURE, repeats: WORK },
  {
    name: "work: a hook that refuses planner's own commits",
    before: hook("commit-msg", 'grep -q "^planner: note" "$1" && { echo "no ticket" >&2; exit 1; }; exit 0'),
    hands: [[/set "git.commit_template"/, `sed -i '2i git: {commit_template: "T-1 {summary}"}' .planner/config.md`]],
    repeats: WORK,
  },
  {
    name: "work: a hook that refuses every commit",
    before: hook("pre-commit", "echo it fails >&2; exit 1"),
    hands: [[/make it pass/, `rm .git/hooks/pre-commit; cd ${THERE} && git add -A && git commit -q -m rest`]],
  },
  {
    name: "merge: an identity that was taken away",
    after: `${MEANWHILE}; ${NO_IDENTITY}`,
    asks: [MERGE],
    hands: IDENTITY,
    repeats: MERGE,
  },
  { name: "merge: a signature that fails", after: `${MEANWHILE}; ${NO_SIGNATURE}`, asks: [MERGE], repeats: MERGE },
  {
    name: "work: a base that is not there",
    before: base("origin\\/main"),
    hands: [[/correct it/, CORRECTED]],
    repeats: WORK,
  },
  {
    name: "work: a base with commits of its own",
    before: `git checkout -q -b side; git commit -q --allow-empty -m side; git checkout -q main; ${base("side")}`,
    repeats: WORK,
  },
  {
    name: "work: a main branch that is not there",
    before: setting("&main_branch: nowhere, "),
    hands: [[/expected a local branch/, CORRECTED]],
    repeats: WORK,
  },
  {
    name: "work: a rebase under way",
    before: `${SIDE}; git rebase -q side; true`,
    hands: SETTLE,
    repeats: WORK,
    ends: ["merged", "merged"],
  },
  ...["rebase -q side", "merge -q side", "cherry-pick side", "revert --no-commit HEAD~1"].map(
    (begun): Row => ({
      name: `merge: under way: git ${begun}`,
      before: SIDE,
      after: `git commit -q -a -m specs; git checkout -q side; git checkout -q main -- .planner; git commit -q -m specs; git checkout -q main; git ${begun}; true`,
      asks: [MERGE],
      hands: [...SETTLE, ...(CONFLICT.hands ?? [])],
      ends: ["merged", "merged"],
    }),
  ),
  { name: "merge: the main branch renamed", after: "git branch -m main trunk", asks: [MERGE] },
  {
    name: "doctor: the main branch renamed twice",
    after: 'git branch -m main trunk && git branch -m trunk "tr\'unk"',
    asks: [["doctor"]],
  },
  { name: "work: the main branch renamed by the run", agent: RENAMED },
  {
    name: "diagnose: the main branch renamed by the run",
    agent: RENAMED,
    asks: [["diagnose", ID]],
    hands: BACK,
    ends: ["merged", "merged", "waits"],
  },
  { name: "merge: the main branch renamed by the run", agent: RENAMED, asks: [MERGE] },
  { name: "work: a killed run", stopped: "killed", asks: [WORK] },
  { name: "diagnose: a killed run", stopped: "killed", asks: [["diagnose", ID]] },
  { name: "doctor: a killed run", stopped: "killed", asks: [["doctor"]], ends: ["merged", "merged"] },
  {
    name: "work: a spec removed from a project with an odd name",
    folder: ODD,
    agent: `${FINISHED}; rm "$PLANNER_PROJECT/.planner/specs/$id.md"`,
  },
  {
    name: "doctor: a spec deleted from a project with an odd name",
    folder: ODD,
    after: `git rm -q --cached .planner/specs/${ID}.md; rm -f .planner/specs/${ID}.md; git commit -q -m gone`,
    asks: [["doctor"]],
    hands: [[/settle the conflict/, `cd ${THERE} && git add .planner/specs/${ID}.md`]],
    ends: ["merged", "dropped"],
  },
  {
    ...CONFLICT,
    name: "diagnose: a conflict in a project with an odd name",
    folder: ODD,
    asks: [MERGE, ["diagnose", ID]],
    ends: ["merged", "merged"],
  },
  {
    name: "merge: a file with an odd name deleted in the person's checkout",
    before: `echo q > "it's a \\"q\\" \\$HOME"; git add -A; git commit -q -m q`,
    agent: `${FINISHED}; for f in it*; do echo b >> "$f"; done; git commit -q -a -m b`,
    after: "rm it*",
    asks: [MERGE],
  },
];

testAdvice(ROWS);
