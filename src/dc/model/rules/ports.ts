import { PORT_NAME_GRAMMAR, parsePortName } from "../code.ts";
import { createRejection, type ErrorFinding } from "../finding.ts";
import { isPortTypeAllowed } from "../port_types.ts";
import type { Device, Port, PowerOut } from "../resources.ts";
import type { Findings, ResourceWrite } from "../rule.ts";
import {
  checkNumberBounds,
  checkRequiredField,
  checkTableNumbers,
  checkTableTexts,
  checkUniqueValues,
  createSyntaxRejection,
  type NumberCheck,
} from "./checks.ts";
import { checkMeasuredAt, checkSlug } from "./general.ts";

const MAC_PATTERN = /^[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}$/;

const MAX_NAME_CHARS = 64;

const PORT_NUMBER_CHECKS: readonly NumberCheck<Port>[] = [
  ["speed_mbps", ({ speedMbps }) => speedMbps, { above: 0 }],
  ["channel", ({ channel }) => channel, { min: 0, max: 1024 }],
  ["positions", ({ positions }) => positions, { min: 1, max: 1024 }],
  ["rx_mbps", ({ rxMbps }) => rxMbps, { min: 0 }],
  ["tx_mbps", ({ txMbps }) => txMbps, { min: 0 }],
];

const OUTLET_NUMBER_CHECKS: readonly NumberCheck<PowerOut>[] = [
  ["amperage_a", ({ amperageA }) => amperageA, { min: 1 }],
  ["max_utilization_pct", ({ maxUtilizationPct }) => maxUtilizationPct, { min: 1, max: 100 }],
  ["breaker_position", ({ breakerPosition }) => breakerPosition, { min: 1, max: 1000 }],
  ["breaker_poles", ({ breakerPoles }) => breakerPoles, { min: 1, max: 3 }],
];

/** Checks each port by itself. Source: docs/contract/datacenter-rules.md#ports. */
function checkPortShapes({ after, now }: ResourceWrite<Device>): Findings {
  const found: ErrorFinding[] = [];
  for (const [index, port] of (after.ports ?? []).entries()) {
    const at = `ports[${index}]`;
    for (const part of [
      checkPortIdentity(port, at),
      checkPortTexts(port, at, now),
      checkPortFigures(port, at),
      checkPortPower(port, at),
    ]) {
      if (part.length > 0) found.push(...part);
    }
  }
  return found;
}

function checkPortIdentity(port: Port, at: string): readonly ErrorFinding[] {
  const found: ErrorFinding[] = [...checkRequiredField(`${at}.kind`, port.kind)];
  if (parsePortName(port.name) === undefined) {
    found.push(createSyntaxRejection("INVALID_CODE", `${at}.name`, "port name", port.name, PORT_NAME_GRAMMAR));
  }
  return found;
}

function checkPortTexts(port: Port, at: string, now: string): readonly ErrorFinding[] {
  const found: ErrorFinding[] = [
    ...checkSlug(`${at}.type`, port.type),
    ...checkTableTexts(port, ["label"], `${at}.`),
    ...(port.powerIn === undefined ? [] : checkTableTexts(port.powerIn, ["powerPath"], `${at}.power_in.`)),
    ...checkTableTexts(port, ["lag", "parentPort"], `${at}.`, MAX_NAME_CHARS),
    ...checkMeasuredAt(`${at}.measured_at`, port.measuredAt, now),
  ];
  if (port.macAddress !== undefined && !MAC_PATTERN.test(port.macAddress)) {
    const expected = "six hexadecimal pairs joined by colons";
    found.push(
      createSyntaxRejection("FIELD_OUT_OF_RANGE", `${at}.mac_address`, "MAC address", port.macAddress, expected),
    );
  }
  return found;
}

