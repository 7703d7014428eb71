import { describe, expect, test } from "bun:test";
import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { verifyLog } from "#dc/audit/verify_log.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import { convertToMessage } from "#dc/operations/messages/convert.ts";
import { RESOURCE_SCHEMAS } from "#dc/operations/writes/changes.ts";
import { storeOf } from "../../support/dc/ams1_inventory.ts";
import { loadAms1, testService } from "../../support/dc/service.ts";
import { openTemporarySqlite } from "../../support/dc/stores.ts";

const outcomes = (replies: readonly JsonObject[]) => [...new Set(replies.map(({ outcome }) => outcome))];

function warningsOf(results: readonly JsonObject[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { warnings = [] } of results) {
    for (const { code } of warnings as unknown as readonly { readonly code: string }[])
      counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

describe("the sample site", async () => {
  const site = await testService({ store: await openTemporarySqlite() });
  const first = await loadAms1(site);

  test("loads without an error", () => {
    for (const reply of [first.racks, first.devices, first.cracs]) {
      expect(outcomes(reply.results)).toEqual(["OUTCOME_CREATED"]);
      expect(reply.failed).toBeUndefined();
    }
    expect(outcomes([...first.cables, ...first.fabricLinks])).toEqual(["OUTCOME_CREATED"]);
  });

  test("is warned about where its story says so", () => {
    const { results } = first.devices;
    const b03 = results.find(({ code }: JsonObject) => code === "SRV-B03-07");

    expect(b03.warnings).toMatchObject([{ code: "SAME_PATH", value: "A" }]);
    expect(warningsOf(results)["SINGLE_CORDED"]).toBe(32);
    const a08 = results.filter(
      ({ code, warnings }: JsonObject) => String(code).includes("A08") && warnings !== undefined,
    );
    expect(a08.length).toBeGreaterThan(20);
  });

  test("changes nothing when it is loaded again", async () => {
    const again = await loadAms1(site);

    for (const reply of [again.racks, again.devices, again.cracs]) {
      expect(outcomes(reply.results)).toEqual(["OUTCOME_UNCHANGED"]);
    }
    expect(outcomes([...again.cables, ...again.fabricLinks])).toEqual(["OUTCOME_UNCHANGED"]);
  });

  test("is the same site when what is stored is loaded elsewhere", async () => {
    const inventory = await site.store.read((reader) => reader.inventory());
    const items = (kind: ResourceKind, list: readonly object[]) =>
      list.map((one) => toJson(RESOURCE_SCHEMAS[kind], convertToMessage(RESOURCE_SCHEMAS[kind], one)) as JsonObject);

    const other = await storeOf({
      racks: items("rack", inventory.racks),
      devices: items("device", inventory.devices),
      cracs: items("crac", inventory.cracs),
      cables: items("cable", inventory.cables),
      fabric_links: items("fabric_link", inventory.fabricLinks),
    });

    expect(await other.read((reader) => reader.inventory())).toEqual(inventory);
  });

  test("is found by site, row and role with counts that add up", async () => {
    const all = await site.call("SearchDevices", { page_size: 1, filter: { site_ids: ["ams1"] } });
    const leaves = await site.call("SearchDevices", { filter: { roles: ["leaf"], row_refs: ["row:AMS1/1/D"] } });

    const counts: readonly number[] = Object.values(all.role_counts);
    expect(all.total_count).toBe(808);
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(808);
    expect(all.role_counts).toMatchObject({ compute: 480, gpu: 32, leaf: 68, spine: 4 });
    expect(leaves.total_count).toBe(leaves.devices.length);
  });

  test("leaves a change log whose chain verifies", async () => {
    const verdict = await site.store.read((reader) => verifyLog(reader));

    expect(verdict).toMatchObject({ ok: true, head: { seq: 40 + 808 + 8 + 1822 + 272 } });
  });
});
