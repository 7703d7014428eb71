import { describe, expect, test } from "bun:test";
import { findCellTarget, readCell } from "#dc/operations/import/sheet.ts";
import { IMPORT_KINDS } from "#dc/operations/import/wire.ts";
import { ByteBudget } from "#kernel/slots.ts";
import { listEnumChoices } from "#web/console/edit/form_model.ts";
import { listColumnTargets } from "#web/console/import/import_file.ts";
import { type Served, served } from "../../../support/dc/served.ts";
import { eachTest } from "../../../support/each_test.ts";
import { http1 } from "../../../support/http_client.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";
import { SeededRandom } from "../../../support/seeded_random.ts";

const at = eachTest(served);

function post({ url }: Served, query: string, body: string, headers: Readonly<Record<string, string>> = {}) {
  return http1(`${url}/import?${query}`, { method: "POST", headers: { "content-type": "text/csv", ...headers }, body });
}

/** Imports a file and returns the events of the reply. */
async function send(query: string, body: string, type = "text/csv") {
  const { status, text } = await post(at, query, body, { "content-type": type });
  if (status !== 200) return [{ event: "status", status, ...JSON.parse(text) }];
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

type Events = Awaited<ReturnType<typeof send>>;
const of = (events: Events, event: string) => events.filter((one) => one.event === event);
const problems = (events: Events) => of(events, "refused").map(({ line, problems: found }) => [line, found]);

const RACKS = "kind=rack&column=code&column=u_height&default=location.site_id=S&default=location.floor_number=1";

async function storedRacks(): Promise<readonly string[]> {
  const { rows = [] } = await at.site.call("ListInventory", { kind: "INVENTORY_KIND_RACK" });
  return rows.map(({ name }: { readonly name: string }) => name);
}

describe("POST /import", () => {
  test("describes a sheet without a kind, writes nothing in a dry run, and answers each row of a write", async () => {
    const sheet = "Racks of the hall;\nName;Height\nA;42\nB;x\n";

    const described = await send("dry_run=true", sheet);
    const tried = await send(`${RACKS}&dry_run=true`, sheet);
    const before = await storedRacks();
    const written = await send(RACKS, sheet);

    expect(described).toEqual([
      { event: "sheet", delimiter: ";", headings: ["Name", "Height"], first: ["A", "42"], rows: 2 },
    ]);
    const wrong = [{ field: "u_height", message: '"x" is not a number in U' }];
    expect(of(tried, "refused")).toEqual([
      { event: "refused", line: 4, kind: "rack", code: "B", problems: wrong, cells: ["B", "x"], from: 36, to: 39 },
    ]);
    expect(of(tried, "end")[0]).toMatchObject({ state: "tried", changes: [{ rack: { code: "A", u_height: 42 } }] });
    expect(before).toEqual([]);
    expect(of(written, "written")).toEqual([{ event: "written", line: 3, kind: "rack", outcome: "CREATED" }]);
    const counts = [{ kind: "rack", created: 1, updated: 0, unchanged: 0, failed: 1 }];
    expect(of(written, "end")).toEqual([{ event: "end", state: "done", counts, unreadable: 0 }]);
    expect(await storedRacks()).toEqual(["A"]);
  });

  test("takes JSON Lines and an object of lists, in any order, and names lines without a resource", async () => {
    const rack = { code: "R", location: { site_id: "S", floor_number: 1 } };
    const device = { code: "D", kind: "DEVICE_KIND_OTHER", rack_code: "R" };
    const lines = [JSON.stringify({ device }), "nonsense", JSON.stringify({ rack })].join("\n");

    const first = await send("", lines, "application/x-ndjson");
    const again = await send("", JSON.stringify({ devices: [device], racks: [rack, rack] }), "application/json");

    expect(of(first, "written").map(({ line, outcome }) => [line, outcome])).toEqual([
      [3, "CREATED"],
      [1, "CREATED"],
    ]);
    expect(of(first, "refused")).toMatchObject([{ line: 2 }]);
    expect(of(again, "written").map(({ outcome }) => outcome)).toEqual(["UNCHANGED", "UNCHANGED"]);
    expect(problems(again)).toEqual([[2, [{ field: "code", message: "Line 1 has it already" }]]]);
  });

  test("knows every field and word that the console offers for a column", async () => {
    const unknown = IMPORT_KINDS.flatMap((kind) =>
      listColumnTargets(kind).flatMap(({ path, field }) => {
        const target = findCellTarget(kind, path);
        if (target === undefined) return [`${kind} ${path}`];
        const choices = field.type === "choice" ? listEnumChoices(field.of ?? "") : [];
        const read = (text: string) => readCell(target, text, { heading: "", decimal: undefined }).value;
        return choices.filter((words) => words.some((word) => read(word) !== words[0])).map(String);
      }),
    );

    expect(unknown).toEqual([]);
  });

  test("takes words of values in any spelling, but no part of one, and quotes and line ends as people paste them", async () => {
    const columns = "kind=device&column=code&column=kind&column=name&default=location.site_id=S";
    const rows = ['A,Rack PDU,Shelf 19" deep', "B,rackpdu,b\r", "C,PDU,c", "D,rack-pdu,d"];

    const tried = await send(`${columns}&dry_run=true`, ["Code,Kind,Name", ...rows].join("\n"));

    const changes = of(tried, "end")[0].changes.map(({ device }: { readonly device: object }) => device);
    expect(changes).toMatchObject([
      { code: "A", kind: "DEVICE_KIND_RACK_PDU", name: 'Shelf 19" deep' },
      { code: "B", kind: "DEVICE_KIND_RACK_PDU", name: "b" },
      { code: "D", kind: "DEVICE_KIND_RACK_PDU", name: "d" },
    ]);
    expect(of(tried, "refused")).toMatchObject([
      { line: 4, problems: [{ field: "kind", message: expect.stringContaining('"PDU" is none of its values') }] },
    ]);
  });

  test("takes JSON in any spelling of requests, and names the field and the line that it cannot read", async () => {
    const rack = { code: "R", location: { siteId: "S", floorNumber: 1 } };
    const device = { code: "D", kind: "OTHER", rackCode: "R" };
    const wrong = [{ rack: { ...rack, code: "Q", u_height: "tall" } }, { rack: { ...rack, code: "P", colour: "red" } }];
    const lines = [...wrong, { device }, { rack }].map((one) => JSON.stringify(one)).join("\n");

    const events = await send("", `${lines}\nnonsense\n`, "application/x-ndjson");

    expect(of(events, "written").map(({ line }) => line)).toEqual([4, 3]);
    expect(problems(events)).toEqual([
      [5, [{ field: "", message: "This is no JSON object" }]],
      [1, [{ field: "u_height", message: 'Cannot read u_height: expected a number (int32), got "tall"' }]],
      [2, [{ field: "colour", message: 'Rack has no field "colour"' }]],
    ]);
  });

  test("reads figures, words, flags, lists and ends as people write them, and names every cell that it cannot read", async () => {
    const paths = "column=a&column=b&column=type&column=length_m&column=tags&column=labels.owner";
    const sheet =
      "A\tB\tType\tLength (ft)\tTags\tOwner\nX/eth0\tY/1/2\tcat6\t10\tred, new\tanna\nX/e1\tY/e\tnone\tlong\t\t\n";

    const tried = await send(`kind=cable&${paths}&dry_run=true`, sheet);

    expect(problems(tried)).toEqual([
      [
        3,
        [
          { field: "type", message: expect.stringContaining('"none" is none of its values: expected cat3,') },
          { field: "length_m", message: '"long" is not a number in m' },
        ],
      ],
      [
        2,
        [
          { field: "a", message: 'Cannot find port "X/eth0"' },
          { field: "b", message: 'Cannot find port "Y/1/2"' },
        ],
      ],
    ]);
  });

  test("places devices with a unit at the front unless a column names the side, and reads a range as a height", async () => {
    await send(RACKS, "Code,Height\nR,42\n");
    const read = async (paths: string, sheet: string) => {
      const query = `kind=device&default=kind=server&default=rack_code=R&column=code&${paths}&dry_run=true`;
      const [{ changes }] = of(await send(query, sheet), "end");
      return changes.map(({ device }: { readonly device: object }) => ({
        ...device,
        kind: undefined,
        rack_code: undefined,
      }));
    };

    const both = await read("column=position_u&column=tags", 'Code,U,Tags\nA,U42-U41,"red, new"\nB,,\n');
    const rear = await read("column=position_u&column=face", "Code,U,Face\nA,3,Rear\n");

    const front = { position_u: 41, u_height: 2, face: "FACE_FRONT", tags: ["red", "new"] };
    expect(both).toEqual([{ code: "A", ...front }, { code: "B" }]);
    expect(rear).toEqual([{ code: "A", position_u: 3, face: "FACE_REAR" }]);
  });

  test("refuses what it cannot import before it writes anything", async () => {
    for (const [query, type, reason] of [
      ["", "text/csv", "REQUIRED_FIELD"],
      ["kind=site", "text/csv", "FIELD_OUT_OF_RANGE"],
      ["kind=rack&colour=red", "text/csv", "UNKNOWN_FIELD"],
      ["kind=rack&column=colour", "text/csv", "FIELD_OUT_OF_RANGE"],
      [`${RACKS}&default=width_mm=wide`, "text/csv", "FIELD_OUT_OF_RANGE"],
      [`${RACKS}&dry_run=maybe`, "text/csv", "FIELD_OUT_OF_RANGE"],
      [RACKS, "text/plain", "UNSUPPORTED_MEDIA_TYPE"],
    ] as const) {
      const [refusal] = await send(query, "Code,Height\nA,42\n", type);
      expect([query, refusal.details?.[0].debug.reason]).toEqual([query, reason]);
    }
    const [open] = await send("kind=rack", 'code\n"A');
    expect(open.message).toStartWith("Cannot read the file as CSV: Quote Not Closed");
    const [large] = await send("kind=rack", `code\n${"A\n".repeat(50_001)}`);
    expect(large.message).toBe("The file has 50001 rows: expected at most 50000 rows; planner dc import takes more");
    expect(await storedRacks()).toEqual([]);
  });

  test("gives the place of each refused row, whatever the cells hold", async () => {
    const random = new SeededRandom(5);
    const pieces = ["a", "Ü", "😀", " ", '"', ",", "\n", "\r\n", "x y"];
    const quote = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
    for (let run = 0; run < Math.min(LAW_RUNS, 50); run += 1) {
      const end = random.pick(["\n", "\r\n"]);
      const records = Array.from({ length: 5 }, (_, row) => [
        `R${row}`,
        "x",
        Array.from({ length: random.below(4) }, () => random.pick(pieces)).join(""),
      ]);
      const written = records.map((cells) => cells.map(quote).join(","));
      const lines = written.map((line) => `${line}${end}${random.pick(["", end])}`);
      const text = [`Code,Height,Name${end}`, ...lines].join("");

      const refused = of(await send(`${RACKS}&column=name&dry_run=true`, text), "refused");

      expect(refused.map(({ from, to }) => text.slice(from, to))).toEqual(written);
      const countLines = (before: string) => before.split(/\r\n|\n/).length;
      expect(refused.map(({ line }) => line)).toEqual(refused.map(({ from }) => countLines(text.slice(0, from))));
    }
  });
});

test("POST /import needs a writer, before the file is read", async () => {
  const closed = await served({ authRequired: true });
  const statusOf = async (role: string) =>
    (await post(closed, "dry_run=true", "A,B\n1,2\n", role === "" ? {} : { authorization: `Bearer ${role}` })).status;

  expect(await Promise.all(["", "reader", "meter", "writer"].map(statusOf))).toEqual([401, 403, 403, 200]);
});

test("POST /import names the memory that a file needs and the server does not have", async () => {
  const small = await served({ budget: new ByteBudget(1_000_000) });
  const { status, text } = await post(small, "kind=rack", "A".repeat(100_000));

  expect([status, JSON.parse(text).details[0].debug.reason]).toEqual([413, "MESSAGE_TOO_LARGE"]);
  expect(text).toContain("at least 916384 bytes of memory: expected at most 750000, three quarters of the server");
});

test("POST /import ends before the next transaction once the server shuts down", async () => {
  at.shutdown.abort();

  const events = await send(RACKS, "Code,Height\nA,42\n");

  expect(events).toMatchObject([{ event: "end", state: "stopped" }]);
  expect(await storedRacks()).toEqual([]);
});
