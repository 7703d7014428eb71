import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DcServer, emptyFolder, sampleDatabase } from "../support/dc_server.ts";
import { http1 } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";

const cwd = emptyFolder();

beforeAll(() => sampleDatabase(cwd, "site.sqlite"));

const check = (...words: string[]) => runPlanner(["dc", "window", "check", ...words, "--db", "site.sqlite"], { cwd });

describe("planner dc window check", () => {
  test("prints verdict, reasons and whom to tell, and exits by the verdict", async () => {
    const go = await check("PDU-A01-B", "--for", "2h");
    const risk = await check("SPINE-D09-1", "--for", "1h30m");
    const lost = await check("PDU-A01-A", "--for", "2h");
    const accepted = await check("PDU-A01-A", "--for", "2h", "--accept", "role:mgmt-switch");

    expect([go.code, risk.code, lost.code, accepted.code]).toEqual([0, 3, 1, 0]);
    expect(go.stdout).toStartWith("Go (reduced redundancy)\n\nReasons:\n  22 devices of rack A01 with less supply\n");
    expect(risk.stdout).toContain("  The uplinks left to LEAF-D04-1 carry 84.3 %, above 80 %\n");
    expect(lost.stdout).toStartWith("No go (outage)\n\nReasons:\n  MGMT-A01 goes offline\n");
    expect(accepted.stdout).toContain("  MGMT-A01 goes offline (accepted)\n");
    expect(go.stdout).toContain("\nTell:\n  no tenant or contact recorded: on the last supply ");
  }, 240_000);

  test("prints JSON for the time that is asked about, in a zone", async () => {
    const words = ["--from", "2099-07-04 20:00", "--until", "2099-07-04 20:09", "--time-zone", "Europe/Amsterdam"];
    const { code, stdout } = await check("UTIL-A", "GEN-A", ...words, "--json");
    const { verdict, reasons } = JSON.parse(stdout);
    expect([code, verdict, reasons[0].kind]).toEqual([
      3,
      "WINDOW_VERDICT_GO_WITH_RISK",
      "WINDOW_REASON_KIND_ON_BATTERY",
    ]);
  }, 240_000);

  test("refuses what it cannot read, with the flag, the value and what is expected", async () => {
    const skipped = ["--from", "2099-03-29 02:30", "--time-zone", "Europe/Amsterdam"];
    const doubled = ["--from", "2099-10-25 02:30", "--time-zone", "Europe/Amsterdam"];
    const refused = async (...words: string[]) => {
      const { code, stderr } = await check("UPS-B1", ...words);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused("--for", "2x")).toContain('Wrong value "2x" for --for: expected days, hours and minutes');
    expect(await refused()).toContain("Expected either --for, such as --for 2h, or --until");
    expect(await refused("--for", "100d")).toContain('Field "ends_at" is more than 90 days after starts_at');
    expect(await refused("--for", "2h", "--from", "tomorrow")).toContain('Wrong value "tomorrow" for --from: expected');
    expect(await refused("--for", "2h", "--time-zone", "Mars")).toContain('Wrong value "Mars" for --time-zone');
    expect(await refused("--for", "2h", ...skipped)).toContain("a time such as 2099-03-29 01:30 or 2099-03-29 03:30");
    expect(await refused("--for", "2h", ...doubled)).toContain(
      "one of 2099-10-25T02:30+02:00 and 2099-10-25T02:30+01:00: the clocks of Europe/Amsterdam show it twice",
    );
    const unknown = await check("NOPE", "--for", "2h");
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Nothing is called "NOPE"')]);
  }, 240_000);
});

