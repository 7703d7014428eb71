/** A resource in proto JSON with the field names of the proto, as upsert requests contain it. */
export type SampleJson = Readonly<Record<string, unknown>>;

const SPEED_MBPS_BY_TYPE: Readonly<Record<string, number>> = {
  "1000base-t": 1000,
  "25gbase-x-sfp28": 25_000,
  "100gbase-x-qsfp28": 100_000,
};

/** Creates an inlet with the type of a server's plug. Without a source, a cable connects it to its outlet. */
export function createInlet(name: string, sourceRef?: string): SampleJson {
  return {
    ...createInletFields(name, "iec-60320-c14"),
    power_in: sourceRef === undefined ? {} : { source_ref: sourceRef },
  };
}

/** Creates an inlet with a fixed supply. */
export function createFixedInlet(name: string, sourceRef: string, type = "hardwired"): SampleJson {
  return { ...createInletFields(name, type), power_in: { source_ref: sourceRef } };
}

function createInletFields(name: string, type: string): SampleJson {
  return { name, kind: "PORT_KIND_POWER_IN", type };
}

export function createOutlet(name: string): SampleJson {
  return { name, kind: "PORT_KIND_POWER_OUT", type: "iec-60320-c13", power_out: {} };
}

/** Creates a breaker of a distribution panel: three phases at 400 V. */
export function createBreaker(name: string, feedId: string, amperageA: number): SampleJson {
  return {
    name,
    kind: "PORT_KIND_POWER_OUT",
    type: "hardwired",
    power_out: { feed_id: feedId, supply: "SUPPLY_AC", phase: "PHASE_THREE", voltage_v: 400, amperage_a: amperageA },
  };
}

export function createNetworkPort(
  name: string,
  type: keyof typeof SPEED_MBPS_BY_TYPE & string,
  more: SampleJson = {},
): SampleJson {
  return { name, kind: "PORT_KIND_NETWORK", type, speed_mbps: SPEED_MBPS_BY_TYPE[type], ...more };
}

/** Creates the ports of a fibre cassette: one rear connector, and the front ports that it splits into. */
export function createCassette(rear: string, fronts: readonly string[]): readonly SampleJson[] {
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
