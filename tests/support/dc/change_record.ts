import type { ChangeRecord } from "#dc/model/inventory.ts";

/** A change log entry for tests that care about a few of its fields. */
export function changeRecord(parts: Partial<ChangeRecord>): ChangeRecord {
  return {
    id: "00000000-0000-4000-8000-000000000001",
    occurredAt: "2026-01-02T03:04:05.000Z",
    recordedAt: "2026-01-02T03:04:05.000Z",
    actor: { principal: "anna", roles: ["writer"], authMethod: "token" },
    request: { id: "q1", interface: "REST", method: "UpsertDevice" },
    action: "CREATE",
    entity: "device:X",
    related: [],
    changedFields: [],
    source: "CORE",
    transactionId: "t1",
    seq: 1,
    prevHash: "",
    hash: "",
    ...parts,
  };
}
