import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { emptyFolder } from "../support/dc_server.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";

/** Whether this process may make mounts of its own. */
const CAN_MOUNT = spawnSync("unshare", ["-m", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]).status === 0;
if (!CAN_MOUNT) process.stderr.write("SKIPPED: full and read-only disks need mounts, which this user may not make\n");

const DATABASE = "dc.sqlite";
/** Commands of the datacenter that make a file, each with the file. */
const WRITERS: Readonly<Record<string, { readonly words: readonly string[]; readonly file: string }>> = {
  "dc sample -o": { words: ["sample", "--racks", "1", "-o", "s.jsonl"], file: "s.jsonl" },
  "dc sample --db": { words: ["sample", "--racks", "1", "--db", "new.sqlite"], file: "new.sqlite" },
  "dc token create": { words: ["token", "create", "anna", "--tokens", "t.json"], file: "t.json" },
  "dc export": { words: ["export", "--db", DATABASE, "e.jsonl"], file: "e.jsonl" },
  "dc export into a folder": { words: ["export", "--db", DATABASE, "--format", "csv", "f"], file: "f" },
  "dc audit archive": {
    words: ["audit", "archive", "--db", DATABASE, "--before", "2100-01-01", "-o", "a.jsonl"],
    file: "a.jsonl",
  },
};

/** What a command says on a disk, and the files that are there before and after it. */
interface Outcome {
  readonly status: number;
  readonly stderr: string;
  readonly before: string;
  readonly after: string;
}

/** Runs each command in a shell of one mount, which `prepare` makes around a database in `m`. */
function runAll(prepare: string, names: readonly string[]): ReadonlyMap<string, Outcome> {
  const cwd = emptyFolder();
  const made = spawnSync(PLANNER[0] ?? "", [...PLANNER.slice(1), "dc", "sample", "--racks", "1", "--db", DATABASE], {
    cwd,
  });
  expect(made.status).toBe(0);
  const list = "ls -A | grep -v -e '-wal$' -e '-shm$' | tr '\\n' ' '";
  const runs = names.map((name) => {
    const line = [...PLANNER, "dc", ...(WRITERS[name]?.words ?? [])].map((word) => `'${word}'`).join(" ");
    return `B=$(${list}); E=$(${line} 2>&1 >/dev/null); S=$?; printf '%s\\0%s\\0%s\\0%s\\0' "$S" "$E" "$B" "$(${list})"`;
  });
  const { stdout } = spawnSync("unshare", ["-m", "sh", "-c", [`mkdir m; ${prepare}; cd m`, ...runs].join("\n")], {
    cwd,
    encoding: "utf8",
  });
  const parts = stdout.split("\0");
  return new Map(
    names.map((name, index) => {
      const [status, stderr = "", before = "", after = ""] = parts.slice(index * 4, index * 4 + 4);
      return [name, { status: Number(status), stderr, before, after }];
    }),
  );
}

const FULL = `mount -t tmpfs -o size=4m tmpfs m; cp ${DATABASE}* m/; head -c 100m /dev/zero > m/filler 2>/dev/null`;
const READ_ONLY = `mount -t tmpfs tmpfs m; cp ${DATABASE}* m/; mount -o remount,ro m`;

function expectRefusal({ status, stderr, before, after }: Outcome, file: string): void {
  expect(status).toBe(1);
  expect(stderr).toMatch(new RegExp(`^error: Cannot [^\\n]*"[^"\\n]*/m/(?:${file}|${DATABASE})"`));
  expect(stderr).toMatch(/free space|choose another path/);
  expect(stderr).not.toMatch(/\.tmp|bug in planner|Internal error/);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(after).toBe(before);
}

describe.skipIf(!CAN_MOUNT)("a command that makes a file", () => {
  for (const [disk, prepare] of [
    ["full", FULL],
    ["read-only", READ_ONLY],
  ] as const) {
    const names = Object.keys(WRITERS);
    test(`names the path and what to do on a ${disk} disk, and leaves nothing behind`, () => {
      const outcomes = runAll(prepare, names);

      for (const [name, outcome] of outcomes) {
        try {
          expectRefusal(outcome, WRITERS[name]?.file ?? "");
          if (disk === "read-only") expect(outcome.stderr).toContain("read-only");
        } catch (error) {
          throw new Error(`${name}: ${JSON.stringify(outcome)}`, { cause: error });
        }
      }
      expect(outcomes.size).toBe(names.length);
    });
  }
});

test("a limit of file sizes is named by commands that meet it, which leave nothing behind", async () => {
  for (const name of ["dc sample -o", "dc sample --db"]) {
    const { words = [], file = "" } = WRITERS[name] ?? {};
    const cwd = emptyFolder();
    const { status, stderr } = spawnSync("sh", ["-c", 'ulimit -f 8; exec "$@"', "sh", ...PLANNER, "dc", ...words], {
      cwd,
      encoding: "utf8",
    });

    expect(status).toBe(1);
    expect(stderr).toMatch(new RegExp(`^error: Cannot [^\\n]*/${file}": [^\\n]*ulimit -f`));
    expect(spawnSync("ls", ["-A"], { cwd, encoding: "utf8" }).stdout).toBe("");
  }
});

test("an archive never replaces a file, and a token that is refused makes none", async () => {
  const cwd = emptyFolder();
  await runPlanner(["dc", "sample", "--racks", "1", "--db", DATABASE], { cwd });
  const { words = [] } = WRITERS["dc audit archive"] ?? {};

  const first = await runPlanner(["dc", ...words], { cwd });
  const second = await runPlanner(["dc", ...words, "--before", "2100-01-02"], { cwd });
  const token = await runPlanner(["dc", "token", "create", "anna", "--expires", "never", "--tokens", "t.json"], {
    cwd,
  });

  expect([first.code, second.code, token.code]).toEqual([0, expect.any(Number), 2]);
  const { stdout } = spawnSync("ls", ["-A"], { cwd, encoding: "utf8" });
  expect(stdout).toContain("a.jsonl");
  expect(stdout).not.toContain("t.json");
});