function checkPortFigures(port: Port, at: string): readonly ErrorFinding[] {
  const found = checkTableNumbers(port, PORT_NUMBER_CHECKS, `${at}.`);
  if (port.mappings === undefined) return found;
  return [
    ...found,
    ...port.mappings.flatMap((mapping, index) => [
      ...checkNumberBounds(`${at}.mappings[${index}].front_position`, mapping.frontPosition, { min: 1 }),
      ...checkNumberBounds(`${at}.mappings[${index}].rear_position`, mapping.rearPosition, { min: 1 }),
    ]),
  ];
}

function checkPortPower({ powerIn, powerOut }: Port, at: string): readonly ErrorFinding[] {
  if (powerIn === undefined && powerOut === undefined) return [];
  const inlet = `${at}.power_in`;
  const outlet = `${at}.power_out`;
  return [
    ...checkNumberBounds(`${inlet}.max_draw_w`, powerIn?.maxDrawW, { min: 0 }),
    ...checkNumberBounds(`${inlet}.allocated_draw_w`, powerIn?.allocatedDrawW, {
      min: 0,
      max: powerIn?.maxDrawW ?? 2 ** 31,
    }),
    ...checkVoltage(`${outlet}.voltage_v`, powerOut?.voltageV, powerOut?.supply === "DC"),
    ...(powerOut === undefined ? [] : checkTableNumbers(powerOut, OUTLET_NUMBER_CHECKS, `${outlet}.`)),
  ];
}

function checkVoltage(field: string, volts: number | undefined, direct: boolean): readonly ErrorFinding[] {
  if (volts === undefined) return [];
  if (volts !== 0 && (volts > 0 || direct)) return checkNumberBounds(field, volts, {});
  return [
    createRejection("FIELD_OUT_OF_RANGE", field, `Voltage ${volts} is impossible`, {
      value: volts,
      expected: direct ? "not 0" : "above 0, or below 0 for DC",
    }),
  ];
}

function checkPortNames({ after }: ResourceWrite<Device>): Findings {
  return checkUniqueValues(
    (after.ports ?? []).map(({ name }, index) => [`ports[${index}].name`, name] as const),
    "Port",
  );
}

interface KindField {
  readonly field: string;
  readonly kinds: readonly string[];
  readonly isPresent: (port: Port) => boolean;
}

const KIND_FIELDS: readonly KindField[] = [
  { field: "power_in", kinds: ["POWER_IN"], isPresent: ({ powerIn }) => powerIn !== undefined },
  { field: "power_out", kinds: ["POWER_OUT"], isPresent: ({ powerOut }) => powerOut !== undefined },
  { field: "mappings", kinds: ["FRONT"], isPresent: ({ mappings }) => mappings !== undefined },
  { field: "positions", kinds: ["FRONT", "REAR"], isPresent: ({ positions }) => positions !== undefined },
  { field: "lag", kinds: ["NETWORK"], isPresent: ({ lag }) => lag !== undefined },
  { field: "parent_port", kinds: ["NETWORK"], isPresent: ({ parentPort }) => parentPort !== undefined },
];

/** Rejects fields and types that do not fit the kind of port. */
function checkPortKinds({ after }: ResourceWrite<Device>): Findings {
  return (after.ports ?? []).flatMap((port, index) => {
    const misplaced = KIND_FIELDS.filter(
      ({ kinds: allowed, isPresent }) => isPresent(port) && !allowed.includes(port.kind),
    );
    const fits = port.type === undefined || isPortTypeAllowed(port.kind, port.type);
    if (fits && misplaced.length === 0) return [];
    const at = `ports[${index}]`;
    const found = misplaced.map(({ field, kinds: allowed }) =>
      createRejection("FIELD_CONFLICT", `${at}.${field}`, `Port "${port.name}" of kind ${port.kind} has no ${field}`, {
        value: port.kind,
        expected: allowed.join(" or "),
      }),
    );
    if (fits) return found;
    const wrong = createRejection(
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

/** Rules for single ports. Source: docs/contract/datacenter-rules.md#ports. */
export const portShapeRules = [checkPortShapes, checkPortNames];
export const portKindRules = [checkPortKinds];