test("windows are stored, listed and moved on, and count for each other", async () => {
  const run = (...words: string[]) => runPlanner(["dc", "window", ...words, "--db", "site.sqlite"], { cwd });
  const time = ["--from", "2099-07-04 20:00", "--for", "2h", "--time-zone", "Europe/Amsterdam"];
  const added = await run("add", "MW-1", "PDU-A05-A", ...time, "--accept", "role:mgmt-switch", "--title", "Replace it");
  expect([added.code, added.stdout]).toEqual([0, expect.stringContaining("\nGo (outage)\n")]);
  expect(added.stdout).toStartWith("MW-1: Replace it\nPlanned, 2099-07-04 20:00 to 2099-07-04 22:00\nOut: PDU-A05-A\n");
  expect((await run("add", "MW-1", "PDU-A05-A", ...time)).stderr).toContain('There is a window "MW-1" already');

  const other = await run("add", "MW-2", "UPS-B1", ...time);
  expect(other.stdout).toContain("\nNo go (outage)\n");
  expect(other.stdout).toContain("\nBetter without the window:\n  MW-1\n");
  const { windows } = JSON.parse((await run("list", "--verdict", "no-go", "--json")).stdout);
  expect(windows.map(({ window }: { window: { code: string } }) => window.code)).toEqual(["MW-1", "MW-2"]);
  const early = await run("begin", "MW-2");
  expect([early.code, early.stderr]).toEqual([2, expect.stringContaining("cannot be BEGUN before it starts")]);
  expect((await run("done", "MW-3")).stderr).toContain('Cannot find window "MW-3"');

  expect((await run("cancel", "mw-2")).stdout).toBe("Window MW-2 is cancelled\n");
  const listed = (await run("list", "--time-zone", "Europe/Amsterdam")).stdout.split("\n");
  expect(listed.slice(1, 3).map((line) => line.replaceAll(/ {2,}/g, " | ").trim())).toEqual([
    "MW-1 | 2099-07-04 20:00 | 2099-07-04 22:00 | Planned | Go | PDU-A05-A | Replace it",
    "MW-2 | 2099-07-04 20:00 | 2099-07-04 22:00 | Cancelled | - | UPS-B1 | -",
  ]);
  expect((await run("show", "MW-2")).stdout).toContain("\nOut: UPS-B1\n");
  const closed = await run("sheet", "MW-2");
  expect([closed.code, closed.stderr]).toEqual([1, expect.stringContaining("expected one that is planned or begun")]);
  const sheet = await run("sheet", "MW-1", "--format", "html");
  expect(sheet.stdout).toStartWith("<!doctype html>\n");
  expect(sheet.stdout).toContain("<li>Take PDU-A05-A out of service</li>");
  const mails = await run("notify", "MW-1");
  expect(mails.stdout).toStartWith("Subject: Maintenance MW-1: Replace it, 2099-07-04 18:00 to 2099-07-04 20:00 UTC\n");
  const { notices } = JSON.parse((await run("notify", "MW-1", "--json")).stdout);
  expect(mails.stdout).toBe(`Subject: ${notices[0].subject}\n${notices[0].text}`);
}, 240_000);

test("a local time is one of the site, and is refused while racks have different zones", async () => {
  const rack = async (code: string, zone: string) => {
    const { stdout } = await runPlanner(["dc", "export", "--kind", "rack", "--db", "site.sqlite"], { cwd });
    const line = stdout.split("\n").find((one) => one.includes(`"code":"${code}"`)) ?? "{}";
    const { rack: before } = JSON.parse(line);
    const input = JSON.stringify({ rack: { ...before, labels: { time_zone: zone } } });
    expect((await runPlanner(["dc", "import", "-", "--db", "site.sqlite"], { cwd, input })).code).toBe(0);
  };
  const asked = (zone: string[]) => check("PDU-A01-B", "--from", "2099-07-04 20:00", "--for", "2h", ...zone);
  await rack("A01", "Europe/Amsterdam");
  expect((await asked([])).stderr).toContain("2099-07-04 20:00 to 2099-07-04 22:00");
  expect((await asked([])).stderr).toContain("Times are those of Europe/Amsterdam\n");
  await rack("A02", "America/New_York");
  const refused = await asked([]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("or --time-zone: racks have different")]);
  expect((await asked(["--time-zone", "America/New_York"])).code).toBe(0);
}, 240_000);

