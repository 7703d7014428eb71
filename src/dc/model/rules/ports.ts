import { PORT_NAME_GRAMMAR, parsePortName } from "../code.ts";
import { broken, type ErrorFinding } from "../finding.ts";
import { typeFits } from "../port_types.ts";
import type { Device, Port } from "../resources.ts";
import type { Change, Findings } from "../rule.ts";
import { number, required, textUpTo, unique } from "./checks.ts";
import { measuredAt, slugIn, texts } from "./general.ts";

const MAC = /^[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}$/;

/** Each port by itself. Source: data contract 10, Ports. */
function shapes({ after, now }: Change<Device>): Findings {
  return (after.ports ?? []).flatMap((port, index) => {
    const at = `ports[${index}]`;
    return [...identity(port, at), ...words(port, at, now), ...figures(port, at), ...power(port, at)];
  });
}

function identity(port: Port, at: string): readonly ErrorFinding[] {
  const found: ErrorFinding[] = [...required(`${at}.kind`, port.kind)];
  if (parsePortName(port.name) === undefined) {
    found.push(
      broken("INVALID_CODE", `${at}.name`, `Cannot read port name "${port.name}": expected ${PORT_NAME_GRAMMAR}`, {
        value: port.name,
        expected: PORT_NAME_GRAMMAR,
      }),
    );
  }
  return found;
}

function words(port: Port, at: string, now: string): readonly ErrorFinding[] {
  const found: ErrorFinding[] = [
    ...slugIn(`${at}.type`, port.type),
    ...texts([
      [`${at}.label`, port.label],
      [`${at}.power_in.power_path`, port.powerIn?.powerPath],
    ]),
    ...textUpTo(`${at}.lag`, port.lag, 64),
    ...textUpTo(`${at}.parent_port`, port.parentPort, 64),
    ...measuredAt(`${at}.measured_at`, port.measuredAt, now),
  ];
  if (port.macAddress !== undefined && !MAC.test(port.macAddress)) {
    found.push(
      broken("FIELD_OUT_OF_RANGE", `${at}.mac_address`, `Cannot read MAC address "${port.macAddress}"`, {
        value: port.macAddress,
        expected: "six hexadecimal pairs joined by colons",
      }),
    );
  }
  return found;
}

function figures(port: Port, at: string): readonly ErrorFinding[] {
  return [
    ...number(`${at}.speed_mbps`, port.speedMbps, { above: 0 }),
    ...number(`${at}.channel`, port.channel, { min: 0, max: 1024 }),
    ...number(`${at}.positions`, port.positions, { min: 1, max: 1024 }),
    ...number(`${at}.rx_mbps`, port.rxMbps, { min: 0 }),
    ...number(`${at}.tx_mbps`, port.txMbps, { min: 0 }),
    ...(port.mappings ?? []).flatMap((mapping, index) => [
      ...number(`${at}.mappings[${index}].front_position`, mapping.frontPosition, { min: 1 }),
      ...number(`${at}.mappings[${index}].rear_position`, mapping.rearPosition, { min: 1 }),
    ]),
  ];
}

function power({ powerIn, powerOut }: Port, at: string): readonly ErrorFinding[] {
  const inlet = `${at}.power_in`;
  const outlet = `${at}.power_out`;
  return [
    ...number(`${inlet}.max_draw_w`, powerIn?.maxDrawW, { min: 0 }),
    ...number(`${inlet}.allocated_draw_w`, powerIn?.allocatedDrawW, { min: 0, max: powerIn?.maxDrawW ?? 2 ** 31 }),
    ...voltage(`${outlet}.voltage_v`, powerOut?.voltageV, powerOut?.supply === "DC"),
    ...number(`${outlet}.amperage_a`, powerOut?.amperageA, { min: 1 }),
    ...number(`${outlet}.max_utilization_pct`, powerOut?.maxUtilizationPct, { min: 1, max: 100 }),
    ...number(`${outlet}.breaker_position`, powerOut?.breakerPosition, { min: 1, max: 1000 }),
    ...number(`${outlet}.breaker_poles`, powerOut?.breakerPoles, { min: 1, max: 3 }),
  ];
}

function voltage(field: string, volts: number | undefined, direct: boolean): readonly ErrorFinding[] {
  if (volts === undefined) return [];
  if (volts !== 0 && (volts > 0 || direct)) return number(field, volts, {});
  const expected = direct ? "not 0" : "above 0, or below 0 for DC";
  return [
    broken("FIELD_OUT_OF_RANGE", field, `Voltage ${volts} is impossible: expected ${expected}`, {
      value: volts,
      expected,
    }),
  ];
}

function names({ after }: Change<Device>): Findings {
  return unique(
    (after.ports ?? []).map(({ name }, index) => [`ports[${index}].name`, name] as const),
    "Port",
  );
}

interface KindField {
  readonly field: string;
  readonly kinds: readonly string[];
  readonly present: (port: Port) => boolean;
}

const KIND_FIELDS: readonly KindField[] = [
  { field: "power_in", kinds: ["POWER_IN"], present: ({ powerIn }) => powerIn !== undefined },
  { field: "power_out", kinds: ["POWER_OUT"], present: ({ powerOut }) => powerOut !== undefined },
  { field: "mappings", kinds: ["FRONT"], present: ({ mappings }) => mappings !== undefined },
  { field: "positions", kinds: ["FRONT", "REAR"], present: ({ positions }) => positions !== undefined },
  { field: "lag", kinds: ["NETWORK"], present: ({ lag }) => lag !== undefined },
  { field: "parent_port", kinds: ["NETWORK"], present: ({ parentPort }) => parentPort !== undefined },
];

/** Fields and types belong to kinds. */
function kinds({ after }: Change<Device>): Findings {
  return (after.ports ?? []).flatMap((port, index) => {
    const at = `ports[${index}]`;
    const misplaced = KIND_FIELDS.filter(
      ({ kinds: allowed, present }) => present(port) && !allowed.includes(port.kind),
    );
    const found = misplaced.map(({ field, kinds: allowed }) =>
      broken("FIELD_CONFLICT", `${at}.${field}`, `Port "${port.name}" of kind ${port.kind} has no ${field}`, {
        value: port.kind,
        expected: allowed.join(" or "),
      }),
    );
    if (port.type === undefined || typeFits(port.kind, port.type)) return found;
    const wrong = broken(
      "FIELD_CONFLICT",
      `${at}.type`,
      `Type "${port.type}" does not belong on a port of kind ${port.kind}`,
      {
        value: port.type,
        expected: `a type for ${port.kind}`,
      },
    );
    return [...found, wrong];
  });
}

/** Source: data contract 10, Ports. */
export const portShapeRules = [shapes, names];
export const portKindRules = [kinds];
