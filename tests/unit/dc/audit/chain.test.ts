import { describe, expect, test } from "bun:test";
import { seal, verifyChain } from "#dc/audit/chain.ts";
import type { ChangeDraft, ChangeRecord } from "#dc/model/change_record.ts";
import { changeRecord } from "../../../support/dc/change_record.ts";
import { smallSite } from "../../../support/dc/small_site.ts";

function draft(entity: string): ChangeDraft {
  const { seq: _, prevHash: __, hash: ___, ...rest } = changeRecord({ entity });
  return rest;
}

function chainOf(...entities: readonly string[]): ChangeRecord[] {
  const records: ChangeRecord[] = [];
  for (const entity of entities) records.push(seal(records.at(-1) ?? { seq: 0, hash: "" }, draft(entity)));
  return records;
}

describe("verifyChain", () => {
  test("accepts what seal has linked, whole and from the middle", () => {
    const records = chainOf("device:A", "device:B", "device:C");

    expect(verifyChain(records)).toMatchObject({ ok: true, head: { seq: 3 } });
    expect(verifyChain(records.slice(1), records[0])).toMatchObject({ ok: true });
  });

  test("names the entry that was altered, taken out, or put in another's place", () => {
    const [a, b, c] = chainOf("device:A", "device:B", "device:C") as [ChangeRecord, ChangeRecord, ChangeRecord];

    expect(verifyChain([a, { ...b, message: "never" }, c])).toEqual({ ok: false, seq: 2, problem: "altered" });
    expect(verifyChain([a, c])).toEqual({ ok: false, seq: 2, problem: "missing" });
    expect(verifyChain([a, seal({ seq: 1, hash: "x" }, draft("device:B")), c])).toEqual({
      ok: false,
      seq: 2,
      problem: "unlinked",
    });
  });

  test("gives every field a part in the hash", () => {
    const [record] = chainOf("device:A");
    if (record === undefined) throw new Error("one entry was sealed");

    for (const field of Object.keys(record)) {
      if (field === "seq" || field === "hash") continue;
      expect(verifyChain([{ ...record, [field]: "changed" }])).toMatchObject({ ok: false });
    }
  });
});

test("an entry has the hash that the first version of this program gave it", () => {
  const {
    seq: _,
    prevHash: __,
    hash: ___,
    ...entry
  } = changeRecord({
    entity: "device:Ä",
    before: { code: "X", labels: { "10": "a", "9": "b" } },
    after: { name: "x\u{10000}\uffff", code: "X", n: [1.5, -0, null] },
    message: "m",
  });

  const first = seal({ seq: 0, hash: "" }, entry);

  expect(first.hash).toBe("cb29d9d0dfed3214b2ba6141675671cfe09ba9b5da8e72847f801669ccb36296");
  expect(seal(first, entry).hash).toBe("d35d1436d79ddf8fb47501fc380b7d4b52d2a69e794797e6caf2890287e3780d");
});

test("the change log of a small site tells who did what to which fields", async () => {
  const site = await smallSite();
  await site.call("UpsertDevice", { device: { code: "SRV-1", name: "renamed" }, change_message: "ticket 7" });

  const [entry] = await site.store.read((reader) =>
    reader.history({ entity: "device:SRV-1", descending: true, limit: 1 }),
  );

  expect(entry).toMatchObject({
    action: "UPDATE",
    actor: { principal: "anna" },
    request: { interface: "REST", method: "UpsertDevice" },
    changedFields: ["name"],
    message: "ticket 7",
    related: ["rack:R1"],
    before: { code: "SRV-1" },
    after: { name: "renamed" },
  });
});
