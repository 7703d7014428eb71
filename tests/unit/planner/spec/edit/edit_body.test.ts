import { expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { parseCriteria } from "#planner/spec/criteria.ts";
import { appendOutput, appendSectionEntry, keepChecks, replaceBody } from "#planner/spec/edit/edit_body.ts";
import { formatScalar } from "#planner/spec/edit/edit_entry.ts";

const HEAD = "---\nstatus: pending\n---\n";

test("appendOutput puts the text under a heading at the end", () => {
  expect(appendOutput(`${HEAD}# T\n\ntext`, "done")).toBe(`${HEAD}# T\n\ntext\n\n## Output\n\ndone\n`);
  expect(appendOutput(`${HEAD}# T\n\n`, "a\n\nb\n")).toBe(`${HEAD}# T\n\n## Output\n\na\n\nb\n`);
});

test("appendOutput goes on below the output that is last", () => {
  const text = `${HEAD}# T\n\n## Output\n\n### Run\nfirst\n`;

  expect(appendOutput(text, "second")).toBe(`${text}\nsecond\n`);
});

test("appendOutput begins a new section when another one follows the last output", () => {
  const text = `${HEAD}## Output\n\nfirst\n\n## Notes\n`;

  expect(appendOutput(text, "second")).toBe(`${text}\n## Output\n\nsecond\n`);
});

test("appendOutput closes a fence that the body leaves open", () => {
  expect(appendOutput(`${HEAD}# T\n~~~~js\nopen`, "x")).toBe(`${HEAD}# T\n~~~~js\nopen\n~~~~\n\n## Output\n\nx\n`);
  expect(appendOutput(`${HEAD}## Output\n\n\`\`\`\nopen\n`, "x")).toBe(
    `${HEAD}## Output\n\n\`\`\`\nopen\n\`\`\`\n\nx\n`,
  );
});

test("appendOutput writes the file's line endings", () => {
  expect(appendOutput("---\r\n---\r\n# T\r\n", "a\nb\r\n")).toBe(
    "---\r\n---\r\n# T\r\n\r\n## Output\r\n\r\na\r\nb\r\n",
  );
});

test("replaceBody keeps the title's line when the new body has no title", () => {
  expect(replaceBody(`${HEAD}\ntext\n# The title #\nold\n`, "new\n## Part")).toBe(
    `${HEAD}\n# The title #\n\nnew\n## Part\n`,
  );
  expect(replaceBody(`${HEAD}\n# Old\n`, "```\n# no title\n```")).toBe(
    `${HEAD}\n# Old\n\n\`\`\`\n# no title\n\`\`\`\n`,
  );
});

test("replaceBody keeps a body from being read as frontmatter", () => {
  expect(replaceBody("old", "---\nstatus: completed\n---\n")).toBe("\n---\nstatus: completed\n---\n");
  expect(replaceBody("old\r\n", "\ufefftext")).toBe("\r\n\ufefftext\r\n");
});

test("both refuse what a file cannot hold, and a file that does not parse", () => {
  for (const edit of [appendOutput, replaceBody]) {
    expect(() => edit(HEAD, "a\0b")).toThrow("Invalid output: expected text without NUL characters");
    expect(() => edit(HEAD, "\ud800")).toThrow(OperationError);
    expect(() => edit("---\na: [\n---\n", "x")).toThrow("Cannot edit the spec: line 3, column 1:");
  }
});

test("appendOutput, replaceBody and appendToSection write no control character but line breaks and tabs", () => {
  const raw = "\u001b[2J\u009b1mred\u0007\u007f\tten\rtwenty\r\nend";
  const plain = "␛[2J\ufffd1mred␇␡\tten\ntwenty\nend\n";

  expect(appendOutput("# T\n", raw)).toBe(`# T\n\n## Output\n\n${plain}`);
  expect(replaceBody("old\n", raw)).toBe(plain);
  expect(appendSectionEntry("# T\n", "Notes", raw)).toBe(`# T\n\n## Notes\n\n${plain}`);
});

const OWN = `${HEAD}# T\n\n## Acceptance Criteria\n\n- [ ] a\n  verify: make a\n- [ ] b\n  - verify: make b\n- [ ] c\n`;

test("keepChecks keeps each check and puts the other text's version beside it as proposed", () => {
  const run = `${HEAD}# T\n\n## Acceptance Criteria\n\n- [x] a\n  verify: true\n- [x] b\n- [x] c\n  verify: make c\n`;

  expect(keepChecks(run, { own: OWN, restores: false })).toBe(
    `${HEAD}# T\n\n## Acceptance Criteria\n\n- [x] a\n  verify: make a\n  proposed verify: true\n- [x] b\n  verify: make b\n- [x] c\n  verify: make c\n`,
  );
});

test("keepChecks changes nothing twice, and keeps CRLF", () => {
  const crlf = (text: string): string => text.replaceAll("\n", "\r\n");
  const run = crlf(OWN.replace("make a", "true"));

  const once = keepChecks(run, { own: OWN, restores: true });

  expect(once).toContain("  verify: make a\r\n  proposed verify: true\r\n- [ ] b");
  expect(keepChecks(once, { own: OWN, restores: true })).toBe(once);
  expect(keepChecks(OWN, { own: OWN, restores: true })).toBe(OWN);
});

test("keepChecks brings back criteria whose checks stay, and only those", () => {
  const text = keepChecks(`${HEAD}# T\nrewritten\n`, {
    own: OWN,
    restores: true,
    stays: (command) => command === "make b",
  });

  expect(parseCriteria(text).map(({ label, checked, verify }) => [label, checked, verify])).toEqual([
    ["b", false, "make b"],
  ]);
});

const plain = (text: string | number | boolean): string => formatScalar(text, { style: "plain", inFlow: false });

test("scalarText leaves alone what every YAML reader takes for that text", () => {
  const words = "pending|src/a b.ts|2026-11-20-001-abc|2026-01-05|it's|a#b|C:\\x|é 😀|a, b|1.2.3".split("|");

  expect(words.map(plain)).toEqual(words);
});

test.each([
  [
    "what YAML 1.1 or 1.2 would read as something else",
    ",yes,No,null,~,true,1.10,007,0x1F,1_000,1e3,12:30,.5,.inf,=,<<",
  ],
  ["what would not be one plain value", " a,a ,a: b,a:,#a,a #b,- a,---,[a],{a},*a,&a,!a,|,>,%a,@a,'a"],
])("scalarText quotes %s", (_, list) => {
  const words = list.split(",");

  expect(words.map(plain)).toEqual(words.map((word) => `"${word}"`));
});

test("scalarText escapes what does not fit on a line or cannot be seen", () => {
  expect(plain('a\nb\t"c"\\')).toBe('"a\\nb\\t\\"c\\"\\\\"');
  expect(plain("\0\u0085\u2028\ufeff\ud800")).toBe('"\\u0000\\u0085\\u2028\\ufeff\\ud800"');
});

test("scalarText quotes commas and brackets within brackets", () => {
  const within = (text: string): string => formatScalar(text, { style: "plain", inFlow: true });

  expect(["a b", "a, b", "a]", "a{"].map(within)).toEqual(["a b", '"a, b"', '"a]"', '"a{"']);
});

test("scalarText keeps the wanted quotes where they can hold the text", () => {
  expect(formatScalar("it's", { style: "single", inFlow: false })).toBe("'it''s'");
  expect(formatScalar("a\nb", { style: "single", inFlow: false })).toBe('"a\\nb"');
  expect(formatScalar("a", { style: "double", inFlow: false })).toBe('"a"');
});

test("scalarText writes numbers and booleans as such", () => {
  expect([plain(1.5), plain(-3), plain(true)]).toEqual(["1.5", "-3", "true"]);
});
