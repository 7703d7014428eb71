import { afterAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { netboxInventory } from "../support/dc/netbox/inventory.ts";
import type { Lists } from "../support/dc/netbox/lists.ts";
import { type NetboxServer, serveNetbox } from "../support/dc/netbox/server.ts";
import { emptyFolder } from "../support/dc_server.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";

const cwd = emptyFolder();
const servers: NetboxServer[] = [];
const dc = (words: readonly string[], env: Record<string, string> = {}) => runPlanner(["dc", ...words], { cwd, env });

afterAll(async () => {
  for (const server of servers) await server.close();
});

/** The whole report, which the command prints as its last line with --json. */
function reportOf(stdout: string) {
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

function writeLists(folder: string, lists: Lists): void {
  mkdirSync(join(cwd, folder), { recursive: true });
  for (const [path, list] of lists) {
    writeFileSync(
      join(cwd, folder, `${path.split("/")[1]}.json`),
      JSON.stringify({ count: list.length, results: list }),
    );
  }
}

describe("planner dc import --from netbox", () => {
  test("imports a live NetBox, tells what would change, and changes nothing that did not", async () => {
    const { lists } = netboxInventory();
    const server = await serveNetbox(lists, { token: "secret", pageSize: 50 });
    servers.push(server);
    const words = ["import", "--from", "netbox", "--url", server.url, "--db", "live.sqlite", "--json"];
    const env = { NETBOX_TOKEN: "secret" };

    const refused = await dc(words);
    const first = await dc(words, env);
    Object.assign(lists.get("dcim/devices")?.find(({ name }) => name === "srv:01") ?? {}, { serial: "NEW" });
    const tried = await dc([...words, "--dry-run", "--prune"], env);
    const second = await dc([...words, "--prune"], env);
    const third = await dc(words, env);

    expect([refused.code, first.code]).toEqual([1, 0]);
    expect(refused.stderr).toContain("the token may not read this list");
    expect(reportOf(first.stdout).counts).toMatchObject([
      { kind: "rack", created: 4 },
      { kind: "device" },
      { kind: "cable" },
    ]);
    expect(reportOf(first.stdout).quality).toMatchObject({ inlets: 8, inlets_with_source: 7 });
    const change = {
      action: "update",
      ref: "device:srv-01",
      fields: [{ field: "serial", before: "S2", after: "NEW" }],
    };
    expect(reportOf(tried.stdout)).toMatchObject({ state: "tried", changes: [change] });
    expect(reportOf(second.stdout)).toMatchObject({ state: "done", changes: [change] });
    expect(reportOf(third.stdout).changes).toEqual([]);
  });

  test("imports the rest of lists that hold broken, double and huge objects, and names each", async () => {
    const { lists } = netboxInventory();
    const [device] = lists.get("dcim/devices") ?? [];
    Object.assign(device ?? {}, { comments: "x".repeat(10 << 20) });
    lists.get("dcim/racks")?.push({ ...(lists.get("dcim/racks")?.[0] ?? { id: 0 }), name: "double" });
    writeLists("hostile", lists);
    const sites = join(cwd, "hostile", "sites.json");
    writeFileSync(sites, readFileSync(sites, "utf8").replace('"results":[', '"results":[{"id": nope}, "text", '));

    const { code, stdout, stderr } = await dc(
      "import --from netbox hostile --db hostile.sqlite --report r.json".split(" "),
    );
    const report = JSON.parse(readFileSync(join(cwd, "r.json"), "utf8"));

    expect(code).toBe(1);
    expect(report.unreadable).toMatchObject([
      { file: "hostile/sites.json", number: 1 },
      { file: "hostile/sites.json", number: 2, reason: "expected an object with an id" },
    ]);
    expect(stderr).toContain("hostile/sites.json 2: expected an object with an id");
    expect(report.not_carried.map(({ reason }: { reason: string }) => reason)).toContain(
      "An object whose id came before",
    );
    expect(report.counts.map(({ refused }: { refused: number }) => refused)).toEqual([0, 0, 0]);
    expect(stdout).toContain("power: 87 % of 8 inlets have a source");
  });

  test("stops at Ctrl-C while it reads, with nothing written, and goes on when it is run again", async () => {
    const { lists } = netboxInventory();
    const held = Promise.withResolvers<void>();
    const server = await serveNetbox(lists, {
      trouble: ({ path }) => {
        if (path === "dcim/devices") held.resolve();
        // The import waits for the server, as long as it is not stopped.
        return path === "dcim/devices" ? { status: 503, headers: { "Retry-After": "60" } } : undefined;
      },
    });
    servers.push(server);
    const calm = await serveNetbox(lists, {});
    servers.push(calm);
    const words = (url: string) => [
      "dc",
      "import",
      "--from",
      "netbox",
      "--url",
      url,
      "--db",
      "stopped.sqlite",
      "--json",
    ];
    const [program = "", ...args] = [...PLANNER, ...words(server.url)];
    const child = spawn(program, args, { cwd, stdio: "ignore" });
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));

    await held.promise;
    child.kill("SIGINT");
    const code = await ended;
    const again = await runPlanner(words(calm.url), { cwd });

    expect(code).toBe(130);
    expect(reportOf(again.stdout).counts).toMatchObject([{ kind: "rack", created: 4, unchanged: 0 }, {}, {}]);
  });

  test("refuses flags that belong to something else", async () => {
    const format = await dc(["import", "--from", "netbox", "x", "--format", "csv"]);
    const sites = await dc(["import", "file.jsonl", "--sites", "muc"]);
    const prune = await dc(["import", "--from", "netbox", "--url", "http://127.0.0.1:1", "--sites", "muc", "--prune"]);
    const nothing = await dc(["import", "--from", "netbox", "--db", "none.sqlite"]);

    expect(format.stderr).toContain('"--format csv" and "--from netbox" exclude each other');
    expect(sites.stderr).toContain('"--sites" needs "--from netbox"');
    expect(prune.stderr).toContain('"--prune" with "--sites" needs "--origin"');
    expect(nothing.stderr).toContain("expected --url, a dump, or a folder of lists");
  });

  test.each([
    ["http://127.0.0.1:1/?_branch=abc", "expected no query"],
    ["http://127.0.0.1:1/#x", "expected no fragment"],
    ["http://user:pass@127.0.0.1:1", "expected no user in it"],
    ["http://127.0.0.1:1/dcim/devices/", "expected the address of the NetBox"],
    ["http://127.0.0.1:1/netbox/api/dcim/devices/", "expected the address of the NetBox"],
    ["ftp://127.0.0.1:1", "expected http:// or https://"],
  ])("refuses the address %s", async (url, expected) => {
    const { code, stderr } = await dc(["import", "--from", "netbox", "--url", url, "--db", "none.sqlite"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(expected)]);
  });
});

