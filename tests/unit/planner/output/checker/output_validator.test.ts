import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOutputValidator } from "#planner/output/checker/output_validator.ts";
import type { OutputValidator } from "#planner/work/judge_output.ts";
import { projectOfEachTest } from "../../../../support/test_project.ts";

const FOLDER = ".planner/schemas";
const PASSED = { kind: "passed" } as const;
/** Limits with which a pattern is given up before the whole check, however busy the machine is. */
const PATIENT = { checkMs: 240_000, patternMs: 2000 };

let outputs: OutputValidator;
const project = projectOfEachTest(({ root }) => {
  outputs = createOutputValidator(root);
  mkdirSync(join(root, FOLDER), { recursive: true });
});

function schema(path: string, content: unknown): void {
  project.write(path, typeof content === "string" ? content : JSON.stringify(content));
}

async function problems(path: string, value: unknown = {}): Promise<readonly string[]> {
  const verdict = await outputs.validateOutput(path, JSON.stringify(value));
  return "problems" in verdict ? verdict.problems : [verdict.kind];
}

test("validate finds a schema by its path from the root and by its bare name", async () => {
  schema(`${FOLDER}/report.json`, { type: "integer" });
  schema("docs/other.json", { type: "string" });

  expect(await problems(`${FOLDER}/report.json`, 1)).toEqual(["passed"]);
  expect(await problems("report.json", 1)).toEqual(["passed"]);
  expect(await problems("docs/other.json", 1)).toEqual(["output: expected string, got integer"]);
});

test("validate says that an output holds no JSON", async () => {
  schema(`${FOLDER}/a.json`, true);

  expect(await outputs.validateOutput("a.json", "All done.")).toEqual({ kind: "no_json" });
});

test("validate reads the schema anew each time", async () => {
  schema(`${FOLDER}/a.json`, { type: "integer" });
  const before = await problems("a.json", 1);

  schema(`${FOLDER}/a.json`, { type: "string" });

  expect(before).toEqual(["passed"]);
  expect(await problems("a.json", 1)).toEqual(["output: expected string, got integer"]);
});

test.each([
  ["nope.json", "nope.json: no such file"],
  ["", '"" names no file'],
  ["a\0b", '"a\0b" names no file'],
  ["../../../etc/passwd", "../../../etc/passwd: lies outside the project"],
  ["/etc/passwd", "/etc/passwd: lies outside the project"],
  [".planner/specs", ".planner/specs: is no file"],
])("validate refuses the schema path %j", async (path, problem) => {
  expect(await outputs.validateOutput(path, "1")).toEqual({ kind: "invalid_schema", problems: [problem] });
});

test("validate refuses a link that leads out of the project", async () => {
  symlinkSync("/etc/hostname", join(project.root, FOLDER, "link.json"));
  schema(`${FOLDER}/a.json`, { $ref: "link.json" });

  expect(await problems("link.json")).toEqual([`${FOLDER}/link.json: leads outside the project`]);
  expect(await problems("a.json")).toEqual([
    `${FOLDER}/a.json#/$ref: "link.json" leads to no schema (${FOLDER}/link.json: leads outside ${FOLDER}/)`,
  ]);
});

test("validate does not wait for a named pipe", async () => {
  execFileSync("mkfifo", [join(project.root, FOLDER, "pipe.json")]);

  expect(await problems("pipe.json")).toEqual([`${FOLDER}/pipe.json: is no file`]);
});

test("validate says where a schema file stops being JSON", async () => {
  schema(`${FOLDER}/a.json`, '{\n  "type": "object",\n  "required": [1,]\n}');
  schema(`${FOLDER}/b.json`, '{"type": "object"}\n}');

  expect(await problems("a.json")).toEqual([`${FOLDER}/a.json:3:18: is no valid JSON`]);
  expect(await problems("b.json")).toEqual([`${FOLDER}/b.json:2:1: is no valid JSON`]);
});

