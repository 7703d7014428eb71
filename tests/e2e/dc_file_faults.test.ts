import { beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type DcServer, emptyFolder } from "../support/dc_server.ts";
import { serveDc } from "../support/end_after_test.ts";
import { http1, putRack } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";
import { SeededRandom } from "../support/seeded_random.ts";

/** How often each fault is tried: once in every run, more often when it is asked for. */
const ROUNDS = Number(process.env["PLANNER_TEST_FILE_FAULTS"] ?? 1);
const SEED = Number(process.env["PLANNER_TEST_SEED"] ?? 1);
const served = (cwd: string) => serveDc(cwd, ["--db", "dc.sqlite"]);

/** Writes a rack; gives the status. */
const put = async ({ url }: DcServer, code: string) => (await putRack(url, code)).status;

async function putMany(server: DcServer, prefix: string, count: number): Promise<readonly string[]> {
  const codes = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  for (const code of codes) expect(await put(server, code)).toBe(200);
  return codes;
}

/** The racks of a file as the next program that opens it finds them; undefined if it is not whole. */
function racksOf(file: string): readonly string[] | undefined {
  const database = new DatabaseSync(file);
  try {
    const [check] = database.prepare("PRAGMA integrity_check").all();
    if (check?.["integrity_check"] !== "ok") return undefined;
    return database
      .prepare("SELECT code FROM rack")
      .all()
      .map(({ code }) => String(code));
  } finally {
    database.close();
  }
}

/** Bytes of `-wal` that hold commits: it may be longer, once it began anew. */
function committedBytes(shm: string): number {
  const index = readFileSync(shm);
  const frames = index.readUInt32LE(16);
  return 32 + frames * (24 + index.readUInt16LE(14));
}

interface Files {
  readonly db: string;
  readonly wal: string;
  readonly shm: string;
  /** A backup from before the last writes. */
  readonly backup: string;
  readonly random: SeededRandom;
}

interface Fault {
  readonly what: string;
  readonly make: (files: Files) => void;
  /** What the next program finds: all that was acknowledged, a whole database, or none. */
  readonly left: "all" | "whole" | "backup" | "none";
  readonly says: string;
}

const FAULTS: readonly Fault[] = [
  { what: "a removed -wal", make: ({ wal }) => rmSync(wal), left: "all", says: "-wal file was removed" },
  {
    what: "an emptied copy in place of -wal",
    make({ wal }) {
      writeFileSync(`${wal}.new`, "");
      renameSync(`${wal}.new`, wal);
    },
    left: "all",
    says: "-wal file was replaced",
  },
  {
    what: "a copy of -wal in its place",
    make({ wal }) {
      copyFileSync(wal, `${wal}.new`);
      renameSync(`${wal}.new`, wal);
    },
    left: "all",
    says: "-wal file was replaced",
  },
  { what: "an emptied -wal", make: ({ wal }) => truncateSync(wal, 0), left: "whole", says: "-wal file was truncated" },
  {
    what: "a shortened -wal",
    make: ({ wal, shm, random }) => truncateSync(wal, random.below(committedBytes(shm) - 1)),
    left: "whole",
    says: "-wal file was truncated",
  },
  { what: "a removed -shm", make: ({ shm }) => rmSync(shm), left: "all", says: "-shm file was removed" },
  { what: "an emptied -shm", make: ({ shm }) => truncateSync(shm, 0), left: "all", says: "-shm file was truncated" },
  {
    what: "a removed -wal and -shm",
    make({ wal, shm }) {
      rmSync(wal);
      rmSync(shm);
    },
    left: "all",
    says: "-wal file was removed",
  },
  {
    what: "a backup renamed over the database",
    make: ({ backup, db }) => renameSync(backup, db),
    left: "backup",
    says: "was replaced by another",
  },
  {
    what: "a backup copied over the database",
    make: ({ backup, db }) => copyFileSync(backup, db),
    left: "backup",
    says: "main file was overwritten",
  },
  {
    what: "a shortened database",
    make: ({ db }) => truncateSync(db, statSync(db).size - 8192),
    left: "none",
    says: "main file was truncated",
  },
  { what: "a removed database", make: ({ db }) => rmSync(db), left: "none", says: "it was removed" },
  {
    what: "three removed files",
    make({ db, wal, shm }) {
      for (const path of [db, wal, shm]) rmSync(path);
    },
    left: "none",
    says: "it was removed",
  },
];

const template = join(emptyFolder(), "dc.sqlite");
beforeAll(async () => {
  await runPlanner(["dc", "sample", "--racks", "1", "--db", template], { cwd: emptyFolder() });
});