test("planner dc import --from csv reads a spreadsheet by a mapping, and proposes one", async () => {
  writeFileSync(join(cwd, "sheet.csv"), "Hostname,U,Size,Status\nweb 01,10,2,In use\nweb 02,x,2,In use\nweb 01,1,1,\n");
  writeFileSync(
    join(cwd, "sheet.yaml"),
    "kind: device\nkey: Hostname\ncolumns: {Hostname: name, Size: u_height, Status: status, U: measured_draw_w}\n" +
      "values: {Status: {In use: active}}\ndefaults: {kind: server, location.site_id: S, location.floor_number: 0}\n",
  );
  const words = ["import", "--from", "csv", "sheet.csv", "--db", "sheet.sqlite"];

  const proposed = await dc(words);
  const absent = await dc([...words, "--mapping", "absent.yaml"]);
  const { code, stdout, stderr } = await dc([...words, "--mapping", "sheet.yaml"]);

  expect(proposed.stderr).toContain('"Hostname": name');
  expect(absent.stderr).toStartWith('error: There is no file "absent.yaml" for "--mapping": expected a file that says');
  expect([code, stdout.match(/device +(.*)/)?.[1]?.split(/ +/)]).toEqual([1, ["1", "0", "0", "0", "2"]]);
  expect(stderr).toContain("measured_draw_w");
  expect(stderr).toContain('device web 01: "web 01" is in line 2 already');
});

