import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { ID, OTHER, ScriptedProject } from "../support/misbehaving_agent.ts";
import { PLANNER } from "../support/planner_command.ts";
import { word } from "../support/printed_advice.ts";

/** Whether this process may make mounts of its own. */
const CAN_MOUNT = spawnSync("unshare", ["-m", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]).status === 0;
if (!CAN_MOUNT) process.stderr.write("SKIPPED: full and read-only disks need mounts, which this user may not make\n");

/** Commands that only read: they work whatever the disk is like. */
const READERS: readonly (readonly string[])[] = [
  ["list"],
  ["show", ID],
  ["ready"],
  ["search", ID],
  ["status"],
  ["lint"],
  ["diagnose", OTHER],
  ["export", "--format", "json"],
  ["doctor"],
];

/** Commands that write, each somewhere else. */
const WRITERS: readonly (readonly string[])[] = [
  ["add", "something new"],
  ["check", ID, "1"],
  ["update", ID, "--priority", "high"],
  ["cancel", OTHER],
  ["work", ID],
  ["merge", ID],
  ["watch", "--once"],
  ["split", ID],
  ["init", "--yes"],
  ["hook", "install"],
];

/** Everything in the project but locks, and the empty files that keep the folders of an `init` which goes on where it ended. */
const STATE =
  "find . -path ./.planner/locks -prune -o -name .gitkeep -prune -o -type f -print | sort | xargs -d '\\n' md5sum";