test("validate refuses a schema file that is too large or nests too deeply", async () => {
  schema(`${FOLDER}/large.json`, "{}");
  truncateSync(join(project.root, FOLDER, "large.json"), 2 * 1024 * 1024);
  schema(`${FOLDER}/deep.json`, `${'{"not":'.repeat(20_000)}true${"}".repeat(20_000)}`);

  expect(await problems("large.json")).toEqual([`${FOLDER}/large.json: is larger than 1048576 bytes`]);
  expect(await problems("deep.json")).toEqual([`${FOLDER}/deep.json: nests 20000 levels deep, more than 500`]);
});

test("validate refuses an output that is too large or nests too deeply", async () => {
  schema(`${FOLDER}/a.json`, true);

  expect(await outputs.validateOutput("a.json", `"${"x".repeat(17_000_000)}"`)).toEqual({
    kind: "failed",
    problems: ["output of 17000002 characters: expected at most 16777216"],
  });
  expect(await outputs.validateOutput("a.json", "[".repeat(20_000) + "]".repeat(20_000))).toEqual({
    kind: "failed",
    problems: ["output nests 20000 levels deep: expected at most 500"],
  });
});

test("validate compares values as deep as it allows", async () => {
  const level = { anyOf: [{ type: "array", items: { $ref: "#" } }, { type: "integer" }] };
  schema(`${FOLDER}/a.json`, { allOf: [{ oneOf: [level] }] });

  expect(await outputs.validateOutput("a.json", `${"[".repeat(499)}1${"]".repeat(499)}`)).toEqual(PASSED);
  expect(await outputs.validateOutput("a.json", `${"[".repeat(499)}"x"${"]".repeat(499)}`)).toMatchObject({
    kind: "failed",
  });
});

test("validate follows references over files, circles included", async () => {
  schema(`${FOLDER}/a.json`, { properties: { b: { $ref: "parts/b.json#/$defs/x" }, c: { $ref: "parts/c d.json" } } });
  schema(`${FOLDER}/parts/b.json`, { $defs: { x: { type: "object", properties: { a: { $ref: "../a.json" } } } } });
  schema(`${FOLDER}/parts/c d.json`, { type: "integer" });

  expect(await problems("a.json", { b: { a: { b: 1 } }, c: "x" })).toEqual([
    "/b/a/b: expected object, got integer",
    "/c: expected integer, got string",
  ]);
});

test("validate finds another schema by its $id, and a neighbour although an $id says otherwise", async () => {
  schema(`${FOLDER}/a.json`, {
    $id: "https://example.com/schemas/a.json",
    properties: { b: { $ref: "https://example.com/b" }, c: { $ref: "c.json" } },
  });
  schema(`${FOLDER}/named.json`, { $id: "https://example.com/b", type: "integer" });
  schema(`${FOLDER}/c.json`, { type: "string" });
  schema(`${FOLDER}/broken.json`, "{");

  expect(await problems("a.json", { b: "x", c: 1 })).toEqual([
    "/b: expected integer, got string",
    "/c: expected string, got integer",
  ]);
});

test.each([
  ["../specs/x.json", ".planner/specs/x.json: lies outside .planner/schemas/"],
  ["../../../etc/passwd", "etc/passwd: lies outside .planner/schemas/"],
  ["/etc/passwd", "etc/passwd: lies outside .planner/schemas/"],
  ["file:///etc/passwd", "etc/passwd: lies outside .planner/schemas/"],
  ["%2e%2e/x.json", ".planner/x.json: lies outside .planner/schemas/"],
  ["..%2fx.json", ".planner/x.json: lies outside .planner/schemas/"],
  ["https://example.com/x.json", "no file under .planner/schemas/ has this $id, and the network is never asked"],
  ["missing.json#/a", ".planner/schemas/missing.json: no such file"],
])("validate refuses the reference %s", async (reference, why) => {
  schema(`${FOLDER}/a.json`, { properties: { x: { $ref: reference } } });

  expect(await problems("a.json")).toEqual([
    `${FOLDER}/a.json#/properties/x/$ref: "${reference}" leads to no schema (${why})`,
  ]);
});

