import { describe, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Refusal } from "#dc/model/refusal.ts";
import { formatWireName } from "#dc/model/rules/general.ts";
import { LIST_SIZES, NUMBER_BOUNDS, TEXT_LENGTHS } from "#gen/datacenter/v1/bounds.ts";
import { refusedDevices } from "../../../support/dc/refused_devices.ts";
import { refusedOthers } from "../../../support/dc/refused_others.ts";
import { refusedRanges } from "../../../support/dc/refused_ranges.ts";
import {
  cable,
  crac,
  device,
  free,
  front,
  inlet,
  link,
  net,
  outlet,
  ported,
  type Row,
  rack,
} from "../../../support/dc/rule_requests.ts";
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

const TYPE: JsonObject = { code: "t", manufacturer: "m", model: "m", kind: "DEVICE_KIND_OTHER" };
const TIMES: JsonObject = { starts_at: "2026-02-01T00:00:00Z", ends_at: "2026-02-02T00:00:00Z" };
const WINDOW: JsonObject = { code: "W", ...TIMES, element_refs: ["rack:R1"] };

type Place = readonly [message: string, rpc: string, path: string, request: (fields: JsonObject) => JsonObject];

/** Messages with bounds, and where a request has their fields. */
const PLACES: readonly Place[] = [
  ["Location", "UpsertRack", "rack.location.", (location) => rack({ location: { site_id: "S1", ...location } })],
  ["Placement", "UpsertRack", "rack.placement.", (some) => rack({ placement: { width_mm: 1, depth_mm: 1, ...some } })],
  ["Device", "UpsertDevice", "device.", device],
  ["PowerSpec", "UpsertDevice", "device.power.", (power) => device({ power })],
  ["Port", "UpsertDevice", "device.ports[0].", (port) => ported(net("p", port))],
  [
    "PortMapping",
    "UpsertDevice",
    "device.ports[0].mappings[0].",
    (one) => ported({ ...front("p", "r", 1), mappings: [one] }),
  ],
  ["PowerIn", "UpsertDevice", "device.ports[0].power_in.", (one) => inlet(one)],
  ["PowerIn", "UpsertCrac", "crac.power_inputs[0].", (one) => crac({ power_inputs: [one] })],
  ["PowerOut", "UpsertDevice", "device.ports[0].power_out.", outlet],
  ["Rack", "UpsertRack", "rack.", rack],
  ["Reservation", "UpsertRack", "rack.reservations[0].", (one) => rack({ reservations: [{ units: [1], ...one }] })],
  ["Crac", "UpsertCrac", "crac.", crac],
  ["Cable", "UpsertCable", "cable.", (fields) => cable(...free, fields)],
  ["FabricLink", "UpsertFabricLink", "fabric_link.", (fields) => link(...free, fields)],
  ["DeviceType", "UpsertDeviceType", "device_type.", (fields) => ({ device_type: { ...TYPE, ...fields } })],
  ["MaintenanceWindow", "UpsertWindow", "window.", (fields) => ({ window: { ...WINDOW, ...fields } })],
  ["FindPlacementRequest", "FindPlacement", "", (fields) => ({ u_height: 1, draw_w: 1, ...fields })],
  ["WantedPorts", "FindPlacement", "ports[0].", (one) => ({ u_height: 1, draw_w: 1, ports: [{ count: 1, ...one }] })],
];

type NumberBounds = Partial<Record<"min" | "above" | "max" | "step", number>> & {
  readonly numbers?: readonly number[];
};

/** Values beyond each bound of a message, with the field in which a refusal names them. */
function listValuesBeyond(message: string): readonly (readonly [name: string, field: string, value: JsonValue])[] {
  const fieldsOf = <Bound>(table: object) =>
    Object.entries((table as Record<string, Record<string, Bound>>)[message] ?? {});
  const numbers = fieldsOf<NumberBounds>(NUMBER_BOUNDS).flatMap(
    ([field, { min, above, max, step = 1, numbers: all }]) => {
      const least = min === undefined ? above : min - step;
      const beyond = [least, max && max + step, step < 1 ? 10 + step / 2 : undefined, all && Math.max(...all) + 1];
      return beyond.filter((value) => value !== undefined).map((value) => [field, field, value] as const);
    },
  );
  const texts = fieldsOf<number>(TEXT_LENGTHS).map(([field, length]) => {
    const long = "x".repeat(length + 1);
    const isList = /Refs$|^bays$/.test(field);
    return [field, isList ? `${field}[0]` : field, isList ? [long] : long] as const;
  });
  const createElement = (field: string, at: number): JsonValue => {
    if (message === "FindPlacementRequest") return { count: 1, speed_mbps: 1 };
    return field === "ports" ? net(`p${at}`) : field === "powerInputs" ? {} : `x${at}`;
  };
  const lists = fieldsOf<number>(LIST_SIZES).map(([field, size]) => {
    return [field, field, Array.from({ length: size + 1 }, (_, at) => createElement(field, at))] as const;
  });
  // The server counts changes of a window itself.
  return [...numbers, ...texts, ...lists].filter(([name]) => name !== "sequence");
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

  test("every message of resources that has bounds has a place in the next tests", () => {
    const bounded = Object.keys({ ...NUMBER_BOUNDS, ...TEXT_LENGTHS, ...LIST_SIZES });
    const placed = PLACES.map(([message]) => message);

    // The end of a cable follows the grammar of port names.
    expect(bounded.filter((name) => !name.endsWith("Request") && !placed.includes(name))).toEqual(["PortRef"]);
  });

  for (const [message, rpc, path, request] of PLACES) {
    test(`${rpc} refuses values beyond the bounds of ${message}`, async () => {
      const beyond = listValuesBeyond(message);
      expect(beyond.length).toBeGreaterThan(0);
      for (const [name, field, value] of beyond) {
        const asked = {
          ...request({ [formatWireName(name)]: value }),
          ...(path.includes(".") && rpc !== "FindPlacement" && { validate_only: true }),
        };

        const refusal = await site.call(rpc, asked).catch((error: unknown) => error);

        expect((refusal as Refusal).violations.map((one) => one.field)).toContain(path + formatWireName(field));
      }
    });
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