test("a calendar program reads the windows by a secret in the address, which opens nothing else", async () => {
  const own = emptyFolder();
  const cli = (...words: string[]) => runPlanner(words, { cwd: own });
  const made = async (name: string, role: string) => {
    const { code, stdout, stderr } = await cli("dc", "token", "create", name, "--role", role, "--tokens", "t.json");
    expect(code).toBe(0);
    if (role === "calendar") expect(stderr).toContain(`/windows.ics?secret=${stdout.trim()}`);
    return stdout.trim();
  };
  const [reader, secret] = [await made("reader", "reader"), await made("outlook", "calendar")];
  expect(readFileSync(join(own, "t.json"), "utf8")).not.toContain(secret);
  expect((await cli("dc", "token", "list", "--tokens", "t.json")).stdout).toContain("outlook\tcalendar\t");
  const db = "planner-dc.sqlite";
  const rack = JSON.stringify({ rack: { code: "R1", location: { site_id: "S1", floor_number: 1 } } });
  expect((await runPlanner(["dc", "import", "-", "--db", db], { cwd: own, input: rack })).code).toBe(0);
  const time = ["--from", "2099-07-04T20:00Z", "--for", "2h", "--db", db];
  expect((await cli("dc", "window", "add", "MW-1", "rack:R1", ...time, "--title", "Fan")).code).toBe(0);

  const server = await DcServer.start(own, ["--tokens", "t.json"]);
  const ask = (query: string, headers: Record<string, string> = {}) =>
    http1(`${server.url}/windows.ics${query}`, { headers });
  const { status, headers, text } = await ask(`?secret=${secret}`);
  expect([status, headers["content-type"]]).toEqual([200, "text/calendar; charset=utf-8"]);
  expect(text).toContain("\r\nSUMMARY:Fan (MW-1)\r\n");
  expect((await cli("dc", "window", "export", "--db", db)).stdout).toBe(text);
  expect((await ask(`?secret=${secret}`, { "if-none-match": String(headers["etag"]) })).status).toBe(304);
  expect((await ask("", { authorization: `Bearer ${reader}` })).text).toBe(text);

  const refused = await Promise.all([
    ask(""),
    ask(`?secret=${reader}`),
    ask("?secret=guess"),
    ask(`?secret=${secret}&secret=${secret}`),
    ask(`?secret=${secret}&page=1`),
    http1(`${server.url}/session`, { headers: { authorization: `Bearer ${secret}` } }),
    http1(`${server.url}/windows.ics?secret=${secret}`, { method: "POST" }),
  ]);
  expect(refused.map((one) => one.status)).toEqual([401, 401, 401, 400, 400, 401, 405]);
  expect(refused.map((one) => one.text).join("\n")).not.toContain(secret);

  expect((await cli("dc", "token", "revoke", "outlook", "--tokens", "t.json")).code).toBe(0);
  while ((await ask(`?secret=${secret}`)).status !== 401) await pause(20);
  const metrics = await http1(`${server.url}/metrics`);
  expect(metrics.text).toContain('\nplanner_dc_window_verdict{window="MW-1"} 1\n');
  expect(metrics.text).toContain('\nplanner_dc_windows{state="planned"} 1\n');
  expect(metrics.text).toMatch(/\nplanner_dc_next_window_seconds \d+/);
  await server.end();
  expect(`${metrics.text}${server.stderr}`).not.toContain(secret);
}, 240_000);

