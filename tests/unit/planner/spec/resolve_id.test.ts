import { expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { createIdShortener, resolveSpecId, type SpecId } from "#planner/spec/spec_id.ts";

const TODAY = "2026-11-21";
const IDS = [
  "2026-11-20-001-abc",
  "2026-11-21-001-xyz",
  "2026-11-21-001-xyz.1",
  "2026-11-21-002-abd",
  "2026-11-21-00a-001",
] as SpecId[];

function resolve(text: string, ids: readonly SpecId[] = IDS): string {
  return resolveSpecId(text, ids, TODAY);
}

function refusal(text: string, ids: readonly SpecId[] = IDS): readonly [kind: string, message: string] {
  try {
    return ["found", resolve(text, ids)];
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return [error.kind, error.message];
  }
}

test.each<[name: string, text: string, ids: readonly SpecId[], id: string]>([
  ["prefers the id that is the text", "2026-11-21-001-xyz", IDS, "2026-11-21-001-xyz"],
  ["takes the only id that ends with the text", "xyz", IDS, "2026-11-21-001-xyz"],
  ["takes the only id that ends with the text, a member", "z.1", IDS, "2026-11-21-001-xyz.1"],
  ["takes the only id that ends with the text, not its counter", "001", IDS.slice(3), "2026-11-21-00a-001"],
  ["takes three characters for today's counter", "002", IDS, "2026-11-21-002-abd"],
  ["takes them so where no other spec could be meant", "001", IDS.slice(1, 4), "2026-11-21-001-xyz"],
  // 026 is in every date of the year, which nobody means by it.
  ["passes over the year", "026", [...IDS, "2026-11-21-026-aaa" as SpecId], "2026-11-21-026-aaa"],
  ["takes the only id that contains the text", "-20-", IDS, "2026-11-20-001-abc"],
  ["takes the only id that contains the text without its blanks", " 11-20 ", IDS, "2026-11-20-001-abc"],
  ["takes an id that is in the archive as well for one", "abc", [...IDS, IDS[0] as SpecId], "2026-11-20-001-abc"],
])("resolveSpecId %s", (_, text, ids, id) => {
  expect(resolve(text, ids)).toBe(id);
});

test("resolveSpecId takes today's counter although finished specs have it", () => {
  const [today, other] = ["2026-11-21-001-xyz", "2026-11-20-001-abc"] as [SpecId, SpecId];
  const find = (open: readonly string[]) => resolveSpecId("001", [today, other], TODAY, (id) => open.includes(id));

  expect(find([today])).toBe(today);
  expect(find([])).toBe(today);
  expect(() => find([other])).toThrow("Ambiguous spec ID '001'");
});

test("resolveSpecId refuses today's counter where another spec could be meant", () => {
  const today = "2026-11-21-001-xyz";
  for (const other of [
    "2026-11-20-001-abc",
    "2026-11-22-001-abc.1",
    "2026-11-21-00a-001",
    "2026-11-20-00a-x001y",
    "2026-11-21-001-zzz",
    "notes-001",
  ]) {
    const [kind, message] = refusal("001", [today, other] as SpecId[]);
    expect(kind).toBe("invalid_argument");
    expect(message).toContain("Ambiguous spec ID '001'. Matches: ");
    expect(message.split("Matches: ")[1]?.split(", ").toSorted()).toEqual([today, other].toSorted());
  }
});

test("resolveSpecId names twenty ids and counts the others", () => {
  const ids = Array.from({ length: 25 }, (_, index) => `2026-11-21-${String(index).padStart(3, "0")}-aaa` as SpecId);

  expect(refusal("2026", ids)[1]).toEndWith("2026-11-21-019-aaa, … (5 more)");
});

test("shortenSpecIds gives a text that means the same id, and leaves out the day of all that it can", () => {
  const ids = [...IDS, "2026-11-19-002-abd", "legacy-001-abc", "2026-11-20-003-q7w", "2026-11-19-004-q7w"] as SpecId[];
  const shorten = createIdShortener(ids);

  for (const id of ids) expect(resolve(shorten(id), ids)).toBe(id);
  expect(ids.map(shorten).filter((short) => !ids.includes(short as SpecId))).toEqual([
    "xyz",
    "xyz.1",
    "00a-001",
    "003-q7w",
    "004-q7w",
  ]);
});
