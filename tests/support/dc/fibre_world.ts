import type { DeviceStatus } from "#dc/model/enum_values.ts";
import { orderCableEnds } from "#dc/model/ref.ts";
import type { Cable, Device, Port, PortRef } from "#dc/model/resources.ts";
import type { SeededRandom } from "../seeded_random.ts";

/** Devices and cables with every feature of a port that a trace follows. */
export interface FibreWorld {
  readonly devices: readonly Device[];
  readonly cables: readonly Cable[];
}

const STATUSES: readonly DeviceStatus[] = ["ACTIVE", "ACTIVE", "ACTIVE", "DECOMMISSIONING", "PLANNED", "FAILED"];

/** A small site of hosts, divided ports, cassettes, trunks and couplers, joined mostly by fitting widths. */
export function fibreWorld(random: SeededRandom): FibreWorld {
  const devices: Device[] = [];
  const add = (kind: Device["kind"], prefix: string, ports: readonly Port[]) =>
    devices.push({ code: `${prefix}${devices.length}`, kind, status: random.pick(STATUSES), ports });
  for (let left = 3 + random.below(4); left > 0; left -= 1) add("SERVER", "H", [{ name: "if", kind: "NETWORK" }]);
  for (let left = random.below(3); left > 0; left -= 1) add("SWITCH", "S", divided(random));
  for (let left = random.below(4); left > 0; left -= 1) add("PATCH_PANEL", "C", cassette(random));
  for (let left = random.below(3); left > 0; left -= 1) add("PATCH_PANEL", "W", widePanel(random));
  for (let left = random.below(3); left > 0; left -= 1) add("PATCH_PANEL", "K", coupler());
  return { devices, cables: cabling(devices, random) };
}

/** A switch port with breakout channels, not all of them recorded. */
function divided(random: SeededRandom): Port[] {
  const channels = 1 + random.below(4);
  const children = [1, 2, 3, 4]
    .slice(0, channels)
    .filter(() => random.below(6) > 0)
    .map((channel): Port => ({ name: `p:${channel}`, kind: "NETWORK", parentPort: "p", channel }));
  return [{ name: "p", kind: "NETWORK" }, ...children, { name: "q", kind: "NETWORK" }];
}

/** A trunk whose positions lead to single fronts, often crossed, sometimes with a gap. */
function cassette(random: SeededRandom): Port[] {
  const positions = 1 + random.below(4);
  const order = shuffled(
    Array.from({ length: positions }, (_, index) => index + 1),
    random,
  );
  const fronts = order.map(
    (rearPosition, index): Port => ({
      name: `F${index + 1}`,
      kind: "FRONT",
      ...(random.below(10) > 0 && { mappings: [{ frontPosition: 1, rearPort: "R", rearPosition }] }),
    }),
  );
  return [{ name: "R", kind: "REAR", positions }, ...fronts];
}

/** A trunk of four positions behind fronts of two, straight or crossed. */
function widePanel(random: SeededRandom): Port[] {
  const order = random.below(2) === 0 ? [1, 2, 3, 4] : shuffled([1, 2, 3, 4], random);
  const front = (name: string, first: number): Port => ({
    name,
    kind: "FRONT",
    positions: 2,
    mappings: [0, 1].map((index) => ({
      frontPosition: index + 1,
      rearPort: "R",
      rearPosition: order[first + index] ?? 1,
    })),
  });
  return [{ name: "R", kind: "REAR", positions: 4 }, front("F1", 0), front("F2", 2)];
}

function coupler(): Port[] {
  return [
    { name: "R", kind: "REAR" },
    { name: "F", kind: "FRONT", mappings: [{ frontPosition: 1, rearPort: "R", rearPosition: 1 }] },
  ];
}

function cabling(devices: readonly Device[], random: SeededRandom): readonly Cable[] {
  const all = shuffled(
    devices.flatMap(({ code, ports = [] }) => ports.map((port) => ({ deviceCode: code, port }))),
    random,
  );
  // A channel has a cable of its own now and then; otherwise it uses that of its port.
  const open = all.filter(({ port }) => port.parentPort === undefined || random.below(4) === 0);
  const cables: Cable[] = [];
  while (open.length > 1) {
    const one = open.pop();
    if (one === undefined || random.below(8) === 0) continue;
    const fits = open.findIndex(({ port }) => (port.positions ?? 1) === (one.port.positions ?? 1));
    const at = fits >= 0 && random.below(4) > 0 ? fits : random.below(open.length);
    const [other] = open.splice(at, 1);
    if (other === undefined) break;
    const ends = [one, other].map(({ deviceCode, port }): PortRef => ({ deviceCode, portName: port.name }));
    const [a, b] = orderCableEnds(ends[0] as PortRef, ends[1] as PortRef);
    cables.push({ a, b, status: random.below(6) === 0 ? "PLANNED" : "CONNECTED", lengthM: 1 + random.below(9) });
  }
  return cables;
}

export function shuffled<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  const left = [...items];
  const found: Item[] = [];
  while (left.length > 0) found.push(...left.splice(random.below(left.length), 1));
  return found;
}
