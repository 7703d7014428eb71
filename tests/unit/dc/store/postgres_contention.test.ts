import { expect, test } from "bun:test";
import type { DcWriter } from "#dc/ports.ts";
import { openPostgres } from "#dc/store/postgres/postgres_store.ts";
import { served } from "../../../support/dc/served.ts";
import { endAfterTest } from "../../../support/end_after_test.ts";
import { http1 } from "../../../support/http_client.ts";
import { sharedPostgres } from "../../../support/postgres.ts";

const DEVICE = { code: "D1", kind: "DEVICE_KIND_SERVER", location: { site_id: "S1", floor_number: 1 } };

/** A served database on which somebody else changes the revision amid each of the first `conflicts` tries of a write. */
async function contested(conflicts: number) {
  const server = await sharedPostgres();
  const url = await server.database();
  const store = await openPostgres(url);
  endAfterTest(() => store.close());
  // Opening writes as well, so whoever disturbs comes afterwards.
  const at = await served({ store });
  let tries = 0;
  const write = store.write.bind(store);
  store.write = <Result>(work: (writer: DcWriter) => Promise<Result>) =>
    write(async (writer) => {
      tries += 1;
      // The first question fixes the moment that the transaction sees; a foreign program does not queue for its turn.
      await writer.revision();
      if (tries <= conflicts) await server.sql("UPDATE setting SET value = value WHERE name = 'revision'", url);
      return work(writer);
    });
  const upsert = async () => {
    const path = "/datacenter.v1.DatacenterService/UpsertDevice";
    const headers = { "content-type": "application/json" };
    const answer = await http1(at.url + path, { method: "POST", headers, body: JSON.stringify({ device: DEVICE }) });
    return { status: answer.status, body: JSON.parse(answer.text) };
  };
  return { at, store, upsert, tries: () => tries };
}

test("a write that loses against others at every try is ABORTED by TX_CONTENTION and changes nothing", async () => {
  const { at, store, upsert, tries } = await contested(Number.POSITIVE_INFINITY);

  const { status, body } = await upsert();

  expect({ status, code: body.code }).toEqual({ status: 409, code: "aborted" });
  // By time, not by number: more often than chance lets a write lose.
  expect(tries()).toBeGreaterThan(20);
  expect(body.details[0].debug.reason).toBe("TX_CONTENTION");
  expect(body.message).toStartWith("The change conflicted with others repeatedly");
  expect(at.defects).toEqual([]);
  expect(await store.read((reader) => reader.device("D1"))).toBeUndefined();
});

test("a write that loses a few times is made once", async () => {
  const { at, store, upsert, tries } = await contested(4);

  const { status: code, body } = await upsert();

  expect({ code, outcome: body.outcome, tries: tries() }).toEqual({ code: 200, outcome: "OUTCOME_CREATED", tries: 5 });
  expect(await store.revision()).toBe(1);
  expect(at.defects).toEqual([]);
});
