import { expect, test } from "bun:test";
import { createModelKey, fillFromTypes, type SourceItem } from "#dc/exchange/items.ts";
import type { DeviceType } from "#dc/model/inventory.ts";

const TYPE: DeviceType = {
  code: "acme-server",
  manufacturer: "Acme",
  model: "Server",
  kind: "SERVER",
  uHeight: 2,
  depth: "HALF",
  weightKg: 20,
  ports: [{ name: "PSU1", kind: "POWER_IN" }],
};
const TYPES = new Map([[createModelKey("ACME", "server") ?? "", TYPE]]);

const device = (more: object): SourceItem => ({
  kind: "device",
  id: "device/1",
  resource: { code: "a", kind: "SERVER", manufacturer: "Acme", model: "Server", ...more },
});

test("fillFromTypes gives a device what its source does not say, and keeps what it says", () => {
  const [bare, own] = fillFromTypes(
    [device({}), device({ uHeight: 1, positionU: 3, ports: [{ name: "eth0", kind: "NETWORK" }] })],
    TYPES,
  );

  expect(bare?.resource).toMatchObject({ uHeight: 2, weightKg: 20, ports: TYPE.ports });
  expect(bare?.resource).not.toHaveProperty("depth");
  expect(own?.resource).toMatchObject({ uHeight: 1, depth: "HALF", weightKg: 20, ports: [{ name: "eth0" }] });
});

test("fillFromTypes leaves devices of other models as they are", () => {
  const other = device({ model: "Other" });

  expect(fillFromTypes([other], TYPES)).toEqual([other]);
});

test("fillFromTypes gives inlets the draws that the type records, and keeps recorded ones, zero included", () => {
  const type = {
    ...TYPE,
    ports: [1, 2, 3].map((at) => ({
      name: `PSU${at}`,
      kind: "POWER_IN" as const,
      powerIn: { maxDrawW: 900, allocatedDrawW: 500 },
    })),
  };
  const ports = [
    { name: "PSU1", kind: "POWER_IN" },
    { name: "PSU2", kind: "POWER_IN", powerIn: { allocatedDrawW: 0 } },
    { name: "PSU3", kind: "POWER_OUT" },
    { name: "PSU9", kind: "POWER_IN" },
  ];
  const [filled] = fillFromTypes([device({ ports })], new Map([[createModelKey("Acme", "Server") ?? "", type]]));

  expect(filled?.resource).toMatchObject({
    ports: [{ powerIn: { maxDrawW: 900, allocatedDrawW: 500 } }, ...ports.slice(1)],
  });
});
