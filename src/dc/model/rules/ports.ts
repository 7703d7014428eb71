import { LIST_SIZES, NUMBER_BOUNDS, TEXT_LENGTHS } from "#gen/datacenter/v1/bounds.ts";
import {
  createRejection,
  type ErrorFinding,
  type Findings,
  type ResourceWrite,
  type Rule,
  type RulePhases,
} from "../finding.ts";
import type { DeviceType, SiteReader } from "../inventory.ts";
import { isPortTypeAllowed } from "../port_types.ts";
import { formatPortReference, isSamePort, isSlugText, PORT_NAME_GRAMMAR, parsePortName, SLUG_GRAMMAR } from "../ref.ts";
import type { Device, Port, PortRef } from "../resources.ts";
import {
  checkMeasuredAt,
  checkNumberBounds,
  checkNumbers,
  checkRequiredField,
  checkSharedFields,
  checkSlug,
  checkTextLength,
  checkTexts,
  checkUniqueValues,
  createMissingRefRejection,
  createSyntaxRejection,
} from "./general.ts";

const MAC_PATTERN = /^[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}$/;

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
    ...checkTexts("Port", port, `${at}.`, ["label"]),
    ...checkTexts("PowerIn", port.powerIn, `${at}.power_in.`),
    ...checkTexts("Port", port, `${at}.`, ["lag", "parentPort"]),
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
  const found = checkNumbers("Port", port, `${at}.`);
  if (port.mappings === undefined) return found;
  return [
    ...found,
    ...port.mappings.flatMap((mapping, index) => checkNumbers("PortMapping", mapping, `${at}.mappings[${index}].`)),
  ];
}