test("a calendar is imported: whole, again, in part or not at all", async () => {
  const db = ["--db", "imported.sqlite"];
  const racks = ["R1", "R2"].map((code) =>
    JSON.stringify({ rack: { code, location: { site_id: "S1", floor_number: 1 } } }),
  );
  expect((await runPlanner(["dc", "import", "-", ...db], { cwd, input: racks.join("\n") })).code).toBe(0);
  const run = async (words: string[], input = "") => {
    const { code, stdout, stderr } = await runPlanner(["dc", "window", ...words, ...db], { cwd, input });
    return { code, stdout, stderr };
  };
  const event = (uid: string, more: string[], end = "20991128T210000Z") =>
    ["BEGIN:VEVENT", `UID:${uid}`, "DTSTART:20991128T190000Z", `DTEND:${end}`, ...more, "END:VEVENT"].join("\n");
  const file = (...events: string[]) => ["BEGIN:VCALENDAR", ...events, "END:VCALENDAR", ""].join("\n");
  const first = event("42@isp", ["SEQUENCE:2", "X-MAINTNOTE-MAINTENANCE-ID:WO 7", "X-MAINTNOTE-OBJECT-ID:R1"]);

  expect((await run(["import", "-", "--dry-run"], file(first))).stdout).toBe("WO-7\twould be stored\n");
  // An event that cannot be stored leaves the others alone.
  const stray = event("50@isp", ["X-MAINTNOTE-OBJECT-ID:R1"]).replace("20991128T210000Z", "20991128T180000Z");
  const some = await run(
    ["import", "-"],
    file(first, event("43@isp", []), event("49@isp", ["RRULE:FREQ=DAILY"]), stray),
  );
  expect([some.code, some.stdout]).toEqual([1, "WO-7\tcreated\n"]);
  for (const problem of [
    "-, line 10: the event names nothing that is out: expected X-MAINTNOTE-OBJECT-ID, or --element: the event is not stored",
    "-: Line 19: RRULE is not supported",
    "-, line 21: ",
  ])
    expect(some.stderr).toContain(problem);
  expect((await run(["import", "-", "--element", "R2"], file(first, event("43@isp", [])))).stdout).toBe(
    "WO-7\tunchanged\n43-isp\tcreated\n",
  );
  expect((await run(["import", "-"], file(first, event("43@isp", [])))).stdout).toBe(
    "WO-7\tunchanged\n43-isp\tunchanged\n",
  );
  const later = event("42@isp", ["SEQUENCE:3", "SUMMARY:Later", "X-MAINTNOTE-OBJECT-ID:R1"], "20991128T220000Z");
  expect((await run(["import", "-"], file(later))).stdout).toBe("WO-7\tupdated\n");
  expect((await run(["import", "-"], file(first))).stdout).toContain("left: its SEQUENCE is 2, and the window has 3");
  const unknown = event("44@isp", ["X-MAINTNOTE-OBJECT-ID:NONE"]);
  expect((await run(["import", "-"], file(unknown))).stderr).toContain('-, line 6: Nothing is called "NONE"');
  const over = event("45@isp", ["X-MAINTNOTE-OBJECT-ID:R1"]).replaceAll("2099", "2020");
  expect((await run(["import", "-"], file(over))).stdout).toBe("45-isp\tleft: over\n");
  const day = event("46@isp", ["X-MAINTNOTE-OBJECT-ID:R1"]).replace(
    /DTSTART.*\nDTEND.*/,
    "DTSTART;VALUE=DATE:99991231",
  );
  expect((await run(["import", "-"], file(day))).stderr).toContain('-, line 2: Field "window.ends_at" is no moment');
  const counted = event("47@isp", ["X-MAINTNOTE-OBJECT-ID:R1", "SEQUENCE:2147483647"]);
  expect((await run(["import", "-"], file(counted))).stderr).toContain(
    '-, line 2: Field "calendar_sequence" is out of range',
  );

  // What the database wrote is read again, changed where a person moved it.
  const written = (await run(["export"])).stdout;
  expect(written).toContain("UID:42@isp\r\nSEQUENCE:4\r\n");
  expect((await run(["import", "-"], written)).stdout).toBe("43-isp\tunchanged\nWO-7\tunchanged\n");
  const moved = written.replaceAll("T220000Z", "T230000Z");
  expect((await run(["import", "-"], moved)).stdout).toBe("43-isp\tunchanged\nWO-7\tupdated\n");
  const { window } = JSON.parse((await run(["show", "WO-7", "--json"])).stdout);
  expect(window).toMatchObject({
    title: "Later",
    ends_at: "2099-11-28T23:00:00Z",
    calendar_uid: "42@isp",
    sequence: 2,
  });
  const gone = event("42@isp", ["SEQUENCE:9", "STATUS:CANCELLED"]);
  expect((await run(["import", "-"], file(gone))).stdout).toBe("WO-7\tupdated\n");
  expect((await run(["list", "--state", "cancelled"])).stdout).toContain("WO-7");
  expect((await run(["import", "-"], file(event("42@isp", ["SEQUENCE:9"])))).stdout).toBe(
    "WO-7\tleft: the window is cancelled\n",
  );
  const reinstated = event("42@isp", ["SEQUENCE:10", "STATUS:CONFIRMED", "SUMMARY:Back"]);
  expect((await run(["import", "-"], file(reinstated))).stdout).toBe("WO-7\tupdated\n");
  expect(JSON.parse((await run(["show", "WO-7", "--json"])).stdout).window).toMatchObject({ title: "Back" });
  expect((await run(["list", "--state", "cancelled"])).stdout).not.toContain("WO-7");
  const reply = await run(["import", "-"], file(reinstated).replace("BEGIN:VEVENT", "METHOD:REPLY\nBEGIN:VEVENT"));
  expect([reply.code, reply.stderr]).toEqual([1, expect.stringContaining('METHOD "REPLY" plans nothing')]);
  const long = event("48@isp", ["X-MAINTNOTE-OBJECT-ID:R1", `SUMMARY:${"x".repeat(127)}😀y`]);
  expect((await run(["import", "-"], file(long))).stdout).toBe("48-isp\tcreated\n");
  expect(JSON.parse((await run(["show", "48-isp", "--json"])).stdout).window.title).toBe("x".repeat(127));
  const lines = (await run(["export", "--format", "jsonl"])).stdout;
  expect((await run(["import", "-"], lines)).stdout).toContain("48-isp\tunchanged\n");
}, 240_000);