/** Runs lines of a shell in the project, on a disk of its own that `prepare` changes. */
function onDisk(project: ScriptedProject, prepare: string, lines: readonly string[]): string {
  const { root } = project;
  const [here, copy] = [word(root), word(`${root}.copy`)];
  const move = `rm -rf ${copy}; cp -a ${here} ${copy}; mount -t tmpfs -o size=16m tmpfs ${here}; cp -a ${copy}/. ${here}/; cd ${here}`;
  const script = `exec 2>&1\n${move}\n${prepare}\n${lines.join("\n")}`;
  const env = { ...process.env, NO_COLOR: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return spawnSync("unshare", ["-m", "bash", "-c", script], { encoding: "utf8", env }).stdout;
}

function line(words: readonly string[]): string {
  return [...PLANNER, ...words].map(word).join(" ");
}

/** Prints what a command prints, then its status, between marks. */
function asked(words: readonly string[]): string {
  return `echo "@@ ${words.join(" ")}"; ${line(words)} </dev/null; echo "@ $?"`;
}

interface Answer {
  readonly words: string;
  readonly said: string;
  readonly status: number;
}

function answersIn(printed: string): readonly Answer[] {
  return printed
    .split("@@ ")
    .slice(1)
    .map((part) => {
      const [, words = "", said = "", status = ""] = /^(.*)\n([\s\S]*?)@ (\d+)\n/.exec(part) ?? [];
      return { words, said, status: Number(status) };
    });
}

const FILL = "head -c 100m /dev/zero > filler 2>/dev/null";
const HOOK = "printf '#!/bin/sh\\nexit 0\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";

const DISKS = {
  "a full disk": { prepare: `${HOOK}; ${FILL}`, why: /the disk is full \(ENOSPC\): free space/ },
  "a read-only disk": {
    prepare: `${HOOK}; mount -o remount,ro .`,
    why: /the file system is read-only \(EROFS\)/,
  },
};

describe.skipIf(!CAN_MOUNT)("the spec tool", () => {
  for (const [name, { prepare, why }] of Object.entries(DISKS)) {
    test(`on ${name} reads, refuses each write with path and cause, and leaves every file as it was`, async () => {
      using project = await ScriptedProject.make();
      project.script("save a; tick");

      const state = `find . -name filler -delete; ${STATE}`;
      const kept = name === "a full disk" ? state : STATE;
      const before = onDisk(project, HOOK, [STATE]);
      const printed = onDisk(project, prepare, [...[...READERS, ...WRITERS].map(asked), 'echo "@@@"', kept]);
      const [answers = "", after] = printed.split("@@@\n");

      const found = answersIn(answers);
      expect(found).toHaveLength(READERS.length + WRITERS.length);
      for (const { words, said, status } of found.slice(0, READERS.length)) {
        expect({ words, said, status }).toEqual({ words, said: expect.not.stringMatching(/error:|bug in/), status: 0 });
      }
      for (const { words, said, status } of found.slice(READERS.length)) {
        const refused = expect.stringMatching(new RegExp(`Cannot [^\\n]*"[^"\\n]+": [^\\n]*${why.source}`));
        expect({ words, said, status }).toEqual({ words, said: refused, status: 1 });
        expect({ words, said }).toEqual({ words, said: expect.not.stringMatching(/bug in planner|\.tmp"/) });
      }
      expect(after).toBe(before);
    });
  }

  test("a run whose disk fills up keeps its work, and the next one ends it", async () => {
    using project = await ScriptedProject.make();
    project.script(
      'save a; tick; [ -e "$out/again" ] || (cd "$PLANNER_PROJECT"; touch "$out/again"; eval "$FILL"); true',
    );

    const printed = onDisk(project, `export FILL=${word(FILL)}`, [
      line(["work", ID]),
      "echo @@; rm filler; git show planner/2026-11-01-001-aaa:a.txt",
      line(["work", ID]),
      line(["merge", ID]),
      "git show main:a.txt; grep ^status: .planner/specs/2026-11-01-001-aaa.md; find . -name '*.tmp'",
    ]);
    const [full = "", freed = ""] = printed.split("@@\n");

    // The run fails if its lock is due while the disk is full, and needs attention otherwise.
    expect(full).toMatch(/(?:failed|needs_attention): Cannot write "[^"]+": the disk is full \(ENOSPC\): free space/);
    expect(full).not.toContain("bug in planner");
    expect(freed).toMatch(/^the work in a\n/);
    expect(freed).toMatch(/Merged spec: .*\nthe work in a\n(?:the work in a\n)?status: completed\n$/);
  });
});

test("with too few open files a command says so, and the work is begun once there are more", async () => {
  using project = await ScriptedProject.make();
  project.script("save a; tick");

  for (const limit of [12, 14, 16, 18, 20, 22]) {
    for (const words of [["list"], ["add", "something new"], ["work", ID], ["merge", ID], ["doctor"]]) {
      const { stdout, stderr } = await project.sh(`ulimit -n ${limit}; ${line(words)}`);
      const said = stdout + stderr;
      expect({ limit, words, said }).toEqual({
        limit,
        words,
        said: expect.not.stringMatching(/bug in planner|[Ii]nternal error|node:|\bat </),
      });
    }
  }
  if (project.status() !== "completed") await project.planner("work", ID);
  await project.planner("merge", ID);
  expect((await project.sh("git show main:a.txt; find . -name '*.tmp'")).stdout).toMatch(
    /^the work in a\n(?:the work in a\n)*$/,
  );
});

test("a reader that goes away ends no command with an error, and changes nothing of what it does", async () => {
  using project = await ScriptedProject.make();
  project.script("save a; tick");

  const closed = (words: readonly string[]): string => `{ ${line(words)}; echo $? >&3; } 3>&1 1>/dev/full 2>&1 | cat`;
  const piped = (words: readonly string[]): string => `( ( ${line(words)}; echo $? >&3 ) | : ) 3>&1`;
  for (const words of READERS) {
    const { stdout, stderr } = await project.sh(piped(words));
    expect({ words, status: stdout.trim(), stderr }).toEqual({ words, status: "0", stderr: "" });
  }
  await project.sh(piped(["check", ID, "1"]));
  expect(project.read(`.planner/specs/${ID}.md`)).toContain("- [x] It is done");
  await project.sh(`${piped(["work", ID])}; ${closed(["merge", ID])}`);
  expect((await project.sh("git show main:a.txt")).stdout).toBe("the work in a\n");
});
