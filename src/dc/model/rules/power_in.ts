import {
  createRejection,
  createWarning,
  type ErrorFinding,
  type Finding,
  type Findings,
  type ResourceWrite,
} from "../finding.ts";
import { overlayDevice, type SiteReader } from "../inventory.ts";
import { findOutletType } from "../port_types.ts";
import { findPowerCycle, findSupplyRef, isDeviceRef, listEnabledInlets } from "../power_walk.ts";
import {
  formatPort,
  formatPortReference,
  isSamePort,
  PORT_NAME_GRAMMAR,
  parsePortName,
  parseRef,
  REF_GRAMMAR,
} from "../ref.ts";
import type { Cable, Device, Port, PortRef } from "../resources.ts";
import { checkCode, createMissingRefRejection, createSyntaxRejection } from "./general.ts";

const SOURCE_KINDS = ["feed", "device", "port"];
const SOURCE_GRAMMAR = `${REF_GRAMMAR.feed}, ${REF_GRAMMAR.device} or ${REF_GRAMMAR.port}`;

/** Rejects a source reference that is malformed or names something other than a power source. */
export function checkSourceShape(field: string, sourceRef: string | undefined): readonly ErrorFinding[] {
  if (sourceRef === undefined) return [];
  const ref = parseRef(sourceRef);
  if (ref !== undefined && SOURCE_KINDS.includes(ref.kind)) return [];
  return [createSyntaxRejection("INVALID_REF", field, "source", sourceRef, SOURCE_GRAMMAR)];
}

/** Rejects a source that does not exist. A feed may be declared later. */
export async function checkSourceExists(
  field: string,
  sourceRef: string,
  site: SiteReader,
): Promise<readonly Finding[]> {
  const ref = parseRef(sourceRef);
  if (ref?.kind === "feed") {
    if ((await site.feedDeclarer(ref.code)) !== undefined) return [];
    return [
      createWarning("UNDECLARED_FEED", field, `No outlet declares feed "${ref.code}" yet`, {
        value: sourceRef,
        ref: sourceRef,
      }),
    ];
  }
  if (ref?.kind === "device") {
    const device = await site.device(ref.code);
    return device?.code === ref.code ? [] : [createMissingSourceRejection(field, sourceRef, device?.code)];
  }
  return ref?.kind === "port" ? checkOutletExists(field, ref.end, site) : [];
}

async function checkOutletExists(field: string, end: PortRef, site: SiteReader): Promise<readonly ErrorFinding[]> {
  const port = (await findEndPort(end, site))?.port;
  const ref = formatPortReference(end);
  if (port === undefined) return [createMissingSourceRejection(field, ref, undefined)];
  if (port.kind === "POWER_OUT") return [];
  return [
    createRejection("PORT_INCOMPATIBLE", field, `Port "${formatPort(end)}" of kind ${port.kind} gives no power`, {
      value: ref,
      expected: "a port of kind POWER_OUT",
      ref,
    }),
  ];
}

function createMissingSourceRejection(field: string, ref: string, spelling: string | undefined): ErrorFinding {
  return createMissingRefRejection(field, "source", ref, { expected: spelling ?? "an existing source", ref });
}

function* yieldInlets(device: Device): Generator<readonly [port: Port, field: string]> {
  for (const [index, port] of (device.ports ?? []).entries()) {
    if (port.kind === "POWER_IN") yield [port, `ports[${index}].power_in.source_ref`];
  }
}

function checkInletShapes({ after }: ResourceWrite<Device>): Findings {
  return [...yieldInlets(after)].flatMap(([{ powerIn }, field]) => checkSourceShape(field, powerIn?.sourceRef));
}

/** Checks that sources exist, are not the device itself, and match the power cable. */
async function checkInletSources({ before, after }: ResourceWrite<Device>, site: SiteReader): Promise<Findings> {
  const future = overlayDevice(site, after);
  const found: Finding[] = [];
  for (const [port, field] of yieldInlets(after)) {
    const sourceRef = port.powerIn?.sourceRef;
    if (sourceRef === undefined) continue;
    found.push(...(await checkInletSource(after, field, sourceRef, future)));
    // A cable requires existing ports, so a new device has none.
    const end = { deviceCode: after.code, portName: port.name };
    const cable = before === undefined ? undefined : await site.cableAt(end);
    if (cable !== undefined) found.push(...(await checkSourceAgreement(after, port, cable, future, field)));
  }
  return found;
}

async function checkInletSource(device: Device, field: string, sourceRef: string, site: SiteReader): Promise<Findings> {
  const ref = parseRef(sourceRef);
  const declarer = ref?.kind === "feed" ? await site.feedDeclarer(ref.code) : undefined;
  const actual = declarer === undefined ? sourceRef : formatPortReference(declarer);
  if (!isDeviceRef(actual, device.code)) return checkSourceExists(field, sourceRef, site);
  return [
    createRejection("POWER_CYCLE", field, `Device "${device.code}" cannot supply itself`, {
      value: sourceRef,
      expected: "another device",
      ref: sourceRef,
    }),
  ];
}

