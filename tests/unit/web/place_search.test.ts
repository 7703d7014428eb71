import { expect, test } from "bun:test";
import type { AuditEntry } from "#web/console/api/replies.ts";
import { searchLocationChanges } from "#web/console/history/leaf_changes.ts";

/** A log of so many changes, of which every `nth` is of the place; it is read as the service reads it. */
function logOf(count: number, nth: number) {
  let asked = 0;
  const entries = Array.from({ length: count }, (_, at) => {
    const seq = count - at;
    return { seq, occurred_at: `T${seq}`, entity: seq % nth === 0 ? "rack:HERE" : "rack:THERE" } as AuditEntry;
  });
  return {
    asked: () => asked,
    read: async ({ page_size = "", page_token = "" }: Readonly<Record<string, string>>) => {
      asked += 1;
      const [from, size] = [Number(page_token), Number(page_size)];
      const next = from + size < entries.length ? String(from + size) : "";
      return { entries: entries.slice(from, from + size), next_page_token: next };
    },
  };
}
const isHere = ({ entity }: AuditEntry) => entity === "rack:HERE";

test("searchLocationChanges reads further pages until enough are found", async () => {
  const log = logOf(3000, 50);

  const found = await searchLocationChanges(log.read, isHere);

  expect(found.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, at) => 3000 - at * 50));
  expect([log.asked(), found.searched, found.isComplete]).toEqual([5, 1000, false]);
});

test("searchLocationChanges says how far it looked, at most 2,000 changes or all of the log", async () => {
  const far = await searchLocationChanges(logOf(3000, 2999).read, isHere);
  const whole = await searchLocationChanges(logOf(450, 449).read, isHere);
  const empty = await searchLocationChanges(logOf(0, 1).read, isHere);

  expect([far.entries.length, far.searched, far.isComplete, far.oldestTime]).toEqual([1, 2000, false, "T1001"]);
  expect([whole.entries.length, whole.searched, whole.isComplete, whole.oldestTime]).toEqual([1, 450, true, "T1"]);
  expect(empty).toEqual({ entries: [], searched: 0, isComplete: true, oldestTime: "", newestSeq: 0 });
});

test("searchLocationChanges reads only what came since an earlier search", async () => {
  const earlier = await searchLocationChanges(logOf(450, 100).read, isHere);
  const log = logOf(600, 100);

  const again = await searchLocationChanges(log.read, isHere, earlier);

  expect([log.asked(), again.searched, again.newestSeq]).toEqual([1, 600, 600]);
  expect(again.entries.map(({ seq }) => seq)).toEqual([600, 500, 400, 300, 200, 100]);
});
