import { PORT_NAME_GRAMMAR, parsePortName } from "../code.ts";
import { type ErrorFinding, rejectWrite } from "../finding.ts";
import { typeFits } from "../port_types.ts";
import type { Device, Port, PowerOut } from "../resources.ts";
import type { Change, Findings } from "../rule.ts";
import {
  checkRequired,
  checkTexts,
  checkUnique,
  type NumberCheck,
  number,
  rejectSyntax,
  wrongNumbers,
} from "./checks.ts";
import { measuredAt, slugIn } from "./general.ts";

const MAC = /^[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}$/;

const MAX_NAME_CHARS = 64;

const FIGURES: readonly NumberCheck<Port>[] = [
  ["speed_mbps", ({ speedMbps }) => speedMbps, { above: 0 }],
  ["channel", ({ channel }) => channel, { min: 0, max: 1024 }],
  ["positions", ({ positions }) => positions, { min: 1, max: 1024 }],
  ["rx_mbps", ({ rxMbps }) => rxMbps, { min: 0 }],
  ["tx_mbps", ({ txMbps }) => txMbps, { min: 0 }],
];

const OUTLET_FIGURES: readonly NumberCheck<PowerOut>[] = [
  ["amperage_a", ({ amperageA }) => amperageA, { min: 1 }],
  ["max_utilization_pct", ({ maxUtilizationPct }) => maxUtilizationPct, { min: 1, max: 100 }],
  ["breaker_position", ({ breakerPosition }) => breakerPosition, { min: 1, max: 1000 }],
  ["breaker_poles", ({ breakerPoles }) => breakerPoles, { min: 1, max: 3 }],
];

/** Checks each port on its own. Source: docs/contract/datacenter-rules.md#ports. */
function shapes({ after, now }: Change<Device>): Findings {
  const found: ErrorFinding[] = [];
  for (const [index, port] of (after.ports ?? []).entries()) {
    const at = `ports[${index}]`;
    for (const part of [identity(port, at), words(port, at, now), figures(port, at), power(port, at)]) {
      if (part.length > 0) found.push(...part);
    }
  }
  return found;
}

function identity(port: Port, at: string): readonly ErrorFinding[] {
  const found: ErrorFinding[] = [...checkRequired(`${at}.kind`, port.kind)];
  if (parsePortName(port.name) === undefined) {
    found.push(rejectSyntax("INVALID_CODE", `${at}.name`, "port name", port.name, PORT_NAME_GRAMMAR));
  }
  return found;
}

function words(port: Port, at: string, now: string): readonly ErrorFinding[] {
  const found: ErrorFinding[] = [
    ...slugIn(`${at}.type`, port.type),
    ...checkTexts(port, ["label"], `${at}.`),
    ...(port.powerIn === undefined ? [] : checkTexts(port.powerIn, ["powerPath"], `${at}.power_in.`)),
    ...checkTexts(port, ["lag", "parentPort"], `${at}.`, MAX_NAME_CHARS),
    ...measuredAt(`${at}.measured_at`, port.measuredAt, now),
  ];
  if (port.macAddress !== undefined && !MAC.test(port.macAddress)) {
    const expected = "six hexadecimal pairs joined by colons";
    found.push(rejectSyntax("FIELD_OUT_OF_RANGE", `${at}.mac_address`, "MAC address", port.macAddress, expected));
  }
  return found;
}

function figures(port: Port, at: string): readonly ErrorFinding[] {
  const found = wrongNumbers(port, FIGURES, `${at}.`);
  if (port.mappings === undefined) return found;
  return [
    ...found,
    ...port.mappings.flatMap((mapping, index) => [
      ...number(`${at}.mappings[${index}].front_position`, mapping.frontPosition, { min: 1 }),
      ...number(`${at}.mappings[${index}].rear_position`, mapping.rearPosition, { min: 1 }),
    ]),
  ];
}

function power({ powerIn, powerOut }: Port, at: string): readonly ErrorFinding[] {
  if (powerIn === undefined && powerOut === undefined) return [];
  const inlet = `${at}.power_in`;
  const outlet = `${at}.power_out`;
  return [
    ...number(`${inlet}.max_draw_w`, powerIn?.maxDrawW, { min: 0 }),
    ...number(`${inlet}.allocated_draw_w`, powerIn?.allocatedDrawW, { min: 0, max: powerIn?.maxDrawW ?? 2 ** 31 }),
    ...voltage(`${outlet}.voltage_v`, powerOut?.voltageV, powerOut?.supply === "DC"),
    ...(powerOut === undefined ? [] : wrongNumbers(powerOut, OUTLET_FIGURES, `${outlet}.`)),
  ];
}

function voltage(field: string, volts: number | undefined, direct: boolean): readonly ErrorFinding[] {
  if (volts === undefined) return [];
  if (volts !== 0 && (volts > 0 || direct)) return number(field, volts, {});
  return [
    rejectWrite("FIELD_OUT_OF_RANGE", field, `Voltage ${volts} is impossible`, {
      value: volts,
      expected: direct ? "not 0" : "above 0, or below 0 for DC",
    }),
  ];
}

function names({ after }: Change<Device>): Findings {
  return checkUnique(
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

/** Rejects fields and types that do not fit the kind of port. */
function kinds({ after }: Change<Device>): Findings {
  return (after.ports ?? []).flatMap((port, index) => {
    const misplaced = KIND_FIELDS.filter(
      ({ kinds: allowed, present }) => present(port) && !allowed.includes(port.kind),
    );
    const fits = port.type === undefined || typeFits(port.kind, port.type);
    if (fits && misplaced.length === 0) return [];
    const at = `ports[${index}]`;
    const found = misplaced.map(({ field, kinds: allowed }) =>
      rejectWrite("FIELD_CONFLICT", `${at}.${field}`, `Port "${port.name}" of kind ${port.kind} has no ${field}`, {
        value: port.kind,
        expected: allowed.join(" or "),
      }),
    );
    if (fits) return found;
    const wrong = rejectWrite(
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

/** Source: docs/contract/datacenter-rules.md#ports. */
export const portShapeRules = [shapes, names];
export const portKindRules = [kinds];
