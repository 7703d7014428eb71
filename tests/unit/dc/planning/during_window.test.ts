import { beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { ams1 } from "../../../support/dc/ams1.ts";
import { storeOf } from "../../../support/dc/ams1_inventory.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";

// tests/laws/dc/during_window.test.ts compares replies with those of a site in which the effects are written.

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

let site: TestService;

beforeEach(async () => {
  site = await testService({ store: await storeOf(ams1) });
});

const put = (code: string, element_refs: string[]): Promise<Json> =>
  site.call("UpsertWindow", {
    window: { code, element_refs, starts_at: "2026-02-01T20:00:00Z", ends_at: "2026-02-01T22:00:00Z" },
  });

describe("replies as during a window", () => {
  const rack = async (more: JsonObject = {}) => {
    const { rack: found, occupants }: Json = await site.call("GetRack", { code: "A05", ...more });
    return {
      health: found.health,
      off: occupants.filter(({ status }: Json) => status === "DEVICE_STATUS_OFFLINE").length,
    };
  };

  test("have what is out, and are no others without the field", async () => {
    const before = await rack();
    await put("MW-1", ["device:PDU-A05-A", "device:PDU-A05-B"]);

    expect(await rack({ during_window: "mw-1" })).toEqual({ health: "HEALTH_FAULT", off: 2 });
    expect(await rack()).toEqual(before);
    await put("MW-2", ["rack:A05"]);
    expect(await rack({ during_window: "MW-2" })).toMatchObject({ off: expect.any(Number) });
    expect((await rack({ during_window: "MW-2" })).off).toBeGreaterThan(5);
  });

  test("have the supply of a device, which loses an inlet", async () => {
    await put("MW-1", ["device:PDU-A05-A"]);
    const lit = async (more: JsonObject = {}) => {
      const { power_chain }: Json = await site.call("GetDevice", { code: "SRV-A05-01", ...more });
      return power_chain.map(({ live = false }: Json) => live);
    };

    expect(await lit()).toEqual([true, true]);
    expect(await lit({ during_window: "MW-1" })).toEqual([false, true]);
  });

  test("are refused for no window, and for one that is over", async () => {
    await put("MW-1", ["device:UPS-B1"]);
    await site.call("UpsertWindow", {
      window: { code: "MW-1", state: "WINDOW_STATE_CANCELLED" },
      update_mask: "state",
    });
    for (const [code, reason] of [
      ["MW-1", "FIELD_CONFLICT"],
      ["NONE", "NOT_FOUND"],
    ] as const) {
      const violations = [expect.objectContaining({ field: "during_window" })];
      await expect(rack({ during_window: code })).rejects.toMatchObject({ reason, violations });
    }
  });
});
