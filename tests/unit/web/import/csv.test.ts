import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import {
  guessResourceKind,
  guessTargetPath,
  listColumnTargets,
  parseCsv,
  parseRows,
  parseTable,
  replaceCsvCell,
} from "#web/console/import/columns.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";
import { SeededRandom } from "../../../support/seeded_random.ts";

const PIECES = ["a", "Ü", " ", '"', '""', ",", "\n", "\r\n", "x y", "0", "1.5", "<b>", "'"];

function cell(random: SeededRandom): string {
  return Array.from({ length: random.below(4) }, () => random.pick(PIECES)).join("");
}

function written(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

test("parseCsv reads what another reader reads", () => {
  const random = new SeededRandom(5);
  for (let run = 0; run < LAW_RUNS; run += 1) {
    const width = 2 + random.below(4);
    const table = Array.from({ length: 1 + random.below(6) }, () => Array.from({ length: width }, () => cell(random)));
    const lines = [Array.from({ length: width }, (_, index) => `h${index}`), ...table];
    const text = lines.map((row) => row.map(written).join(",")).join(random.pick(["\n", "\r\n"]));
    const other = parse(text, {
      relax_column_count: true,
      skip_records_with_empty_values: true,
      record_delimiter: ["\r\n", "\n"],
    });
    const { rows } = parseCsv(text);
    const filled = table.filter((row) => row.some((one) => one.trim() !== ""));
    expect(rows.map(({ cells }) => [...cells])).toEqual(filled);
    expect(rows.map(({ cells }) => [...cells])).toEqual(other.slice(1));
  }
});

test("parseCsv knows semicolons, tabs and a byte order mark, and on which line a row begins", () => {
  const { headers, rows } = parseCsv('\uFEFFcode;name\nA;1\n\nB;"x\ny"\nC;3');
  expect({ headers, rows: rows.map(({ line, cells }) => ({ line, cells })) }).toEqual({
    headers: ["code", "name"],
    rows: [
      { line: 2, cells: ["A", "1"] },
      { line: 4, cells: ["B", "x\ny"] },
      { line: 6, cells: ["C", "3"] },
    ],
  });
  expect(parseCsv("code\tname\nA\t1").rows[0]?.cells).toEqual(["A", "1"]);
});

test("replaceCsvCell writes one cell anew, with quotes where they are needed, and leaves every other byte as it is", () => {
  const text = '\uFEFFcode;name\r\nA;"x;""y"\r\n\r\nB;2\r\nC';
  const table = parseCsv(text);
  const [first, second, third] = table.rows;
  if (first === undefined || second === undefined || third === undefined) throw new Error("Expected three rows");
  expect(replaceCsvCell(text, table, second, 1, 'a"b')).toBe('code;name\r\nA;"x;""y"\r\n\r\nB;"a""b"\r\nC');
  expect(replaceCsvCell(text, table, first, 0, "Z")).toBe('code;name\r\nZ;"x;""y"\r\n\r\nB;2\r\nC');
  expect(replaceCsvCell(text, table, third, 1, "3")).toBe('code;name\r\nA;"x;""y"\r\n\r\nB;2\r\nC;3');
});

test.each([
  ["sep=;\ncode;name\nA;1", ["A", "1"], 3],
  ["Racks in Munich;;\n;;\ncode;name;\nA;1;\n;;\n", ["A", "1", ""], 4],
  ["code,load\nA,1", ["A", "1"], 2],
  ["Racks, March 2026;\ncode;load\nA;1,5\nB;2,5\n", ["A", "1,5"], 3],
  ["code\nA\nB", ["A"], 2],
])("parseCsv finds the first row of %p", (text, cells, line) => {
  expect(parseCsv(text).rows[0]).toMatchObject({ cells, line });
});

test("parseRows reads figures, units and positions as people write them, and refuses what could mean two things", () => {
  const read = (heading: string, cell: string, decimal?: "." | ","): unknown => {
    const path = guessTargetPath(heading, listColumnTargets("device"));
    const table = parseCsv(`code;${heading}\nA;${cell}`);
    const { resource, problems } = parseRows(table, "device", ["code", path], { decimal }).items[0] ?? {};
    return problems?.[0]?.message ?? { ...resource, code: undefined, face: undefined };
  };
  expect(read("Max power (kW)", "1,2")).toEqual({ max_draw_w: 1200 });
  expect(read("Weight", "12.5 kg")).toEqual({ weight_kg: 12.5 });
  expect(read("Weight", "1.200", ",")).toEqual({ weight_kg: 1200 });
  expect(read("U", "u42-u45")).toEqual({ position_u: 42, u_height: 4 });
  expect(read("U", "28")).toEqual({ position_u: 28 });
  expect(read("Weight", "1.200")).toContain('"1.200" may be 1200 or 1.2');
});

test("parseTable leaves JSON to its own reader", () => {
  expect([parseTable('{"rack": {}}'), parseTable(" [1]"), parseTable("")]).toEqual([undefined, undefined, undefined]);
  expect(parseTable("code,name\nA,1")?.headers).toEqual(["code", "name"]);
});

test.each([
  ["Code", "code"],
  ["Planned draw (W)", "allocated_draw_w"],
  ["max_draw_w", "max_draw_w"],
  ["U", "position_u"],
  ["Rack", "rack_code"],
  ["Serial number", "serial"],
  ["site", "location.site_id"],
  ["location.room", "location.room"],
  ["label: owner", "labels.owner"],
  ["capacity_w", "power.capacity_w"],
  ["Invoice", ""],
])("a column %p of devices fills %p", (header, path) => {
  expect(guessTargetPath(header, listColumnTargets("device"))).toBe(path);
});

test.each([
  ["device", ["code", "kind", "rack", "U"]],
  ["rack", ["code", "site", "floor"]],
  ["cable", ["a", "b", "type"]],
  ["fabric_link", ["a", "b", "fabric"]],
  ["crac", ["code", "kind", "sensible_capacity_kw"]],
] as const)("a table of %p is known by its columns", (kind, headers) => {
  expect(guessResourceKind(headers)).toBe(kind);
});

test("parseRows reads words, numbers, lists and ends, and names each cell that it cannot read", () => {
  const text = [
    "code,kind,rack,u,tags,label: owner,what",
    "S-1,Server,B03,30,a;b,ada,x",
    "S-2,rack pdu,B03,thirty,,,",
    "S-3,toaster,B03,31,,,",
    "S-4,DEVICE_KIND_SWITCH,B03,30.25,,,",
  ].join("\n");
  const table = parseCsv(text);
  const columns = table.headers.map((header) => guessTargetPath(header, listColumnTargets("device")));
  const { items } = parseRows(table, "device", columns);
  const good = items.filter(({ problems }) => problems === undefined);
  expect(good.map(({ line, resource }) => ({ line, resource }))).toEqual([
    {
      line: 2,
      resource: {
        code: "S-1",
        kind: "DEVICE_KIND_SERVER",
        rack_code: "B03",
        position_u: 30,
        face: "FACE_FRONT",
        tags: ["a", "b"],
        labels: { owner: "ada" },
      },
    },
  ]);
  const problems = items.flatMap(({ line, problems = [] }) =>
    problems.map(({ field, message }) => [line, field, message]),
  );
  expect(problems).toEqual([
    [3, "position_u", '"thirty" is not a number in U'],
    [4, "kind", expect.stringMatching(/^"toaster" is none of Server, /)],
    [5, "position_u", "Expected a multiple of 0.5 U"],
  ]);
  expect(parseRows(parseCsv("a,b\nX/e/1,Y/2"), "cable", ["a", "b"]).items[0]?.resource).toEqual({
    a: { device_code: "X", port_name: "e/1" },
    b: { device_code: "Y", port_name: "2" },
  });
});
