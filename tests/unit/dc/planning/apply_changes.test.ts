import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { end, smallSite } from "../../../support/dc/small_site.ts";

const REQUEST_ID = "0b9f5a52-7c1e-4a53-9a7d-6a3d1f0c2e11";
const TYPE = { code: "acme-1u", manufacturer: "Acme", model: "1U", kind: "DEVICE_KIND_SERVER" };
const WINDOW = {
  code: "MW-1",
  element_refs: ["rack:R9"],
  starts_at: "2099-11-28T20:00:00Z",
  ends_at: "2099-11-28T22:00:00Z",
};
const location = { site_id: "S1", floor_number: 1 };
const server = (code: string, more: JsonObject = {}): JsonObject => ({
  code,
  kind: "DEVICE_KIND_SERVER",
  location,
  ports: [{ name: "e1", kind: "PORT_KIND_NETWORK", type: "100gbase-x-qsfp28" }],
  ...more,
});

interface Reply {
  readonly results: readonly {
    code?: string;
    outcome: string;
    error?: { message: string; details: { reason: string; metadata: { field?: string } }[] };
  }[];
  readonly committed?: boolean;
  readonly transaction_id: string;
}

const outcomes = ({ results }: Reply) =>
  results.map(({ code, outcome }) => [code ?? "", outcome.replace("OUTCOME_", "")] as const);

/** Message, reason and field of the first item that was refused itself. */
function failure({ results }: Reply) {
  const { error } = results.find(({ outcome, error: one }) => outcome !== "OUTCOME_ABORTED" && one !== undefined) ?? {};
  const [info] = error?.details ?? [];
  return [error?.message, info?.reason, info?.metadata.field ?? ""];
}

