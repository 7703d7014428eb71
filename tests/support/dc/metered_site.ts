import type { JsonObject } from "@bufbuild/protobuf";
import type { Device } from "#dc/model/resources.ts";
import { type TestService, testService } from "./service.ts";
import { putAll } from "./stored.ts";

/** Servers of a rack, on its two PDUs, each on a feed of 32 A; feeds of racks that are loaded too much have 6 A. */
export const PER_RACK = 20;
const PLANNED_W = 400;
const location = { siteId: "S", floorNumber: 1 };

/** What differs from the record, by the number of the server or rack. */
export interface Planted {
  readonly deadInlets: ReadonlySet<number>;
  readonly abovePlan: ReadonlySet<number>;
  readonly stopped: ReadonlySet<number>;
  readonly smallFeeds: ReadonlySet<number>;
}

export const serverCode = (index: number) => `SRV-${index}`;

/** A site of servers on two PDUs each, with nothing measured yet. */
export async function meteredSite(racks: number, { smallFeeds }: Planted): Promise<TestService> {
  const site = await testService();
  const numbers = Array.from({ length: racks }, (_, index) => index);
  await site.store.write(async (writer) => {
    await putAll(
      writer,
      "rack",
      numbers.map((index) => ({ code: `R-${index}`, location })),
    );
    for (const side of ["A", "B"]) {
      await putAll(writer, "device", [panelOf(side, numbers, smallFeeds), ...numbers.map((rack) => pduOf(side, rack))]);
    }
    await putAll(writer, "device", numbers.flatMap(serversOf));
  });
  return site;
}

function panelOf(side: string, racks: readonly number[], small: ReadonlySet<number>): Device {
  const ports = racks.map((rack) => ({
    name: `CB${rack}`,
    kind: "POWER_OUT" as const,
    powerOut: { feedId: `F${side}-${rack}`, voltageV: 400, amperageA: side === "A" && small.has(rack) ? 6 : 32 },
  }));
  return { code: `RPP-${side}`, kind: "RPP", location, ports };
}

function pduOf(side: string, rack: number): Device {
  const outlets = Array.from({ length: PER_RACK }, (_, at) => ({ name: `${at}`, kind: "POWER_OUT" as const }));
  const main = { name: "main", kind: "POWER_IN" as const, powerIn: { sourceRef: `feed:F${side}-${rack}` } };
  return { code: `PDU-${side}-${rack}`, kind: "RACK_PDU", rackCode: `R-${rack}`, location, ports: [main, ...outlets] };
}

function serversOf(rack: number): readonly Device[] {
  return Array.from({ length: PER_RACK }, (_, at) => ({
    code: serverCode(rack * PER_RACK + at),
    kind: "SERVER" as const,
    role: "compute",
    rackCode: `R-${rack}`,
    location,
    allocatedDrawW: PLANNED_W,
    ports: ["A", "B"].map((side) => ({
      name: side,
      kind: "POWER_IN" as const,
      powerIn: { sourceRef: `port:PDU-${side}-${rack}/${at}` },
    })),
  }));
}

/** What the server draws, in watts; three rounds differ. */
function drawOf(index: number, round: number, { abovePlan }: Planted): number {
  const usual = 250 + ((index * 37 + round * 11) % 140);
  return abovePlan.has(index) ? PLANNED_W + 1 + (index % 100) : usual;
}

/** The readings of one round: inlets and air of every server, PDUs and feeds with the sum of what they carry. */
export function roundOf(racks: number, round: number, planted: Planted): readonly JsonObject[] {
  const readings: JsonObject[] = [];
  const add = (element_ref: string, quantity: string, value: number) =>
    readings.push({ element_ref, quantity: `READING_QUANTITY_${quantity}`, value });
  for (let rack = 0; rack < racks; rack += 1) {
    const carried = { A: 0, B: 0 };
    for (let index = rack * PER_RACK; index < (rack + 1) * PER_RACK; index += 1) {
      const watts = drawOf(index, round, planted);
      const a = planted.deadInlets.has(index) ? 0 : watts / 2;
      carried.A += a;
      carried.B += watts - a;
      if (planted.stopped.has(index) && round > 1) continue;
      add(`port:${serverCode(index)}/A`, "POWER_W", a);
      add(`port:${serverCode(index)}/B`, "POWER_W", watts - a);
      add(`device:${serverCode(index)}`, "INLET_C", 20 + (index % 9));
    }
    for (const side of ["A", "B"] as const) {
      add(`device:PDU-${side}-${rack}`, "POWER_W", carried[side]);
      add(`feed:F${side}-${rack}`, "POWER_W", carried[side]);
    }
  }
  return readings;
}
