import { expect, test } from "bun:test";
import type { DcStore } from "#dc/ports.ts";
import { changeRecord } from "../support/dc/change_record.ts";

/** What every store keeps of the change log. */
export function changeLogContract(store: () => DcStore): void {
  test("keeps the change log in order and finds it by what was changed and what it belongs to", async () => {
    const first = changeRecord({ seq: 1, entity: "device:S1", related: ["rack:R1"], hash: "h1" });
    const second = changeRecord({ seq: 2, entity: "cable:A/x~B/y", related: ["device:A", "device:B"], hash: "h2" });

    await store().write(async (writer) => {
      await writer.append([first, second]);
    });

    const found = await store().read(async (reader) => ({
      head: await reader.chainHead(),
      all: await reader.history({ descending: true, limit: 10 }),
      rack: await reader.history({ entity: "rack:r1", descending: false, limit: 10 }),
      device: await reader.history({ entity: "device:B", descending: false, limit: 10 }),
      rest: await reader.history({ after: 1, descending: false, limit: 10 }),
    }));
    expect(found).toEqual({
      head: { seq: 2, hash: "h2" },
      all: [second, first],
      rack: [first],
      device: [second],
      rest: [second],
    });
  });

  test("finds entries by who made them, and by how that principal signed in", async () => {
    const actors = ["token", "jwt", "none"].map((authMethod) => ({ principal: "anna", roles: [], authMethod }));
    const deceiver = { ...actors[0], principal: '","actor":{"authMethod":"jwt",' };
    const made = [...actors, { ...actors[1], principal: "bert" }, deceiver].map((actor, index) =>
      changeRecord({ seq: index + 1, hash: `h${index}`, actor: { ...changeRecord({}).actor, ...actor } }),
    );
    await store().write((writer) => writer.append(made));

    const asked = [{ actor: "anna" }, { actor: "anna", authMethod: "jwt" }, { authMethod: "jwt" }] as const;
    const found = await store().read((reader) =>
      Promise.all(
        [
          ...asked,
          { authMethod: "jwt", action: "CREATE" as const },
          { authMethod: "jwt", action: "DELETE" as const },
        ].map((one) => reader.history({ ...one, descending: false, limit: 10 })),
      ),
    );

    expect(found.map((entries) => entries.map(({ seq }) => seq))).toEqual([[1, 2, 3], [2], [2, 4], [2, 4], []]);
  });

  test("tells what changed behind an entry of the change log, each thing once", async () => {
    await store().write(async (writer) => {
      for (const [index, entity] of ["device:A", "cable:A/x~B/y", "device:A", "rack:R"].entries()) {
        await writer.append([changeRecord({ seq: index + 1, entity })]);
      }
    });

    const [later, few, none] = await store().read(async (reader) => [
      await reader.changedSince(1, 10),
      await reader.changedSince(0, 2),
      await reader.changedSince(4, 10),
    ]);

    expect(later?.toSorted()).toEqual(["cable:A/x~B/y", "device:A", "rack:R"]);
    expect([few?.length, none]).toEqual([2, []]);
  });
}