test("planner dc import --from csv --prune deletes what left the sheet, and nothing that it cannot be sure of", async () => {
  const fields = { code: "code", kind: "kind", rack: "rack_code", u: "position_u" };
  writeFileSync(join(cwd, "racks.yaml"), "kind: rack\ncolumns: { code: code, site: location.site_id }\n");
  writeFileSync(join(cwd, "devices.yaml"), `kind: device\ncolumns: ${JSON.stringify(fields)}\n`);
  const sheet = (name: string, ...rows: string[]) => {
    writeFileSync(join(cwd, `${name}.csv`), `${rows.join("\n")}\n`);
    return dc(["import", "--from", "csv", `${name}.csv`, "--mapping", `${name}.yaml`, "--db", "p.sqlite", "--prune"]);
  };
  const [head, one, two, three] = ["code,kind,rack,u", "s1,server,R1,1", "s2,server,R1,3", "s3"];
  await sheet("racks", "code,site", "R1,muc");
  const first = await sheet("devices", head, one, two, `${three},server,R1,5`);
  const unsure = await sheet("devices", head, one, `${three},toaster,R1,5`, "s4,server,R1,1");
  const sure = await sheet("devices", head, one, `${three},server,R1,5`);

  // A slow machine prints progress.
  const complaints = ({ code, stderr }: Awaited<ReturnType<typeof dc>>) => [
    code,
    stderr.replace(/^writing: .*\n/gm, ""),
  ];
  expect(complaints(first)).toEqual([0, ""]);
  expect(unsure.code).toBe(1);
  expect(unsure.stderr).toContain(
    'devices.csv 3: device s3: cell "kind": "toaster" is none of its values: expected server,',
  );
  expect(unsure.stderr).toContain("devices.csv 4: device:s4 (device/s4): ");
  expect(unsure.stderr).toContain("device:s2 (device/s2): it stays: 1 of the source could not be read");
  expect(unsure.stdout).toMatch(/device +0 +0 +0 +1 +2/);
  expect(complaints(sure)).toEqual([0, ""]);
  expect(sure.stdout).toMatch(/device +0 +0 +1 +2 +0/);
  expect((await dc(["export", "--db", "p.sqlite"])).stdout.match(/"FACE_FRONT"/g)).toHaveLength(2);
});

test("planner dc export --to writes files for other programs", async () => {
  const topology =
    "name: lab\ntopology:\n  nodes: {leaf1: {}, spine1: {}}\n  links: [{endpoints: ['leaf1:e1', 'spine1:e1']}]\n";
  writeFileSync(join(cwd, "lab.clab.yml"), topology);
  await dc(["import", "--from", "containerlab", "lab.clab.yml", "--db", "lab.sqlite"]);

  const dot = await dc(["export", "--to", "graphviz", "--db", "lab.sqlite"]);
  const csv = await dc(["export", "--to", "netbox-csv", "netbox", "--db", "lab.sqlite"]);
  const back = await dc(["import", "--from", "netbox", "netbox", "--db", "back.sqlite", "--json"]);

  expect(dot.stdout).toContain('"leaf1" -- "spine1" [taillabel="e1", headlabel="e1"];');
  expect(csv.code).toBe(0);
  expect(reportOf(back.stdout).counts).toMatchObject([
    { kind: "device", created: 2 },
    { kind: "cable", created: 1 },
  ]);
});

test("planner dc types imports a library, refuses by line what is no type, and lists the rest", async () => {
  mkdirSync(join(cwd, "types"));
  writeFileSync(join(cwd, "types", "good.yaml"), "manufacturer: Acme\nmodel: Server\nslug: acme-server\nu_height: 2\n");
  writeFileSync(join(cwd, "types", "twin.yaml"), "manufacturer: Acme\nmodel: Server 2\nslug: acme-server\n");
  writeFileSync(join(cwd, "types", "wrong.yaml"), "manufacturer: Acme\nmodel: Wrong\nu_height: high\n");
  writeFileSync(join(cwd, "types", "broken.yaml"), "manufacturer: [\n");

  const { code, stdout, stderr } = await dc(["types", "import", "types", "--db", "types.sqlite"]);
  const list = await dc(["types", "list", "ACME", "--db", "types.sqlite"]);

  expect([code, stdout]).toEqual([1, "1 created, 0 updated, 0 unchanged, 3 refused\n"]);
  expect(stderr).toContain('types/twin.yaml:3: the code "acme-server" is that of types/good.yaml');
  expect(stderr).toContain('types/wrong.yaml:3: u_height: expected 0 to 100 in steps of 0.5, found "high"');
  expect(stderr).toContain("types/broken.yaml:");
  expect(list.stdout).toContain("acme-server");
});

