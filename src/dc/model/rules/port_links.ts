import { createRejection, type ErrorFinding } from "../finding.ts";
import { formatPortReference, isSamePort } from "../ref.ts";
import type { Device, Port, PortRef } from "../resources.ts";
import type { Findings, ResourceWrite } from "../rule.ts";
import type { SiteReader } from "../site.ts";
import { checkUniqueValues, createMissingRefRejection } from "./checks.ts";

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
  const ends = cables.flatMap(({ a, b }) => [a, b]).filter((end) => hasEndPort(before, end));
  const found = ends.flatMap((end) => checkCabledPort(before, after, end));
  return [...found, ...(await checkNamedPorts(before, after, site))];
}

function hasEndPort(device: Device, end: PortRef): boolean {
  return (device.ports ?? []).some(({ name }) => isSamePort({ deviceCode: device.code, portName: name }, end));
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
