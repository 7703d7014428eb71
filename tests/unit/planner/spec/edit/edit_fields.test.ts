import { describe, expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { editFields, type FieldChanges } from "#planner/spec/edit/edit_fields.ts";

const BODY = "---\n# Title\n\n---\nstatus: pending\n";

/** Each row: what is shown, the frontmatter before, the change, the frontmatter after. */
type Row = readonly [name: string, before: string, changes: FieldChanges, after: string];

function check(rows: readonly Row[]): void {
  for (const [name, before, changes, after] of rows) {
    test(name, () => {
      expect(editFields(`---\n${before}${BODY}`, changes)).toBe(`---\n${after}${BODY}`);
    });
  }
}

const done = { status: "completed" };

describe("editFields sets a text", () => {
  check([
    ["before a comment", "status: pending # why\n", done, "status: completed # why\n"],
    ["between odd blanks", "status   :\t pending   \n", done, "status   :\t completed   \n"],
    ["in the same quotes", "status: 'pending'\nb: \"x\"\n", { ...done, b: "y" }, "status: 'completed'\nb: \"y\"\n"],
    ["without quotes that only the old value needed", 'status: "a: b"\n', done, "status: completed\n"],
    ["behind an explicit key", "? status\n: pending # why\n", done, "? status\n: completed # why\n"],
    ["behind an explicit key without a value", "? status # why\nb: 1\n", done, "status: completed # why\nb: 1\n"],
    ["where only a comment stands", "status: # why\n", done, "status: completed # why\n"],
    ["below its key", "status:\n  pending # why\n", done, "status:\n  completed # why\n"],
    ["over several plain lines", "status: one\n  two\n\n  three # why\n", done, "status: completed # why\n"],
    ["over a block text", "status: |\n  one\n  two\n\nb: 1\n", done, "status: completed\n\nb: 1\n"],
    [
      "over a folded text with a comment",
      "status: >+2 # why\n  one\n\nb: 1\n",
      done,
      "status: completed # why\n\nb: 1\n",
    ],
    ["over a list", "status:\n  - a\n  # note\n  - b\nb: 1\n", done, "status: completed\n  # note\nb: 1\n"],
    ["over a list in brackets", "status: [a,\n  b] # why\n", done, "status: completed # why\n"],
    ["in braces", "{status: pending, b: 1}\n", done, "{status: completed, b: 1}\n"],
    ["in braces where the value is absent", "{status, b: }\n", { ...done, b: "x" }, "{status: completed, b: x }\n"],
  ]);
});

describe("editFields sets a list", () => {
  const ab = { labels: ["a", "b"] };
  check([
    [
      "item by item",
      "labels:\n  - a # 1\n  # 2\n  - c\n  # 3\nb: 1\n",
      ab,
      "labels:\n  - a # 1\n  - b\n  # 2\n  # 3\nb: 1\n",
    ],
    ["with wide dashes and quotes", "labels:\n    -   'a'\n", ab, "labels:\n    -   'a'\n    -   'b'\n"],
    ["in front", "labels:\n  - b # 1\n", ab, "labels:\n  - a\n  - b # 1\n"],
    [
      "to nothing, comments kept",
      "labels: # 0\n  - a # 1\n  # 2\nb: 1\n",
      { labels: [] },
      "labels: [] # 0\n  # 2\nb: 1\n",
    ],
    ["in brackets", "labels: [ a ,c ] # why\n", ab, "labels: [ a ,b ] # why\n"],
    ["in brackets with a comma at the end", "labels: [a,]\n", ab, "labels: [a, b,]\n"],
    [
      "in brackets over several lines",
      "labels: [\n  a, # 1\n  # 2\n  c, # 3\n  d # 4\n]\n",
      { labels: ["a", "d", "e"] },
      "labels: [\n  a, # 1\n  # 2\n  d, # 4\n  e\n]\n",
    ],
    ["of brackets over several lines to nothing", "labels: [\n  a,\n  b\n]\n", { labels: [] }, "labels: []\n"],
    ["in brackets with items on the first line", "labels: [c, # 1\n  a,\n  b] # 2\n", ab, "labels: [a,\n  b] # 2\n"],
    ["in brackets with the commas in front", "labels: [\n  a\n  , c\n  ]\n", ab, "labels: [a, b]\n"],
    ["like the other lists, at the margin", "x:\n- 1\nlabels:\n", ab, "x:\n- 1\nlabels:\n- a\n- b\n"],
    ["like the other lists, in brackets", "x: [1]\nlabels:\n", ab, "x: [1]\nlabels: [a, b]\n"],
    ["behind an explicit key", "? labels\n: - a\n  - c\nb: 1\n", ab, "labels: [a, b]\nb: 1\n"],
    ["in braces", "{labels: [a], b: 1}\n", ab, "{labels: [a, b], b: 1}\n"],
  ]);
});

describe("editFields sets a mapping", () => {
  const approved = { approval: { required: true, status: "approved", by: "Ines" } };
  check([
    [
      "key by key",
      "approval: # 0\n  required: true # 1\n  # 2\n  status: pending\n",
      approved,
      "approval: # 0\n  required: true # 1\n  # 2\n  status: approved\n  by: Ines\n",
    ],
    [
      "in braces",
      "approval: {required: true} # 1\n",
      approved,
      "approval: {required: true, status: approved, by: Ines} # 1\n",
    ],
  ]);
});

describe("editFields adds a field", () => {
  check([
    ["behind the last one", "a: 1\n# end\n\n", done, "a: 1\n# end\nstatus: completed\n\n"],
    ["behind the blank lines of a kept block text", "a: |+\n  x\n\n", done, "a: |+\n  x\n\nstatus: completed\n"],
    ["in braces", "{a: 1}\n", done, "{a: 1, status: completed}\n"],
    ["in braces over several lines", "{\n  a: 1 # 1\n}\n", done, "{\n  a: 1, # 1\n  status: completed\n}\n"],
    ["as deep as the others", "  a: 1\n", { labels: ["a"] }, "  a: 1\n  labels:\n    - a\n"],
    ["before the end of the document", "a: 1\n...\n", done, "a: 1\nstatus: completed\n...\n"],
  ]);
});

describe("editFields removes a field", () => {
  const gone = { status: undefined };
  check([
    ["with its lines and no others", "# 1\nstatus: a\n  b # 2\n# 3\nb: 1\n", gone, "# 1\n# 3\nb: 1\n"],
    ["with its list", "status:\n  - a\n  # 1\n  - b\n\nb: 1\n", gone, "\nb: 1\n"],
    ["in braces", "{a: 1, status: x, b: 2}\n", gone, "{a: 1, b: 2}\n"],
    [
      "with the loose lines below that a block text would swallow",
      "a: |\n  x\nstatus: y\n    \nb: 1\n",
      gone,
      "a: |\n  x\nb: 1\n",
    ],
  ]);
});

describe("editFields returns the text itself", () => {
  check([
    ["when the value is the same", "status:   'completed' # 1\n", done, "status:   'completed' # 1\n"],
    ["when the list is the same", "labels: [a , 'b']\n", { labels: ["a", "b"] }, "labels: [a , 'b']\n"],
    [
      "when the mapping is the same",
      "approval: {by: a, at: b}\n",
      { approval: { at: "b", by: "a" } },
      "approval: {by: a, at: b}\n",
    ],
    ["when the number of a text field has those digits", "model: 1.10\n", { model: "1.10" }, "model: 1.10\n"],
  ]);
});

test("editFields keeps CR LF, a lone CR and a byte-order mark", () => {
  const text = "\ufeff---\nstatus: pending # 1\nlabels: [\n  a\n]\n---\n# T";
  const after = "\ufeff---\nstatus: completed # 1\nlabels: [\n  a,\n  b\n]\nmodel: x\n---\n# T";

  for (const eol of ["\n", "\r\n", "\r"]) {
    const edited = editFields(text.replaceAll("\n", eol), { ...done, labels: ["a", "b"], model: "x" });

    expect(edited).toBe(after.replaceAll("\n", eol));
  }
});

test("editFields refuses a text that does not parse, with the place", () => {
  const refused = (): string => editFields("---\nstatus: a\nstatus: b\n---\n", done);

  expect(refused).toThrow(OperationError);
  expect(refused).toThrow('Cannot edit the spec: line 3, column 1: Duplicate key "status"');
});

test("editFields refuses a field that another one refers to, with the place", () => {
  const text = "---\na: 1\nstatus: &s pending\nb: *s\n---\n";
  const message = 'Cannot set "status": line 3, column 1: it cannot be changed without changing other fields';

  expect(() => editFields(text, done)).toThrow(message);
  expect(() => editFields(text, { status: undefined })).toThrow(message);
});

test("editFields refuses a number that is none", () => {
  expect(() => editFields("---\n---\n", { priority: Number.NaN })).toThrow(
    'Invalid value NaN for "priority": expected a finite number',
  );
});

test("editFields refuses a value that would make the frontmatter too long to read", () => {
  const labels = Array.from({ length: 100_000 }, (_, number) => `l${number}`);

  expect(() => editFields("---\nstatus: pending\n---\n", { labels })).toThrow(
    'Value for "labels" is too long: expected frontmatter of at most 262144 characters',
  );
});