/** Rejects an inlet whose source_ref and cable name different supplies. */
export async function checkSourceAgreement(
  device: Device,
  inlet: Port,
  cable: Cable,
  site: SiteReader,
  field: string,
): Promise<readonly ErrorFinding[]> {
  const sourceRef = inlet.powerIn?.sourceRef;
  const ref = sourceRef === undefined ? undefined : parseRef(sourceRef);
  if (sourceRef === undefined || ref === undefined) return [];
  const end = { deviceCode: device.code, portName: inlet.name };
  const outlet = isSamePort(cable.a, end) ? cable.b : cable.a;
  const named = ref.kind === "feed" ? await site.feedDeclarer(ref.code) : undefined;
  const agrees =
    (ref.kind === "feed" && named !== undefined && isSamePort(named, outlet)) ||
    (ref.kind === "port" && isSamePort(ref.end, outlet)) ||
    (ref.kind === "device" && isDeviceRef(sourceRef, outlet.deviceCode));
  if (agrees) return [];
  return [
    createRejection(
      "SOURCE_CABLE_DISAGREE",
      field,
      `Source "${sourceRef}" disagrees with the cable from "${formatPort(outlet)}"`,
      {
        value: sourceRef,
        expected: `${formatPortReference(outlet)} or no source_ref`,
        ref: formatPortReference(outlet),
      },
    ),
  ];
}

/** Rejects a cycle in the power graph. A device that supplies nothing cannot close a cycle. */
async function checkPowerCycle({ before, after }: ResourceWrite<Device>, site: SiteReader): Promise<Findings> {
  const supplies =
    (after.ports ?? []).some(({ kind }) => kind === "POWER_OUT") ||
    // Existing devices cannot name a new device as their supply.
    (before !== undefined && (await site.consumersOf([`device:${after.code}`])).length > 0);
  if (!supplies || listEnabledInlets(after).length === 0) return [];
  const path = await findPowerCycle(after, overlayDevice(site, after));
  return path === undefined ? [] : [createPowerCycleRejection("ports", path)];
}

/** Returns the finding for a power cycle, with the path from consumer to supply. */
export function createPowerCycleRejection(field: string, path: readonly string[]): ErrorFinding {
  const text = path.join(" <- ");
  return createRejection("POWER_CYCLE", field, `Power would flow in a circle: ${text}`, {
    value: text,
    expected: "a supply that does not depend on its consumer",
  });
}

/** Warns if the plug of an inlet does not fit its outlet. */
async function checkInletPlugs({ after }: ResourceWrite<Device>, site: SiteReader): Promise<Findings> {
  const found: Finding[] = [];
  for (const [port, field] of yieldInlets(after)) {
    const wanted = port.type === undefined ? undefined : findOutletType(port.type);
    const source = wanted === undefined ? undefined : await findSupplyRef(after, port, site);
    const ref = source === undefined ? undefined : parseRef(source);
    if (wanted === undefined || ref?.kind !== "port") continue;
    found.push(...checkPlugMatch(field, wanted, await site.device(ref.end.deviceCode), ref.end.portName));
  }
  return found;
}

/** Warns if an outlet is not of the type that the inlet requires. */
export function checkPlugMatch(field: string, wanted: string, supplier: Device | undefined, outlet: string): Findings {
  const type = supplier?.ports?.find(({ name }) => name === outlet)?.type;
  if (supplier === undefined || type === undefined || type === wanted || !type.startsWith("iec-60320-")) return [];
  return [
    createWarning("PLUG_MISMATCH", field, `Outlet "${outlet}" of device "${supplier.code}" does not take this plug`, {
      value: type,
      expected: wanted,
      ref: `port:${supplier.code}/${outlet}`,
    }),
  ];
}

/** Rules for the sources of a device's inlets. Source: docs/contract/datacenter-rules.md#power. */
export const powerSourceShapeRules = [checkInletShapes];
export const powerSourceRules = [checkInletSources];
export const powerCycleRules = [checkPowerCycle, checkInletPlugs];

/** Rejects a missing end, and one whose device code or port name is malformed. */
export function checkEndShape(field: string, end: PortRef | undefined): readonly ErrorFinding[] {
  if (end === undefined)
    return [
      createRejection("REQUIRED_FIELD", field, `End "${field}" is required`, { expected: "a device and its port" }),
    ];
  const code = checkCode(`${field}.device_code`, end.deviceCode);
  if (parsePortName(end.portName) !== undefined) return code;
  return [
    ...code,
    createSyntaxRejection("INVALID_CODE", `${field}.port_name`, "port name", end.portName, PORT_NAME_GRAMMAR),
  ];
}

/** Rejects an end of a fabric link that is malformed; the end may be a device without a port. */
export function checkLinkEndShape(field: string, end: PortRef | undefined): readonly ErrorFinding[] {
  return end?.portName === "" ? checkCode(`${field}.device_code`, end.deviceCode) : checkEndShape(field, end);
}

/** Returns the port at an end, with its device; undefined if missing. Both names must match exactly, including case. */
export async function findEndPort(
  end: PortRef,
  site: SiteReader,
): Promise<{ readonly device: Device; readonly port: Port } | undefined> {
  const device = await site.device(end.deviceCode);
  const port = device?.ports?.find(({ name }) => name === end.portName);
  return device === undefined || port === undefined || device.code !== end.deviceCode ? undefined : { device, port };
}
