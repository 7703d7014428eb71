import { expect, spyOn, test } from "bun:test";
import { dirname } from "node:path";
import { Topology } from "#dc/analysis/topology.ts";
import type { DcStore } from "#dc/ports.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { testService } from "../../../support/dc/service.ts";
import { databaseFile } from "../../../support/dc/stores.ts";
import { runPlanner } from "../../../support/planner_command.ts";

const { judge } = Topology.prototype;

test("PreviewChanges keeps no other draft waiting while loads are judged, also after a change in between", async () => {
  const file = databaseFile();
  await runPlanner(["dc", "sample", "--db", file], { cwd: dirname(file) });
  const inner = await openSqlite(file);
  let isDrafting = false;
  const judged: boolean[] = [];
  const judging = spyOn(Topology.prototype, "judge").mockImplementation(function (this: Topology, ...args) {
    judged.push(isDrafting);
    return judge.apply(this, args);
  });
  let before: (() => Promise<unknown>) | undefined;
  /** Makes a change right before the preview's draft. */
  const draft: DcStore["draft"] = async (work) => {
    const change = before;
    before = undefined;
    await change?.();
    return inner.draft(async (writer) => {
      isDrafting = true;
      try {
        return await work(writer);
      } finally {
        isDrafting = false;
      }
    });
  };
  const store: DcStore = {
    read: (work) => inner.read(work),
    write: (work) => inner.write(work),
    draft,
    revision: () => inner.revision(),
    check: () => inner.check(),
    use: () => inner.use(),
    close: () => inner.close(),
  };
  const tested = await testService({ store });
  const draw = (code: string, watts: number) => ({ device: { code, allocated_draw_w: watts } });
  const asked = { changes: [draw("SRV-A01-01", 500)] };
  await tested.call("PreviewChanges", asked);
  before = () => tested.call("UpsertDevice", draw("SRV-A01-02", 450));

  const reply = await tested.call("PreviewChanges", asked);
  await store.close();
  judging.mockRestore();

  expect(reply.refused).toBeUndefined();
  expect(reply.supplies.length).toBeGreaterThan(0);
  expect(judged.length).toBeGreaterThan(1);
  expect(judged.filter(Boolean)).toEqual([]);
});
