import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { runPlanner } from "../support/planner_command.ts";

const cwd = emptyFolder();
const dc = (words: readonly string[], options: { input?: string; env?: Record<string, string> } = {}) =>
  runPlanner(["dc", ...words], { cwd, ...options });

beforeAll(async () => {
  await dc(["sample", "--racks", "3", "--db", "site.sqlite"]);
});

describe("planner dc call", () => {
  let server: DcServer;
  const call = (words: readonly string[], input?: string) =>
    dc(["call", ...words, "--url", server.url], input === undefined ? {} : { input });

  beforeAll(async () => {
    server = await DcServer.start(cwd, ["--db", "site.sqlite"]);
  });

  afterAll(() => server.end());

  test("prints the answer of a running server, its request in a word or on standard input", async () => {
    const word = await call(["GetRack", '{"code": "D09"}']);
    const input = await call(["GetRack", "-"], '{"code": "D09"}');

    expect(JSON.parse(word.stdout).rack.name).toBe("Rack D09");
    expect(input.stdout).toBe(word.stdout);
    expect([word.code, input.code]).toEqual([0, 0]);
  });

  test("tells a refusal in words, with the status of its class", async () => {
    const missing = await call(["GetRack", '{"code": "none"}']);
    const wrong = await call(["UpsertRack", '{"rack": {"code": "a b"}}']);

    expect([missing.code, wrong.code]).toEqual([1, 2]);
    expect(missing.stderr).toContain('not_found: Cannot find rack "none"');
    expect(missing.stderr).toContain("reason: NOT_FOUND");
    expect(wrong.stderr).toContain("field rack.code: ");
  });

  test("refuses an RPC that is not there, a request that is no JSON, and a server that does not answer", async () => {
    const name = await call(["GetRak"]);
    const json = await call(["GetRack", "{"]);
    const nobody = await dc(["call", "GetRack", "{}", "--url", "http://127.0.0.1:1"]);
    const address = await dc(["call", "GetRack", "{}", "--url", "ftp://x"]);

    expect([name.code, json.code, nobody.code, address.code]).toEqual([2, 2, 1, 2]);
    expect(name.stderr).toContain('did you mean "GetRack"?');
    expect(nobody.stderr).toContain("Cannot reach http://127.0.0.1:1");
  });

  test("lists every RPC", async () => {
    const { stdout } = await dc(["call", "--list"]);

    expect(stdout).toContain("SearchDevices\tread\n");
    expect(stdout).toContain("BulkUpsertDevices\twrite\n");
  });
});

describe("planner dc audit", () => {
  test("verifies an unbroken log and prints it by its filters", async () => {
    const verified = await dc(["audit", "verify", "--db", "site.sqlite"]);
    const history = await dc(["audit", "history", "entity=rack:D09", "order=asc", "--db", "site.sqlite"]);
    const unknown = await dc(["audit", "history", "rack=D09", "--db", "site.sqlite"]);

    expect(verified.stdout).toMatch(/^\d+ entries, unbroken; head [0-9a-f]{64}\n/);
    const entries = history.stdout.trimEnd().split("\n");
    expect(JSON.parse(entries[0] ?? "")).toMatchObject({ action: "CREATE", entity: "rack:D09" });
    expect(entries.length).toBeGreaterThan(5);
    expect([verified.code, history.code, unknown.code]).toEqual([0, 0, 2]);
  });
});

test("planner dc migrate tells and takes missing steps, and refuses a newer database", async () => {
  const made = await dc(["migrate", "apply", "--db", "new.sqlite"]);
  const status = await dc(["migrate", "--db", "new.sqlite"]);
  const database = new DatabaseSync(join(cwd, "new.sqlite"));
  database.exec("INSERT INTO migration (step, name) VALUES (999, 'of tomorrow')");
  database.close();
  const newer = await dc(["migrate", "status", "--db", "new.sqlite"]);
  const file = join(cwd, "text.sqlite");
  writeFileSync(file, "no database at all, but long enough to be taken for one by its size alone");
  const text = await dc(["migrate", "--db", "text.sqlite"]);

  expect(made.stdout).toContain("applied: ");
  expect(status.stdout).toMatch(/: (\d+) of \1 steps\n$/);
  expect(newer.stderr).toContain("from a newer program");
  expect([made.code, status.code, newer.code, text.code]).toEqual([0, 0, 1, 1]);
});