describe("ApplyChanges", () => {
  test("writes and removes resources of every kind in their order, as one transaction of one request", async () => {
    const { call, service } = await smallSite();
    const cable = { a: end("NEW", "e1"), b: end("SPINE-1", "e2") };
    const first: Reply = await call("ApplyChanges", {
      changes: [
        { rack: { code: "R9", location } },
        { device: server("NEW", { rack_code: "R9" }) },
        { crac: { code: "C9", kind: "CRAC_KIND_CRAC", sensible_capacity_kw: 10, location } },
        { cable },
        { fabric_link: cable },
        { device_type: TYPE },
        { window: WINDOW },
      ],
      change_message: "all",
    });
    const refs = first.results.map(({ code }) => code ?? "");
    const { entries } = await service.readHistory({ entity: "device:NEW" }, { interface: "REST" });
    const second: Reply = await call("ApplyChanges", {
      changes: ["window", "fabric_link", "cable", "device:", "crac", "rack", "device_type"].map((kind) => ({
        delete_ref: refs.find((ref) => ref.startsWith(kind)) ?? "",
      })),
    });

    expect(outcomes(first)).toEqual([
      ["rack:R9", "CREATED"],
      ["device:NEW", "CREATED"],
      ["crac:C9", "CREATED"],
      ["cable:NEW/e1~SPINE-1/e2", "CREATED"],
      ["fabric_link:NEW/e1~SPINE-1/e2", "CREATED"],
      ["device_type:acme-1u", "CREATED"],
      ["window:MW-1", "CREATED"],
    ]);
    expect(new Set(entries.map(({ transactionId, message }) => `${transactionId} ${message}`))).toEqual(
      new Set([`${first.transaction_id} all`]),
    );
    expect(outcomes(second).map(([, outcome]) => outcome)).toEqual(Array(7).fill("DELETED"));
    await expect(call("GetDeviceType", { code: TYPE.code })).rejects.toThrow("Cannot find device type");
    await expect(call("GetRack", { code: "R9" })).rejects.toThrow("Cannot find");
  });

  test.each([
    ["a stored code where none may be", { device: server("SRV-1"), etag: "none" }, "ALREADY_STORED", "device.code"],
    ["a stored type where none may be", { device_type: TYPE, etag: "none" }, "ALREADY_STORED", "device_type.code"],
    ["another version", { rack: { code: "R1", name: "x" }, etag: "old" }, "ETAG_MISMATCH", "etag"],
    ["another version of a type", { device_type: { ...TYPE, model: "2U" }, etag: "old" }, "ETAG_MISMATCH", "etag"],
    ["another version of what is removed", { delete_ref: "rack:R2", etag: "old" }, "ETAG_MISMATCH", "etag"],
    [
      "another version of a type that is removed",
      { delete_ref: "device_type:acme-1u", etag: "old" },
      "ETAG_MISMATCH",
      "etag",
    ],
    ["a mask of a type", { device_type: TYPE, update_mask: "model" }, "FIELD_OUT_OF_RANGE", "update_mask"],
    ["a mask of a removal", { delete_ref: "rack:R2", update_mask: "*" }, "FIELD_OUT_OF_RANGE", "update_mask"],
    ["a cascade of what is written", { rack: { code: "R1" }, cascade: true }, "FIELD_OUT_OF_RANGE", "cascade"],
    ["a mask without a field", { rack: { code: "R1" }, update_mask: "noSuch" }, "UNKNOWN_FIELD", "update_mask"],
    ["a rule", { device: server("X", { rack_code: "NONE" }) }, "REF_NOT_FOUND", "device.rack_code"],
    ["a removal that others depend on", { delete_ref: "device:RPP-A" }, "DEVICE_FEEDS_OTHERS", "delete_ref"],
    ["a removal of what is not there", { delete_ref: "device:NONE" }, "NOT_FOUND", "delete_ref"],
    ["a reference of another kind", { delete_ref: "feed:FA" }, "INVALID_REF", "delete_ref"],
    ["an empty change", {}, "REQUIRED_FIELD", ""],
    [
      "a window that ends as it begins",
      { window: { ...WINDOW, element_refs: ["rack:R1"], ends_at: WINDOW.starts_at } },
      "FIELD_OUT_OF_RANGE",
      "window.ends_at",
    ],
    ["a removal of a window that is not there", { delete_ref: "window:NONE" }, "NOT_FOUND", "delete_ref"],
    ["an edge without an end", { cable: { a: end("LEAF-1", "e2") } }, "REQUIRED_FIELD", "cable.b"],
  ] as const)("refuses %s by its field, and writes nothing of the call", async (_, change, reason, field) => {
    const { call } = await smallSite();
    await call("UpsertDeviceType", { device_type: TYPE });

    const reply: Reply = await call("ApplyChanges", { changes: [{ device: server("NEW") }, change as JsonObject] });

    expect(outcomes(reply).map(([, outcome]) => outcome)).toEqual([
      "ABORTED",
      reason === "NOT_FOUND" ? "NOT_FOUND" : "FAILED",
    ]);
    expect(failure(reply).slice(1)).toEqual([reason, `changes[1]${field && `.${field}`}`]);
    expect(reply.committed).toBeUndefined();
    await expect(call("GetDevice", { code: "NEW" })).rejects.toThrow("Cannot find");
  });

  test("removes a device before what it depends on, and names what a removal takes along", async () => {
    const { call } = await smallSite();
    const removals = ["device:CH-1", "device:BL-1"].map((delete_ref) => ({ delete_ref }));
    const listed = await call("PreviewChanges", { changes: removals });
    const alone = await call("PreviewChanges", { changes: removals.slice(0, 1) });
    const cascade = await call("PreviewChanges", { changes: [{ delete_ref: "device:SRV-1", cascade: true }] });

    expect(outcomes(listed)).toEqual([
      ["device:CH-1", "DELETED"],
      ["device:BL-1", "DELETED"],
    ]);
    expect(failure(alone)[1]).toBe("DEVICE_HAS_CHILDREN");
    expect(cascade.results[0].cascaded_refs).toEqual(["cable:PDU/OUT1~SRV-1/psu1"]);
  });

  test("takes a resource once, demands changes, and repeats no request", async () => {
    const { call } = await smallSite();
    const changes = [{ device: server("NEW"), etag: "none" }];

    const twice: Reply = await call("ApplyChanges", {
      changes: [{ device: server("a") }, { delete_ref: "device:A" }],
    });
    const checked: Reply = await call("ApplyChanges", { changes, validate_only: true });
    const first: Reply = await call("ApplyChanges", { changes, request_id: REQUEST_ID });
    const again: Reply = await call("ApplyChanges", { changes, request_id: REQUEST_ID });

    expect(failure(twice)[0]).toBe('Resource "device:a" is given twice in the batch: expected each resource once');
    expect([outcomes(checked), outcomes(first)]).toEqual([[["device:NEW", "CREATED"]], [["device:NEW", "CREATED"]]]);
    expect(again).toEqual(first);
    await expect(call("ApplyChanges", {})).rejects.toThrow("A bulk call needs items");
  });

  test("warns of loads and redundancy as a single device does", async () => {
    const { call } = await smallSite();
    const outlet = { name: "o1", kind: "PORT_KIND_POWER_OUT", type: "iec-60320-c13" };
    const source = { code: "SOURCE", kind: "DEVICE_KIND_UPS", location, power: { capacity_w: 300 }, ports: [outlet] };
    const psu = { name: "psu", kind: "PORT_KIND_POWER_IN", type: "iec-60320-c14" };
    const fed = { ...psu, power_in: { source_ref: "port:SOURCE/o1" } };
    await call("UpsertDevice", { device: source });
    const device = server("FED", { allocated_draw_w: 400, ports: [fed] });

    const { warnings } = await call("UpsertDevice", { device, validate_only: true });
    const { results } = await call("ApplyChanges", { changes: [{ device }], validate_only: true });

    expect(warnings.length).toBeGreaterThan(0);
    expect(results[0].warnings).toEqual(warnings);
  });
});

test.each([
  ["UpsertRack", { rack: { code: "r1", location } }, "rack.code", 'There is a rack "r1" already'],
  ["UpsertDevice", { device: server("SRV-1") }, "device.code", 'There is a device "SRV-1" already'],
  ["UpsertDeviceType", { device_type: TYPE }, "device_type.code", 'There is a device type "acme-1u" already'],
  [
    "UpsertCable",
    { cable: { b: end("LEAF-1", "e1"), a: end("SPINE-1", "e1") } },
    "cable.a",
    'There is a cable "LEAF-1/e1~SPINE-1/e1" already',
  ],
] as const)('%s with etag "none" refuses what is stored, checked or written', async (rpc, request, field, message) => {
  const { call } = await smallSite();
  await call("UpsertDeviceType", { device_type: TYPE });
  for (const validate_only of [true, false]) {
    await expect(call(rpc, { ...request, etag: "none", validate_only })).rejects.toMatchObject({
      kind: "already_exists",
      reason: "ALREADY_STORED",
      message: expect.stringContaining(message),
      violations: [{ field }],
    });
  }
});