test("windows of an export are stored as they were, in every state, or not at all", async () => {
  const own = emptyFolder();
  const run = async (db: string, words: string[], input = "") => {
    const { code, stdout, stderr } = await runPlanner(["dc", ...words, "--db", `${db}.sqlite`], { cwd: own, input });
    return { code, stdout, stderr };
  };
  const racks = ["R1", "R2"].map((code) =>
    JSON.stringify({ rack: { code, location: { site_id: "S1", floor_number: 1 } } }),
  );
  expect((await run("a", ["import", "-"], racks.join("\n"))).code).toBe(0);
  const time = ["--from", "2099-07-04T20:00Z", "--for", "2h"];
  for (const [code, rack] of [["MW-1", "rack:R1"] as const, ["MW-2", "rack:R2"] as const])
    expect((await run("a", ["window", "add", code, rack, ...time, "--title", 'Füße, "x"'])).code).toBe(0);
  expect((await run("a", ["window", "cancel", "MW-2"])).code).toBe(0);
  const past = { starts_at: "2020-01-01T00:00:00Z", ends_at: "2020-01-02T00:00:00Z", element_refs: ["device:GONE"] };
  const old = ["DONE", "PLANNED"].map((state, index) =>
    JSON.stringify({ window: { code: `OLD-${index}`, ...past, state: `WINDOW_STATE_${state}`, sequence: 4 } }),
  );
  expect((await run("a", ["window", "import", "-"], old.join("\n"))).stdout).toBe("OLD-0\tcreated\nOLD-1\tcreated\n");

  const { stdout: written } = await run("a", ["window", "export", "--format", "jsonl"]);
  expect(written.trimEnd().split("\n").length).toBe(4);
  expect((await run("b", ["import", "-"], racks.join("\n"))).code).toBe(0);
  const broken = `${written}{"window":{"code":"X","starts_at":"2099-01-02T00:00:00Z","ends_at":"2099-01-01T00:00:00Z","element_refs":["rack:R1"]}}\n`;
  const refused = await run("b", ["window", "import", "-"], broken);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('-, line 5: Field "ends_at" is not after'),
  ]);
  const twice = `${written}${written.split("\n", 1)[0]?.replace('"code":"M', '"code":"m')}\n`;
  const repeated = await run("b", ["window", "import", "-"], twice);
  expect([repeated.code, repeated.stderr]).toEqual([
    2,
    expect.stringMatching(/-, line 5: "[^"]+" is in line 1 already/),
  ]);
  expect((await run("b", ["window", "import", "-", "--dry-run"], written)).stdout).toContain("MW-1\tcreated\n");
  expect((await run("b", ["window", "export", "--format", "jsonl"])).stdout).toBe("");
  expect((await run("b", ["window", "import", "-"], written)).code).toBe(0);
  expect((await run("b", ["window", "export", "--format", "jsonl"])).stdout).toBe(written);
  expect((await run("b", ["window", "import", "-"], written)).stdout).not.toContain("created");
  for (const [line, message] of [
    ['{"rack": {"code": "R1"}}', '-, line 1: expected {"window": …}'],
    ['{"window": {"colour": 1}}', 'key "colour" is unknown'],
    ['{"window": {"starts_at": "x"}}', "-, line 1: starts_at: cannot decode message google.protobuf.Timestamp"],
    ['{"window": {"code": "a b"}}', '-, line 1: Cannot read code "a b"'],
    [written.split("\n", 1)[0]?.replace('"code"', '"sequence":-1,"code"') ?? "", 'Field "sequence" is out of range'],
  ] as const)
    expect((await run("b", ["window", "import", "-"], line)).stderr).toContain(message);
}, 240_000);