test("planner dc add device builds a device to its type, once", async () => {
  const type = ["manufacturer: Acme", "model: Two", "slug: acme-two", "u_height: 2", "weight: 20", "weight_unit: kg"];
  writeFileSync(join(cwd, "two.yaml"), `${[...type, "power-ports:", "  - name: PSU1"].join("\n")}\n`);
  writeFileSync(join(cwd, "place.yaml"), "kind: rack\ncolumns: { code: code, site: location.site_id }\n");
  writeFileSync(join(cwd, "place.csv"), "code,site\nR1,muc\n");
  const db = ["--db", "add.sqlite"];
  await dc(["import", "--from", "csv", "place.csv", "--mapping", "place.yaml", ...db]);
  await dc(["types", "import", "two.yaml", ...db]);
  const words = ["add", "device", "S1", "--type", "acme-two", "--rack", "R1", "--position", "3", ...db];

  const tried = await dc([...words, "--dry-run"]);
  const added = await dc(words);
  const again = await dc(words);
  const below = await dc(["add", "device", "S2", "--kind", "sensor", "--site", "muc", "--floor=-1", ...db]);
  const [unknown, bare, misplaced] = await Promise.all([
    dc(["add", "device", "S3", "--type", "nope", ...db]),
    dc(["add", "device", "S3", ...db]),
    dc(["add", "device", "S3", "--kind", "server", "--rack", "R1", "--position", "x", ...db]),
  ]);
  const kept = await dc(["export", ...db]);

  expect([tried.stdout, added.stdout, below.stdout]).toEqual([
    "device:S1 can be created\n",
    "device:S1 created\n",
    "device:S2 created\n",
  ]);
  expect([again.code, again.stderr]).toEqual([
    1,
    'error: There is a device "S1" already: expected one that is not stored yet\n',
  ]);
  expect(unknown.stderr).toContain('Cannot find device type "nope"');
  expect(bare.stderr).toContain('Missing "--type" or "--kind"');
  expect(misplaced.stderr).toContain('Wrong value "x" for "--position": expected a unit');
  expect(kept.stdout).toContain('"position_u":3,"rack_code":"R1"');
  expect(kept.stdout).toContain('"weight_kg":20');
  expect(kept.stdout).toContain('"floor_number":-1');
});

test("--prune deletes no more than a quarter of a list unless --prune-limit allows it", async () => {
  const rows = (names: readonly string[]) => `code,site\n${names.map((name) => `${name},muc`).join("\n")}\n`;
  const names = ["R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8"];
  writeFileSync(join(cwd, "limit.yaml"), "kind: rack\ncolumns: { code: code, site: location.site_id }\n");
  writeFileSync(
    join(cwd, "limit-key.yaml"),
    "kind: rack\nkey: [site, code]\ncolumns: { code: code, site: location.site_id }\n",
  );
  const sync = async (left: readonly string[], flags: readonly string[] = [], mapping = "limit.yaml") => {
    writeFileSync(join(cwd, "limit.csv"), rows(left));
    const words = [
      "import",
      "--from",
      "csv",
      "limit.csv",
      "--mapping",
      mapping,
      "--db",
      "limit.sqlite",
      "--prune",
      "--json",
    ];
    const { code, stdout } = await dc([...words, ...flags]);
    const { counts, prune_refused: refused } = reportOf(stdout);
    return [code, counts[0].deleted, refused];
  };
  const create = await sync(names);
  const three = await sync(names.slice(3));
  const tried = await sync(names.slice(3), ["--prune-limit", "38", "--dry-run"]);
  const two = await sync(names.slice(2));
  const renamed = await sync(names.slice(2), [], "limit-key.yaml");
  const half = await sync(names.slice(5), ["--prune-limit", "50"], "limit-key.yaml");
  const one = await sync(names.slice(6), [], "limit-key.yaml");
  const wrong = await dc(["import", "--from", "csv", "x", "--prune", "--prune-limit", "101"]);

  expect(create).toEqual([0, 0, undefined]);
  expect(three).toEqual([
    1,
    0,
    'the source lacks 3 of 8 in its list "rack", more than 25 %: --prune-limit 38 deletes them',
  ]);
  expect(tried).toEqual([0, 3, undefined]);
  expect(two).toEqual([0, 2, undefined]);
  expect(renamed).toEqual([0, 0, undefined]);
  expect(half).toEqual([0, 3, undefined]);
  expect(one).toEqual([0, 1, undefined]);
  expect(wrong.stderr).toContain('Wrong value "101" for "--prune-limit"');
});