async function started(random: SeededRandom) {
  const cwd = emptyFolder();
  const db = join(cwd, "dc.sqlite");
  copyFileSync(template, db);
  const server = await served(cwd);
  const codes = [...(await putMany(server, "BEFORE-", 1 + random.below(5)))];
  const backup = join(cwd, "backup.sqlite");
  const other = new DatabaseSync(db);
  other.exec(`VACUUM INTO '${backup}'`);
  other.close();
  // Long enough now and then that frames are copied, so that the log begins anew.
  codes.push(...(await putMany(server, "AFTER-", 1 + random.below(random.below(4) === 0 ? 150 : 10))));
  return { server, codes, files: { db, wal: `${db}-wal`, shm: `${db}-shm`, backup, random } };
}

/** Makes a fault, asks the server twice, kills it and looks at what it leaves. */
async function tryFault({ make, left, says }: Fault, random: SeededRandom): Promise<void> {
  const { server, codes, files } = await started(random);
  make(files);

  const statuses = [await put(server, "LOST-1")];
  const ready = await http1(`${server.url}/readyz`);
  statuses.push(await put(server, "LOST-2"));
  const again = await http1(`${server.url}/readyz`);
  const told = server.stderr.split("\n").filter((line) => line.includes(" database: "));
  server.child.kill("SIGKILL");
  await server.ended;

  expect(statuses).toEqual([503, 503]);
  expect([ready.status, again.status]).toEqual([503, 503]);
  expect(ready.text).toContain(says);
  expect(told).toEqual([expect.stringMatching(/was (?:removed|replaced|truncated|overwritten)/)]);
  if (left === "none") return;
  const racks = racksOf(files.db);
  expect(racks).toBeDefined();
  const own = racks?.filter((code) => /^(?:BEFORE|AFTER|LOST)-/.test(code)).toSorted();
  const wanted = left === "all" ? codes : codes.filter((code) => code.startsWith("BEFORE-"));
  if (left === "whole") expect(own?.filter((code) => !codes.includes(code))).toEqual([]);
  else expect(own).toEqual(wanted.toSorted());
}

describe("files of the database that are changed under the server", () => {
  for (const fault of FAULTS) {
    test(`${fault.what}: nothing is acknowledged, readiness says why, what is left is whole after kill -9`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) await tryFault(fault, new SeededRandom(SEED + round));
    }, 600_000);
  }

  test("end the server without a copy of its log, so that what is left is whole", async () => {
    const { server, files } = await started(new SeededRandom(SEED));
    truncateSync(files.wal, 20_000);

    server.child.kill("SIGTERM");
    await server.ended;

    expect(racksOf(files.db)).toBeDefined();
  });

  test("are no fault where another program only reads, copies the log or adds a name", async () => {
    const { server, codes, files } = await started(new SeededRandom(SEED));
    const { db } = files;
    const changes: readonly (() => void)[] = [
      () => utimesSync(db, new Date(), new Date()),
      () => linkSync(db, `${db}.link`),
      () => copyFileSync(db, `${db}.copy`),
      () => {
        const other = new DatabaseSync(db);
        other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        other.close();
      },
      () => {
        const other = new DatabaseSync(db);
        other.exec("VACUUM");
        other.close();
      },
    ];

    for (const [index, change] of changes.entries()) {
      change();
      codes.push(`FINE-${index}`);
      expect(await put(server, `FINE-${index}`)).toBe(200);
      expect((await http1(`${server.url}/readyz`)).status).toBe(200);
    }
    server.child.kill("SIGKILL");
    await server.ended;

    expect(codes.filter((code) => !racksOf(db)?.includes(code))).toEqual([]);
    expect(server.stderr).not.toContain(" database: ");
  });

  test("are found through a link to the database as well", async () => {
    const cwd = emptyFolder();
    mkdirSync(join(cwd, "data"));
    copyFileSync(template, join(cwd, "data", "real.sqlite"));
    symlinkSync(join(cwd, "data", "real.sqlite"), join(cwd, "dc.sqlite"));
    const server = await served(cwd);
    await putMany(server, "R-", 3);
    rmSync(join(cwd, "data", "real.sqlite-wal"));

    expect(await put(server, "LOST")).toBe(503);
    expect(existsSync(join(cwd, "dc.sqlite-wal"))).toBe(false);
    server.child.kill("SIGKILL");
    await server.ended;
    expect(racksOf(join(cwd, "data", "real.sqlite"))).toEqual(expect.arrayContaining(["R-0", "R-1", "R-2"]));
  });
});
