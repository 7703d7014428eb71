/** An item as an upsert request takes it, in proto JSON with the names of the proto. */
export type Item = Readonly<Record<string, unknown>>;

const SPEEDS: Readonly<Record<string, number>> = {
  "1000base-t": 1000,
  "25gbase-x-sfp28": 25_000,
  "100gbase-x-qsfp28": 100_000,
};

/** An inlet with the type of a server's plug. Without a source, a cable says where it is plugged in. */
export function inlet(name: string, sourceRef?: string): Item {
  return { ...powerIn(name, "iec-60320-c14"), power_in: sourceRef === undefined ? {} : { source_ref: sourceRef } };
}

/** An inlet with a fixed supply. */
export function fixedInlet(name: string, sourceRef: string, type = "hardwired"): Item {
  return { ...powerIn(name, type), power_in: { source_ref: sourceRef } };
}

function powerIn(name: string, type: string): Item {
  return { name, kind: "PORT_KIND_POWER_IN", type };
}

export function outlet(name: string): Item {
  return { name, kind: "PORT_KIND_POWER_OUT", type: "iec-60320-c13", power_out: {} };
}

/** A breaker of a distribution panel: three phases at 400 V. */
export function breaker(name: string, feedId: string, amperageA: number): Item {
  return {
    name,
    kind: "PORT_KIND_POWER_OUT",
    type: "hardwired",
    power_out: { feed_id: feedId, supply: "SUPPLY_AC", phase: "PHASE_THREE", voltage_v: 400, amperage_a: amperageA },
  };
}

export function network(name: string, type: keyof typeof SPEEDS & string, more: Item = {}): Item {
  return { name, kind: "PORT_KIND_NETWORK", type, speed_mbps: SPEEDS[type], ...more };
}

/** A fibre cassette: one rear connector and the front ports that it splits into. */
export function cassette(rear: string, fronts: readonly string[]): readonly Item[] {
  return [
    { name: rear, kind: "PORT_KIND_REAR", type: "mpo", positions: 4 },
    ...fronts.map((name, index) => ({
      name,
      kind: "PORT_KIND_FRONT",
      type: "lc",
      mappings: [{ front_position: 1, rear_port: rear, rear_position: index + 1 }],
    })),
  ];
}
