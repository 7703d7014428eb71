import { expect, test } from "bun:test";
import { create, toJson } from "@bufbuild/protobuf";
import { Topology } from "#dc/analysis/topology.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { codeKey, compareText, formatCableRef, formatPortReference, isSamePort } from "#dc/model/ref.ts";
import type { Device, Port } from "#dc/model/resources.ts";
import { fitFigures } from "#dc/operations/messages/convert.ts";
import { answerPowerBlastRadius } from "#dc/operations/power_blast_radius.ts";
import { PowerBlastRadiusRequestSchema, PowerBlastRadiusResponseSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { drawnInventory } from "../../support/dc/power_model/inventory.ts";
import { readingOf } from "../../support/dc/topology_reader.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

// The loss of an inlet is that of an outlet between it and its source.

const COUPLER = "ZZ-COUPLER";

/** The same site with one more outlet between an inlet and its source; undefined for an inlet without a working source. */
function coupled(inventory: Inventory, device: Device, port: Port): Inventory | undefined {
  const end = { deviceCode: device.code, portName: port.name };
  const cable = inventory.cables.find(({ a, b }) => isSamePort(a, end) || isSamePort(b, end));
  const other = cable && (isSamePort(cable.a, end) ? cable.b : cable.a);
  if (cable !== undefined && cable.status !== undefined && cable.status !== "CONNECTED") return undefined;
  const sourceRef = port.powerIn?.sourceRef ?? (other && formatPortReference(other));
  if (sourceRef === undefined) return undefined;
  const coupler: Device = {
    code: COUPLER,
    kind: "RACK_PDU",
    ports: [
      { name: "in", kind: "POWER_IN", powerIn: { sourceRef } },
      { name: "out", kind: "POWER_OUT" },
    ],
  };
  const moved: Device = {
    ...device,
    ports: (device.ports ?? []).map((one) =>
      one.name === port.name ? { ...one, powerIn: { ...one.powerIn, sourceRef: `port:${COUPLER}/out` } } : one,
    ),
  };
  const devices = [...inventory.devices.map((one) => (one === device ? moved : one)), coupler];
  return {
    ...inventory,
    devices: devices.toSorted((a, b) => compareText(codeKey(a.code), codeKey(b.code))),
    cables: inventory.cables.filter((one) => one !== cable),
  };
}

/** What a failure does, without the names and the graph of what lies between. */
async function effect(topology: Topology, sourceRef: string) {
  const request = create(PowerBlastRadiusRequestSchema, {
    sourceRef,
    includeProtected: true,
    includeUndocumented: true,
    maxItems: 10_000,
  });
  const { reply } = await answerPowerBlastRadius(readingOf(topology), request);
  runAllSteps(fitFigures(PowerBlastRadiusResponseSchema, reply));
  const {
    impact,
    affected = [],
    protected: guarded = [],
    overloads,
    cascadeSteps,
    takeovers,
    undocumented,
  } = toJson(PowerBlastRadiusResponseSchema, reply) as Record<string, never> & {
    affected?: object[];
    protected?: object[];
  };
  const items = [...affected, ...guarded].map((item) => ({ ...item, via: "", depth: 0 }));
  return { impact, items, overloads, cascadeSteps, takeovers, undocumented };
}

/** The inlets of a site, each with its site that has one more outlet before it. */
function inletsOf(inventory: Inventory) {
  return inventory.devices.flatMap((device) =>
    (device.ports ?? []).flatMap((port) => {
      const other = port.kind === "POWER_IN" && port.enabled !== false && coupled(inventory, device, port);
      return other ? [{ end: { deviceCode: device.code, portName: port.name }, other }] : [];
    }),
  );
}

test("the loss of an inlet, or of its cable, is the loss of an outlet that feeds nothing else", async () => {
  let compared = 0;
  let harmful = 0;
  for (let seed = 0; seed < LAW_RUNS * 0.2; seed += 1) {
    const inventory = drawnInventory(seed);
    const topology = Topology.createFromInventory(inventory);
    for (const { end, other } of inletsOf(inventory)) {
      const cable = inventory.cables.find(({ a, b }) => isSamePort(a, end) || isSamePort(b, end));
      const expected = await effect(Topology.createFromInventory(other), `port:${COUPLER}/out`);
      const ref =
        cable === undefined || compared % 2 === 0 ? formatPortReference(end) : formatCableRef(cable.a, cable.b);

      const found = await effect(topology, ref);

      expect({ seed, ref, ...found }).toEqual({ seed, ref, ...expected });
      compared += 1;
      if (found.items.length > 0) harmful += 1;
    }
  }
  expect(compared).toBeGreaterThan(0);
  expect(harmful).toBeGreaterThan(0);
}, 300_000);
