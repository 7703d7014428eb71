import { expect, test } from "bun:test";
import { addNotices, type Notice, readNotices, resendNotices, updateNotices } from "#dc/operations/notices/notice.ts";
import type { DcStore } from "#dc/ports.ts";

const MOST = 3;

/** What every store keeps of notices: a bound for each receiver. */
export function noticesContract(store: () => DcStore): void {
  const add = (receiver: string, ...ids: readonly string[]) =>
    store().write((writer) =>
      addNotices(
        writer,
        ids.map((id) => ({ id, receiver, nextAt: 0, body: bodyOf(id) })),
        MOST,
      ),
    );
  const kept = async (receiver: string) =>
    (await store().read(readNotices)).filter((one) => one.receiver === receiver).map(({ id }) => id);

  test("keeps notices of other receivers beside one whose bound is full", async () => {
    await add("down", "d1", "d2", "d3", "d4");

    const added = await add("up", "u1", "u2");

    expect(added.map(({ id }) => id)).toEqual(["u1", "u2"]);
    expect(await add("down", "d5")).toEqual([]);
    expect(await kept("down")).toEqual(["d1", "d2", "d3"]);
    expect(await kept("up")).toEqual(["u1", "u2"]);
  });

  test("removes the oldest dead letters of the same receiver for new notices, and nobody else's", async () => {
    await add("down", "d1", "d2", "d3");
    await add("up", "u1", "u2", "u3");
    const die = (chosen: (notice: Notice) => boolean) =>
      store().write(async (writer) => {
        const dead = (await readNotices(writer)).filter(chosen).map((one) => ({ ...one, deadAt: 1 }));
        await updateNotices(writer, dead);
      });
    await die(({ id }) => ["d1", "d2", "u1"].includes(id));

    await add("down", "d4");

    expect(await kept("down")).toEqual(["d2", "d3", "d4"]);
    expect(await kept("up")).toEqual(["u1", "u2", "u3"]);
    expect(await store().write((writer) => resendNotices(writer, undefined, 2))).toHaveLength(2);
  });
}

function bodyOf(subject: string) {
  return {
    ...{ type: "rack.appeared", subject, severity: "HIGH" as const, state: "FAULT", was: "", summary: subject },
    ...{ elements: [], at: "2026-01-01T00:00:00.000Z" },
  };
}
