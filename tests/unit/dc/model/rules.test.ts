import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { Refusal } from "#dc/model/refusal.ts";
import { refusedDevices } from "../../../support/dc/refused_devices.ts";
import { refusedOthers } from "../../../support/dc/refused_others.ts";
import { device } from "../../../support/dc/rule_requests.ts";
import { smallSite } from "../../../support/dc/small_site.ts";
import { warned } from "../../../support/dc/warned.ts";

describe("rules", async () => {
  const site = await smallSite();

  for (const [rpc, rows] of Object.entries({ UpsertDevice: refusedDevices, ...refusedOthers })) {
    for (const [what, request, reason, field] of rows) {
      test(`${rpc} refuses ${what}`, async () => {
        const refusal = await site.call(rpc, { ...request, validate_only: true }).catch((error: unknown) => error);

        expect(refusal).toBeInstanceOf(Refusal);
        const { violations } = refusal as Refusal;
        expect(violations.map(({ code }) => code as string)).toContain(reason);
        if (field !== undefined) expect(violations.map((found) => found.field)).toContain(field);
      });
    }
  }

  for (const [rpc, rows] of Object.entries(warned)) {
    for (const [what, request, code, field] of rows) {
      test(`${rpc} warns about ${what}`, async () => {
        const { warnings = [] } = await site.call(rpc, { ...request, validate_only: true });

        expect(warnings.map((found: JsonObject) => found["code"])).toContain(code);
        if (field !== undefined) expect(warnings.map((found: JsonObject) => found["field"])).toContain(field);
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

  test("let half-depth devices share a unit back to back", async () => {
    const back = device({ position_u: 20, face: "FACE_REAR", depth: "DEPTH_HALF" });

    const reply = await site.call("UpsertDevice", { ...back, validate_only: true });

    expect(reply.outcome).toBe("OUTCOME_CREATED");
  });
});
