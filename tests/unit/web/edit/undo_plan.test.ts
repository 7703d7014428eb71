import { expect, test } from "bun:test";
import type { AuditEntry } from "#web/console/api/replies.ts";
import {
  addExpectedStates,
  createStepChange,
  listLaterChanges,
  listStepChanges,
  planUndoSteps,
} from "#web/console/edit/states.ts";

function entry(seq: number, entity: string, before: object | null, after: object | null): AuditEntry {
  return {
    seq,
    entity,
    before,
    after,
    action: "",
    actor: { principal: "" },
    message: "",
    occurred_at: "",
    request: { id: "r", interface: "REST", method: "X" },
  };
}

const rack = { code: "R1", name: "old" };
const server = { code: "S", kind: "DEVICE_KIND_SERVER", rack_code: "R1", name: "a" };
const cable = { a: { device_code: "S", port_name: "e" }, b: { device_code: "T", port_name: "e" } };

test("planUndo restores what others need first, and removes what needs others first", () => {
  const removed = [
    entry(3, "rack:R1", rack, null),
    entry(1, "cable:S/e~T/e", cable, null),
    entry(2, "device:S", server, null),
  ];
  expect(planUndoSteps(removed).map(({ ref }) => ref)).toEqual(["rack:R1", "device:S", "cable:S/e~T/e"]);
  const created = [
    entry(1, "rack:R1", null, rack),
    entry(2, "device:S", null, server),
    entry(3, "cable:S/e~T/e", null, cable),
  ];
  expect(planUndoSteps(created).map(({ ref }) => ref)).toEqual(["cable:S/e~T/e", "device:S", "rack:R1"]);
});

test("planUndo frees the port of a cable that was moved before the earlier cable takes it", () => {
  const moved = [entry(1, "cable:S/e~T/e", cable, null), entry(2, "cable:S/e~U/e", null, cable)];
  expect(planUndoSteps(moved).map(({ ref }) => ref)).toEqual(["cable:S/e~U/e", "cable:S/e~T/e"]);
});

test("planUndo takes several changes of one resource as one, and leaves out what came and went", () => {
  const entries = [
    entry(2, "rack:R1", { code: "R1", name: "b" }, { code: "R1", name: "c" }),
    entry(1, "rack:R1", { code: "R1", name: "a" }, { code: "R1", name: "b" }),
    entry(3, "device:S", null, server),
    entry(4, "device:S", server, null),
  ];
  expect(planUndoSteps(entries)).toEqual([
    {
      kind: "rack",
      ref: "rack:R1",
      identity: { code: "R1" },
      before: { code: "R1", name: "a" },
      after: { code: "R1", name: "c" },
    },
  ]);
});

test("a step writes the earlier values of the changed fields and keeps what changed since", () => {
  const [step] = planUndoSteps([entry(1, "device:S", server, { ...server, name: "b", tenant: "acme" })]);
  if (step === undefined) throw new Error("There is no step");
  const current = { values: { ...server, name: "c", tenant: "acme", serial: "new" }, etag: "v9" };
  const met = { ...step, current };
  expect(listStepChanges(met).map(({ label, beforeText, afterText }) => [label, beforeText, afterText])).toEqual([
    ["Name", "c", "a"],
    ["Tenant", "acme", ""],
  ]);
  expect(listLaterChanges(met).map(({ label }) => label)).toEqual(["Name"]);
  expect(createStepChange(met)).toEqual({ device: { code: "S", name: "a" }, update_mask: "name,tenant", etag: "v9" });
});

test("a step that finds its state already is no change", () => {
  const [step] = planUndoSteps([entry(1, "rack:R1", null, rack)]);
  if (step === undefined) throw new Error("There is no step");
  expect(createStepChange({ ...step, current: undefined })).toBeUndefined();
  expect(createStepChange({ ...step, current: { values: rack, etag: "v" } })).toEqual({
    delete_ref: "rack:R1",
    etag: "v",
  });
});

test("a step that creates again what was removed demands that nothing is stored", () => {
  const [step] = planUndoSteps([entry(1, "rack:R1", rack, null)]);
  if (step === undefined) throw new Error("There is no step");
  expect(createStepChange({ ...step, current: undefined })).toEqual({ rack, update_mask: "*", etag: "none" });
});

test("addExpectedStates says what an undo meets if nothing has changed since, and nothing without a version", () => {
  const steps = planUndoSteps([entry(1, "rack:R1", null, rack), entry(2, "device:S", server, null)]);
  const met = addExpectedStates(steps, new Map([["rack:R1", "v1"]]));
  expect(met?.map(createStepChange)).toEqual([
    { device: server, update_mask: "*", etag: "none" },
    { delete_ref: "rack:R1", etag: "v1" },
  ]);
  expect(addExpectedStates(steps, new Map())).toBeUndefined();
});