describe("settings of planner dc serve", () => {
  const shown = (words: readonly string[], env: Record<string, string> = {}) =>
    dc(["serve", "--print-config", ...words], { env });

  test("come from flags before variables before the file before defaults", async () => {
    writeFileSync(join(cwd, "dc.yaml"), "host: 127.0.0.3\nport: 3\ntokens: t.json\n");
    const { stdout, code } = await shown(["--host", "127.0.0.1", "--config", "dc.yaml"], { PLANNER_DC_PORT: "2" });

    expect(stdout.split("\n")).toEqual(
      expect.arrayContaining([
        'host: "127.0.0.1" # flag',
        "port: 2 # environment: PLANNER_DC_PORT",
        'tokens: "t.json" # file: dc.yaml',
        "insecure: false # default",
      ]),
    );
    expect(code).toBe(0);
  });

  test("show no secret, and take one from a file", async () => {
    writeFileSync(join(cwd, "address"), "postgres://anna:geheim@127.0.0.1/dc\n");
    const { stdout } = await shown([], { PLANNER_DC_DB_FILE: "address" });

    expect(stdout).toContain('db: "postgres://anna@127.0.0.1');
    expect(stdout).toContain("# environment: PLANNER_DC_DB_FILE");
    expect(stdout).not.toContain("geheim");
  });

  test("are refused with what was expected", async () => {
    writeFileSync(join(cwd, "wrong.yaml"), "prot: 1\n");
    writeFileSync(join(cwd, "kind.json"), '{"port": "many"}');
    const key = await shown(["--config", "wrong.yaml"]);
    const kind = await shown(["--config", "kind.json"]);
    const variable = await shown([], { PLANNER_DC_PORT: "tcp://10.0.0.1:8081" });
    const missing = await shown(["--config", "none.yaml"]);

    expect([key.code, kind.code, variable.code, missing.code]).toEqual([2, 2, 2, 2]);
    expect(key.stderr).toContain('did you mean "port"?');
    expect(kind.stderr).toContain('"port" in kind.json: expected a whole number');
    expect(variable.stderr).toContain("PLANNER_DC_PORT: expected a whole number");
  });

  test("make a server listen where the file says", async () => {
    writeFileSync(join(cwd, "serve.json"), JSON.stringify({ host: "127.0.0.1", db: "site.sqlite" }));
    const server = await DcServer.start(cwd, ["--config", "serve.json"]);
    try {
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    } finally {
      await server.end();
    }
  });
});

test("planner dc audit lists what change feeds sent and nobody understood, and settles it", async () => {
  const file = join(cwd, "letters.sqlite");
  await dc(["sample", "--racks", "1", "--db", file]);
  const database = new DatabaseSync(file);
  const keep = database.prepare("INSERT INTO dead_letter (id, received_at, feed, reason, body) VALUES (?, ?, ?, ?, ?)");
  const gone = { after: null, key: ["r1"], topic: "rack", updated: "1767323050000000000.0000000000" };
  keep.run("one", "2026-01-02T03:04:05.000Z", "default", "The row's body is no Rack", JSON.stringify(gone));
  keep.run("two", "2026-01-02T03:04:06.000Z", "default", "An event is no object", '"?"');
  database.close();

  const listed = await dc(["audit", "dead-letters", "--db", file]);
  const replayed = await dc(["audit", "replay", "all", "--db", file]);
  const dropped = await dc(["audit", "drop", "two", "--db", file]);
  const empty = await dc(["audit", "dead-letters", "--db", file]);
  const missing = await dc(["audit", "drop", "two", "--db", file]);
  const nameless = await dc(["audit", "drop", "--db", file]);
  const verified = await dc(["audit", "verify", "--db", file]);

  const letters = listed.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(letters.map(({ id, event }) => [id, event])).toEqual([
    ["one", JSON.stringify(gone)],
    ["two", '"?"'],
  ]);
  expect([replayed.code, replayed.stdout]).toEqual([1, "one\treplayed: recorded as written outside the service\n"]);
  expect(replayed.stderr).toContain('Cannot replay dead letter "two": An event is no object');
  expect([dropped.code, dropped.stdout]).toEqual([0, "two\tdropped\n"]);
  expect([empty.code, empty.stdout, empty.stderr]).toEqual([0, "", "There are no dead letters\n"]);
  expect([missing.code, nameless.code]).toEqual([1, 2]);
  expect(nameless.stderr).toContain("Missing argument <ids>: ids of dead letters, or all");
  expect(verified.code).toBe(0);
});