function checkPortPower({ powerIn, powerOut }: Port, at: string): readonly ErrorFinding[] {
  if (powerIn === undefined && powerOut === undefined) return [];
  const inlet = `${at}.power_in`;
  const outlet = `${at}.power_out`;
  return [
    ...checkNumberBounds(`${inlet}.max_draw_w`, powerIn?.maxDrawW, NUMBER_BOUNDS.PowerIn.maxDrawW),
    ...checkNumberBounds(`${inlet}.allocated_draw_w`, powerIn?.allocatedDrawW, {
      ...NUMBER_BOUNDS.PowerIn.allocatedDrawW,
      max: powerIn?.maxDrawW ?? 2 ** 31,
    }),
    ...checkVoltage(`${outlet}.voltage_v`, powerOut?.voltageV, powerOut?.supply === "DC"),
    ...checkNumbers("PowerOut", powerOut, `${outlet}.`),
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

type LocatedPort = readonly [port: Port, at: string];

function listLocatedPorts(device: Device): readonly LocatedPort[] {
  return (device.ports ?? []).map((port, index) => [port, `ports[${index}]`] as const);
}

/** Checks that front ports map to positions of rear ports of the same device, and that each position is used once. */
function checkPortMappings({ after }: ResourceWrite<Device>): Findings {
  const rears = new Map((after.ports ?? []).filter(({ kind }) => kind === "REAR").map((port) => [port.name, port]));
  const all = listLocatedPorts(after).flatMap(([port, at]) =>
    (port.mappings ?? []).map((mapping, index) => ({ port, mapping, field: `${at}.mappings[${index}]` })),
  );
  return [
    ...all.flatMap(({ port, mapping, field }) => {
      const rear = rears.get(mapping.rearPort);
      if (rear === undefined)
        return [createUnknownPortRejection(`${field}.rear_port`, mapping.rearPort, "a rear port of the same device")];
      return [
        ...checkPortPosition(`${field}.front_position`, mapping.frontPosition, port.positions ?? 1),
        ...checkPortPosition(`${field}.rear_position`, mapping.rearPosition, rear.positions ?? 1),
      ];
    }),
    ...checkUniqueValues(
      all.map(
        ({ mapping, field }) => [`${field}.rear_position`, `${mapping.rearPort}:${mapping.rearPosition}`] as const,
      ),
      "Rear position",
    ),
    ...checkUniqueValues(
      all.map(
        ({ port, mapping, field }) => [`${field}.front_position`, `${port.name}:${mapping.frontPosition}`] as const,
      ),
      "Front position",
    ),
  ];
}

function checkPortPosition(field: string, value: number, positions: number): readonly ErrorFinding[] {
  if (value <= positions) return [];
  return [
    createRejection("FIELD_OUT_OF_RANGE", field, `The port has no position ${value}: expected 1 to ${positions}`, {
      value,
      expected: `1 to ${positions}`,
    }),
  ];
}

function createUnknownPortRejection(field: string, name: string, expected: string): ErrorFinding {
  return createMissingRefRejection(field, "port", name, { expected });
}

/** Checks that breakout channels name a physical port and members of an aggregate name an aggregate. */
function checkPortChannels({ after }: ResourceWrite<Device>): Findings {
  const byName = new Map((after.ports ?? []).map((port) => [port.name, port]));
  const legs = listLocatedPorts(after).filter(([{ parentPort }]) => parentPort !== undefined);
  return [
    ...legs.flatMap(([port, at]) => checkParentPort(port, at, byName)),
    ...checkUniqueValues(
      legs
        .filter(([{ channel }]) => channel !== undefined)
        .map(([{ parentPort, channel }, at]) => [`${at}.channel`, `${parentPort}:${channel}`] as const),
      "Channel",
    ),
    ...listLocatedPorts(after).flatMap(([port, at]) => checkAggregatePort(port, at, byName)),
  ];
}

function checkParentPort(port: Port, at: string, byName: ReadonlyMap<string, Port>): readonly ErrorFinding[] {
  const holder = byName.get(port.parentPort ?? "");
  const field = `${at}.parent_port`;
  if (holder === undefined || holder === port) {
    return [createUnknownPortRejection(field, port.parentPort ?? "", "another port of the same device")];
  }
  if (holder.type !== "lag") return [];
  return [
    createRejection("FIELD_CONFLICT", field, `Port "${holder.name}" is an aggregate and has no channels`, {
      value: holder.name,
      expected: "a physical port",
    }),
  ];
}

function checkAggregatePort(port: Port, at: string, byName: ReadonlyMap<string, Port>): readonly ErrorFinding[] {
  if (port.lag === undefined) return [];
  const holder = byName.get(port.lag);
  if (holder === undefined || holder === port) {
    return [createUnknownPortRejection(`${at}.lag`, port.lag, "an aggregate port of the same device")];
  }
  if (holder.type === "lag") return [];
  return [
    createRejection("FIELD_CONFLICT", `${at}.lag`, `Port "${holder.name}" is no aggregate`, {
      value: holder.type,
      expected: "a port of type lag",
    }),
  ];
}

/** Rejects the removal of a port in use, a change of a cabled port's kind, and marking a cabled port as connected. */
async function checkPortsInUse({ before, after }: ResourceWrite<Device>, site: SiteReader): Promise<Findings> {
  if (before === undefined) return [];
  const cables = await site.cablesOf(after.code);
  const own = (before.ports ?? []).map(({ name }) => ({ deviceCode: before.code, portName: name }));
  const ends = cables.flatMap(({ a, b }) => [a, b]).filter((end) => own.some((port) => isSamePort(port, end)));
  const found = ends.flatMap((end) => checkCabledPort(before, after, end));
  return [...found, ...(await checkNamedPorts(before, after, site))];
}

function checkCabledPort(before: Device, after: Device, end: PortRef): readonly ErrorFinding[] {
  const index = (after.ports ?? []).findIndex(({ name }) => name === end.portName);
  const port = after.ports?.[index];
  const ref = formatPortReference(end);
  if (port === undefined) {
    return [
      createRejection("PORT_IN_USE", "ports", `Port "${end.portName}" holds a cable and cannot be removed`, { ref }),
    ];
  }
  const was = before.ports?.find(({ name }) => name === end.portName);
  const found: ErrorFinding[] = [];
  if (was !== undefined && was.kind !== port.kind) {
    found.push(
      createRejection("PORT_IN_USE", `ports[${index}].kind`, `Port "${port.name}" holds a cable and keeps its kind`, {
        value: port.kind,
        expected: was.kind,
        ref,
      }),
    );
  }
  if (port.markConnected === true) {
    found.push(
      createRejection(
        "PORT_MARKED_CONNECTED",
        `ports[${index}].mark_connected`,
        `Port "${port.name}" holds a recorded cable`,
        {
          value: "true",
          expected: "false",
          ref,
        },
      ),
    );
  }
  return found;
}

/** Rejects the removal of ports that fabric links or consumers name. */
async function checkNamedPorts(before: Device, after: Device, site: SiteReader): Promise<readonly ErrorFinding[]> {
  const kept = new Set((after.ports ?? []).map(({ name }) => name));
  const gone = (before.ports ?? []).filter(({ name }) => !kept.has(name));
  if (gone.length === 0) return [];
  const ends = gone.map(({ name }) => ({ deviceCode: after.code, portName: name }));
  const links = (await site.fabricLinksOf(after.code)).flatMap(({ a, b }) => [a, b]);
  const consumers = await site.consumersOf(ends.map(formatPortReference));
  return [
    ...ends
      .filter((end) => links.some((other) => isSamePort(other, end)))
      .map((end) =>
        createRejection("PORT_IN_USE", "ports", `Port "${end.portName}" holds a fabric link and cannot be removed`, {
          ref: formatPortReference(end),
        }),
      ),
    ...consumers.map(({ kind, code, inlet }) =>
      createRejection("PORT_IN_USE", "ports", `An outlet supplies ${kind} "${code}" and cannot be removed`, {
        ref: kind === "device" ? formatPortReference({ deviceCode: code, portName: inlet }) : `crac:${code}`,
      }),
    ),
  ];
}

/** Rules for the links between ports of a device. Source: docs/contract/datacenter-rules.md#ports. */
export const portLinkRules = [checkPortMappings, checkPortChannels];
export const portUseRules = [checkPortsInUse];

function checkTypeIdentity({ after }: ResourceWrite<DeviceType>): Findings {
  const { code, manufacturer, model, kind } = after;
  const found: ErrorFinding[] = [
    ...checkRequiredField("manufacturer", manufacturer),
    ...checkRequiredField("model", model),
    ...checkRequiredField("kind", kind),
    ...checkTexts("DeviceType", after),
  ];
  if (isSlugText(code ?? "")) return found;
  return [...found, createSyntaxRejection("INVALID_CODE", "code", "code", code ?? "", SLUG_GRAMMAR)];
}

function checkTypeFigures({ after }: ResourceWrite<DeviceType>): Findings {
  const { bays = [], ports = [] } = after;
  return [
    ...checkNumbers("DeviceType", after),
    ...checkNumberBounds("bays", bays.length, { max: LIST_SIZES.DeviceType.bays }),
    ...checkNumberBounds("ports", ports.length, { max: LIST_SIZES.DeviceType.ports }),
    ...checkUniqueValues(
      bays.map((bay, index) => [`bays[${index}]`, bay] as const),
      "Bay",
    ),
    ...bays.flatMap((bay, index) => checkTextLength(`bays[${index}]`, bay, TEXT_LENGTHS.DeviceType.bays)),
  ];
}

/** Rejects supplies in a type, because they belong to single devices. */
function checkTypeSources({ after: { ports = [] } }: ResourceWrite<DeviceType>): Findings {
  return ports.flatMap(({ powerIn, powerOut }, index) => {
    const field =
      powerIn?.sourceRef !== undefined
        ? "power_in.source_ref"
        : powerOut?.feedId !== undefined
          ? "power_out.feed_id"
          : undefined;
    if (field === undefined) return [];
    const message = `A type of device has no ${field}: expected none`;
    return [createRejection("FIELD_CONFLICT", `ports[${index}].${field}`, message, { expected: "none" })];
  });
}

/** Returns a rule that applies a rule for a device's ports to the ports of a type. */
function createTypePortRule(rule: Rule<Device>): Rule<DeviceType> {
  return ({ after, now }, site) => {
    const device: Device = { code: "type", kind: after.kind, ...(after.ports !== undefined && { ports: after.ports }) };
    return rule({ after: device, now }, site);
  };
}

export const deviceTypeRules: RulePhases<DeviceType> = [
  [checkTypeIdentity, checkTypeFigures, checkSharedFields, ...portShapeRules.map(createTypePortRule)],
  [checkTypeSources, ...portKindRules.map(createTypePortRule), ...portLinkRules.map(createTypePortRule)],
];