test("validate refuses a chain of more files than anybody writes", async () => {
  for (let index = 0; index < 80; index++)
    schema(`${FOLDER}/f${index}.json`, { items: { $ref: `f${index + 1}.json` } });

  expect((await problems("f0.json"))[0]).toContain("reaches more than 64 files");
});

test("validate answers a schema of exponential cost within its limit", async () => {
  const twice = (name: string) => ({ anyOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
  const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`a${index}`, twice(`a${index + 1}`)]));
  schema(`${FOLDER}/a.json`, { $ref: "#/$defs/a0", $defs: { ...$defs, a40: false } });
  outputs = createOutputValidator(project.root, { checkMs: 500, patternMs: 2000 });

  expect(await problems("a.json")).toEqual([
    "comparing the output with the schema takes longer than the limit of 0.5 s",
  ]);
});

test("validate gives up on hostile patterns, names them, and goes on with the next output", async () => {
  outputs = createOutputValidator(project.root, PATIENT);
  schema(`${FOLDER}/a.json`, {
    properties: { nested: { pattern: "^(a+)+$" }, polynomial: { pattern: "a*a*a*b" } },
    patternProperties: { "^(x+)+y$": true },
  });
  const nested = { nested: `${"a".repeat(40)}!` };
  const polynomial = { polynomial: "a".repeat(5000) };
  const name = { [`${"x".repeat(40)}!`]: 1 };

  const [first, second, third, fourth] = await Promise.all(
    [nested, polynomial, name, { nested: "aaa" }].map((value) => problems("a.json", value)),
  );

  expect(first).toEqual(['pattern "^(a+)+$" takes longer than the limit of 2 s on a text of 41 characters']);
  expect(second).toEqual(['pattern "a*a*a*b" takes longer than the limit of 2 s on a text of 5000 characters']);
  expect(third).toEqual(['pattern "^(x+)+y$" takes longer than the limit of 2 s on a text of 41 characters']);
  expect(fourth).toEqual(["passed"]);
}, 240_000);

test("validate gives up on a pattern in a place that only a reference makes a schema of", async () => {
  outputs = createOutputValidator(project.root, PATIENT);
  schema(`${FOLDER}/a.json`, { $ref: "#/x-own/0", "x-own": [{ $ref: "b.json#/x-other" }] });
  schema(`${FOLDER}/b.json`, { "x-other": { pattern: "^(a+)+$" } });

  expect(await problems("a.json", `${"a".repeat(40)}!`)).toEqual([
    'pattern "^(a+)+$" takes longer than the limit of 2 s on a text of 41 characters',
  ]);
});

test("validate takes numbers outside the range of doubles and letters at which lines could be split", async () => {
  schema(`${FOLDER}/a.json`, { items: { type: "number" } });
  schema(`${FOLDER}/b\u2028.json`, { pattern: "\u2028\u2029\u0085" });

  expect(await outputs.validateOutput("a.json", "[1e400, -0, 1.0, 12345678901234567890]")).toEqual(PASSED);
  expect(await problems("b\u2028.json", "\u2028\u2029\u0085\r\n")).toEqual(["passed"]);
  expect(await problems("b\u2028.json", "\u2028")).toEqual([
    'output: expected text matching "\\u2028\\u2029\\u0085", got "\\u2028"',
  ]);
});

test("promptSection refuses a schema that is no schema", async () => {
  schema(`${FOLDER}/a.json`, { type: "strng" });
  writeFileSync(join(project.root, FOLDER, "b.json"), "{");

  await expect(outputs.promptSection("a.json")).rejects.toThrow(
    'Cannot use the schema "a.json": .planner/schemas/a.json#/type: ',
  );
  await expect(outputs.promptSection("b.json")).rejects.toThrow(
    'Cannot use the schema "b.json": .planner/schemas/b.json:1:2: ',
  );
});
