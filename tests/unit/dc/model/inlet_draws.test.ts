import { describe, expect, test } from "bun:test";
import { getDrawSource, getDrawW } from "#dc/model/draw.ts";
import { lacksDraw } from "#dc/model/rack_space.ts";
import type { Device, Port } from "#dc/model/resources.ts";

const inlet = (powerIn: NonNullable<Port["powerIn"]>, more: Partial<Port> = {}): Port => ({
  name: "psu",
  kind: "POWER_IN",
  powerIn,
  ...more,
});
const server = (fields: Partial<Device>): Device => ({ code: "S", kind: "SERVER", ...fields });
const two = (powerIn: NonNullable<Port["powerIn"]>) => [inlet(powerIn), inlet(powerIn)];

/** Device, planned draw, its source, and whether the draw is missing. */
const DRAWS: readonly (readonly [string, Device, number | undefined, string, boolean])[] = [
  [
    "allocated draws of inlets",
    server({ ports: two({ allocatedDrawW: 200, maxDrawW: 500 }) }),
    400,
    "INLETS_ALLOCATED",
    false,
  ],
  ["maximum draws of inlets", server({ ports: two({ maxDrawW: 500 }) }), 1000, "INLETS_MAX", false],
  [
    "one inlet of two",
    server({ ports: [inlet({ allocatedDrawW: 150 }), inlet({ sourceRef: "feed:A" })] }),
    150,
    "INLETS_ALLOCATED",
    false,
  ],
  [
    "own draw beside inlets",
    server({ allocatedDrawW: 300, ports: two({ allocatedDrawW: 200 }) }),
    300,
    "ALLOCATED",
    false,
  ],
  ["own nameplate beside inlets", server({ maxDrawW: 900, ports: two({ allocatedDrawW: 200 }) }), 900, "MAX", false],
  [
    "own measurement beside inlets",
    server({ measuredDrawW: 250, ports: two({ maxDrawW: 200 }) }),
    250,
    "MEASURED",
    false,
  ],
  ["a recorded zero", server({ allocatedDrawW: 0, ports: two({ maxDrawW: 200 }) }), 0, "ALLOCATED", false],
  ["an inlet of zero", server({ ports: [inlet({ maxDrawW: 0 })] }), 0, "INLETS_MAX", false],
  [
    "a disabled inlet",
    server({ ports: [inlet({ maxDrawW: 500 }, { enabled: false })] }),
    undefined,
    "NOT_RECORDED",
    true,
  ],
  ["inlets without draws", server({ ports: two({ sourceRef: "feed:A" }) }), undefined, "NOT_RECORDED", true],
  ["nothing", server({}), undefined, "NOT_RECORDED", true],
  ["power equipment", server({ kind: "RACK_PDU", ports: two({ maxDrawW: 5000 }) }), undefined, "NOT_RECORDED", false],
  ["a patch panel", server({ kind: "PATCH_PANEL" }), undefined, "NOT_RECORDED", false],
  ["a device in stock", server({ status: "INVENTORY" }), undefined, "NOT_RECORDED", false],
  [
    "a blade of a chassis",
    server({ kind: "BLADE", parentDeviceCode: "C", bay: "1" }),
    undefined,
    "NOT_RECORDED",
    false,
  ],
];

describe("getDrawW", () => {
  test.each(DRAWS)("takes what is recorded: %s", (_, device, watts, source, isMissing) => {
    expect([getDrawW(device, "ALLOCATED"), String(getDrawSource(device)), lacksDraw(device)]).toEqual([
      watts,
      source,
      isMissing,
    ]);
  });
});
