import { describe, expect, test } from "bun:test";
import { changesInOneRack, RACK_ROUNDS } from "../../support/dc/changes_in_one_rack.ts";
import { recordStatements } from "../../support/dc/recorded_statements.ts";
import { testService } from "../../support/dc/service.ts";

const SIZE = 40;
const KINDS = changesInOneRack(SIZE);
/** Statements that a call takes once: its transaction and its reads of the whole graph. */
const FIXED = 30;

/** A device that moves or is removed may contain others, so what is in each is read, from both layers of a draft. */
const readsContents = (kind: string) => kind === "moves" || kind === "removed devices";

describe("a preview of many changes in one rack costs at most half more statements than their write", () => {
  test.each(Object.keys(KINDS))("%s", async (kind) => {
    const { before = [], listChanges = () => [] } = KINDS[kind] ?? {};
    const { call, service, store } = await testService();
    const send = (rpc: string, changes: readonly object[]) =>
      recordStatements(async () => {
        const { results } = await call(rpc, { changes: [...changes] } as never);
        expect(results.filter(({ error }: { error?: object }) => error !== undefined)).toEqual([]);
      });
    for (let at = 0; at < before.length; at += 1000) await send("ApplyChanges", before.slice(at, at + 1000));

    for (let round = 0; round < RACK_ROUNDS; round += 1) {
      await service.warmUp(new AbortController().signal);
      const preview = await send("PreviewChanges", listChanges(round));
      const write = await send("ApplyChanges", listChanges(round));

      expect(preview.length).toBeLessThanOrEqual(write.length * 1.5 + FIXED);
      for (const list of [preview, write]) {
        const count = (column: string) => list.filter((sql) => sql.includes(`${column} = ? ORDER BY`)).length;
        expect(count("rack_key")).toBeLessThanOrEqual(3);
        expect(count("parent_key")).toBeLessThanOrEqual(readsContents(kind) ? 2 * SIZE : 3);
      }
    }
    await store.close();
  });
});
