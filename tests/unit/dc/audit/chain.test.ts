import { describe, expect, test } from "bun:test";
import { appendToChain, checkLogRow, type EntryHeader } from "#dc/audit/chain.ts";
import type { ChangeDraft, ChangeRecord } from "#dc/model/inventory.ts";
import type { ChainHead, LogRow } from "#dc/ports.ts";
import { formatCanonicalJson } from "#kernel/json_object.ts";
import { changeRecord } from "../../../support/dc/change_record.ts";
import { smallSite } from "../../../support/dc/small_site.ts";

function draft(entity: string): ChangeDraft {
  const { seq: _, prevHash: __, hash: ___, ...rest } = changeRecord({ entity });
  return rest;
}

function chainOf(...entities: readonly string[]): ChangeRecord[] {
  const records: ChangeRecord[] = [];
  for (const entity of entities) records.push(appendToChain(records.at(-1) ?? { seq: 0, hash: "" }, draft(entity)));
  return records;
}

function rowOf(record: ChangeRecord): LogRow {
  const { seq, occurredAt, actor, action, request, hash } = record;
  const columns = { principal: actor.principal, action, requestId: request.id, interface: request.interface };
  return { seq, occurredAt, ...columns, hash, body: formatCanonicalJson(record) };
}

/** An entry without its values. */
function header({ before: _, after: __, changedFields: ___, ...rest }: ChangeRecord): EntryHeader {
  return rest;
}

const START: ChainHead = { seq: 0, hash: "" };

describe("checkRow", () => {
  const [a, b, c] = chainOf("device:A", "device:B", "device:C") as [ChangeRecord, ChangeRecord, ChangeRecord];

  test("accepts what seal has linked, from the beginning and from the middle", () => {
    expect(checkLogRow(rowOf(a), START)).toEqual({ ok: true, record: header(a) });
    expect(checkLogRow(rowOf(c), b)).toEqual({ ok: true, record: header(c) });
  });

  test("finds every field and every column that was altered", () => {
    const row = rowOf(a);

    for (const field of Object.keys(a)) {
      expect(checkLogRow(rowOf({ ...a, [field]: "changed" }), START)).toMatchObject({ ok: false });
    }
    for (const column of ["occurredAt", "principal", "action", "requestId", "interface", "hash"] as const) {
      const checked = checkLogRow({ ...row, [column]: "changed" }, START);
      expect(checked).toMatchObject({ ok: false, seq: 1, problem: "column" });
    }
  });

  test("accepts an entry whose resource holds the hashes before it as fields", () => {
    const trap = { hash: a.hash, id: "x", prevHash: a.hash, recordedAt: "x" };
    const {
      seq: _,
      prevHash: __,
      hash: ___,
      ...entry
    } = changeRecord({ entity: "device:X", after: trap, before: trap });
    const sealed = appendToChain(a, { ...entry, message: JSON.stringify(trap) });

    expect(checkLogRow(rowOf(sealed), a)).toEqual({ ok: true, record: header(sealed) });
  });

  test("finds a text that says the same in other letters, or nothing at all", () => {
    const row = rowOf(a);

    for (const body of [` ${row.body}`, row.body.replace("{", '{"id":"x",'), "{", "null", "[]", ""]) {
      expect(checkLogRow({ ...row, body }, START)).toMatchObject({ ok: false, seq: 1, problem: "altered" });
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

  const first = appendToChain({ seq: 0, hash: "" }, entry);

  expect(first.hash).toBe("cb29d9d0dfed3214b2ba6141675671cfe09ba9b5da8e72847f801669ccb36296");
  expect(appendToChain(first, entry).hash).toBe("d35d1436d79ddf8fb47501fc380b7d4b52d2a69e794797e6caf2890287e3780d");
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
