import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { Refusal } from "#dc/model/refusal.ts";
import { refusedDevices } from "../../../support/dc/refused_devices.ts";
import { refusedOthers } from "../../../support/dc/refused_others.ts";
import { refusedRanges } from "../../../support/dc/refused_ranges.ts";
import { device, type Row } from "../../../support/dc/rule_requests.ts";
import { ruleSite } from "../../../support/dc/rule_site.ts";
import { warned } from "../../../support/dc/warned.ts";

/** Bulk calls of those kinds that have one, and an item that is good beside a wrong one. */
const BULK: Readonly<Record<string, JsonObject>> = {
  device: { code: "GOOD", kind: "DEVICE_KIND_OTHER", location: { site_id: "S1", floor_number: 1 } },
  rack: { code: "GOOD", location: { site_id: "S1", floor_number: 1 } },
  crac: { code: "GOOD", kind: "CRAC_KIND_CRAH", location: { site_id: "S1" }, sensible_capacity_kw: 1 },
};

interface Told {
  readonly reason: string;
  readonly field: string;
}

describe("rules", async () => {
  const site = await ruleSite();

  const refused = [{ UpsertDevice: refusedDevices }, refusedOthers, refusedRanges].flatMap(
    Object.entries<readonly Row[]>,
  );
  for (const [rpc, rows] of refused) {
    for (const [what, request, reason, field] of rows) {
      const [kind = ""] = Object.keys(request);

      test(`${rpc} refuses ${what}`, async () => {
        const refusal = await site.call(rpc, { ...request, validate_only: true }).catch((error: unknown) => error);

        expect(refusal).toBeInstanceOf(Refusal);
        const told = (refusal as Refusal).violations.map(({ code, ...found }) => `${code} ${found.field}`);
        expect(told).toContain(`${reason} ${kind}.${field}`);
      });

      const good = BULK[kind];
      if (good === undefined) continue;
      test(`Bulk${rpc}s refuses ${what} as its item`, async () => {
        const items = [good, request[kind] ?? {}];

        const { results } = await site.call(`Bulk${rpc}s`, { items, validate_only: true });

        const [, { outcome, error }] = results;
        expect(outcome).toBe("OUTCOME_FAILED");
        const told = error.details.flatMap(({ field_violations = [] }) => field_violations);
        expect(told.map((found: Told) => `${found.reason} ${found.field}`)).toContain(`${reason} items[1].${field}`);
        expect(results[0].error).toBeUndefined();
      });
    }
  }

  test("UpsertDevice refuses to be called without a device", async () => {
    await expect(site.call("UpsertDevice")).rejects.toMatchObject({
      reason: "REQUIRED_FIELD",
      violations: [{ field: "device" }],
    });
  });

  for (const [rpc, rows] of Object.entries(warned)) {
    for (const [what, request, code, field] of rows) {
      test(`${rpc} warns about ${what}`, async () => {
        const { warnings = [] } = await site.call(rpc, { ...request, validate_only: true });

        expect(warnings.map((found: JsonObject) => `${found["code"]} ${found["field"]}`)).toContain(`${code} ${field}`);
      });
    }
  }

  test("find nothing wrong with a device that the site has room for", async () => {
    const sides = ["feed:FA", "feed:FB"].map((source_ref, index) => ({
      name: `psu${index}`,
      kind: "PORT_KIND_POWER_IN",
      power_in: { source_ref },
    }));

    const reply = await site.call("UpsertDevice", { ...device({ ports: sides }), validate_only: true });

    expect(reply).toMatchObject({ outcome: "OUTCOME_CREATED" });
    expect(reply.warnings).toBeUndefined();
  });

  test("let two devices of half width share a unit side by side", async () => {
    const right = device({ rack_code: "R2", position_u: 5, slot: "SLOT_WIDTH_RIGHT" });

    const reply = await site.call("UpsertDevice", { ...right, validate_only: true });

    expect(reply.outcome).toBe("OUTCOME_CREATED");
  });

  test("let half-depth devices share a unit back to back", async () => {
    const back = device({ position_u: 20, face: "FACE_REAR", depth: "DEPTH_HALF" });

    const reply = await site.call("UpsertDevice", { ...back, validate_only: true });

    expect(reply.outcome).toBe("OUTCOME_CREATED");
  });
});
