import { computeAirHeatW, getDrawW } from "../draw.ts";
import {
  createConflictRejection,
  createRejection,
  createWarning,
  type ErrorFinding,
  type Finding,
  type Findings,
  type ResourceWrite,
} from "../finding.ts";
import type { SiteReader } from "../inventory.ts";
import {
  doSpacesOverlap,
  getRackSpace,
  getUnitRange,
  isReservationInForce,
  listCoveredUnits,
  type RackSpace,
} from "../rack_space.ts";
import { codeKey } from "../ref.ts";
import type { Device, DeviceBody, Rack } from "../resources.ts";
import { checkRackWeight, hasOppositeAirflow } from "./floor.ts";
import { checkLocationAgreement, createMissingRefRejection } from "./general.ts";

/** Checks that a bay is in a chassis and contains one device, and that rack and position match those of the chassis. */
async function checkDeviceBay({ after }: ResourceWrite<Device>, site: SiteReader): Promise<Findings> {
  const { parentDeviceCode, mount } = after;
  if (parentDeviceCode === undefined) {
    if (mount !== "BAY" && after.bay === undefined) return [];
    return [
      createConflictRejection("parent_device_code", "A bay needs the chassis that it belongs to", "parent_device_code"),
    ];
  }
  const parent = await site.device(parentDeviceCode);
  if (parent === undefined || parent.code !== parentDeviceCode) {
    const detail = { expected: parent?.code ?? "an existing device", ref: `device:${parentDeviceCode}` };
    return [createMissingRefRejection("parent_device_code", "device", parentDeviceCode, detail)];
  }
  return [
    ...checkBayExists(after, parent),
    ...(await checkBayFree(after, site)),
    ...(await checkParentCycle(after, parent, site)),
  ];
}

function checkBayExists(device: Device, parent: Device): readonly ErrorFinding[] {
  const found: ErrorFinding[] = [];
  if (device.mount === "BAY" && parent.kind !== "CHASSIS") {
    found.push(
      createConflictRejection("parent_device_code", `Device "${parent.code}" has no bays`, "a device of kind CHASSIS"),
    );
  }
  if (device.mount === "BAY" && device.bay === undefined) {
    found.push(
      createRejection("REQUIRED_FIELD", "bay", 'Field "bay" is required in a chassis', {
        expected: "a bay of the chassis",
      }),
    );
  }
  if (device.positionU !== undefined) {
    found.push(
      createConflictRejection("position_u", 'Field "position_u" is set for a device in a chassis', "no position"),
    );
  }
  if (device.rackCode !== undefined && device.rackCode !== parent.rackCode) {
    found.push(
      createRejection("LOCATION_MISMATCH", "rack_code", `The rack differs from that of chassis "${parent.code}"`, {
        value: device.rackCode,
        expected: parent.rackCode ?? "no rack",
        ref: `device:${parent.code}`,
      }),
    );
  }
  return [...found, ...checkLocationAgreement(device.location, parent.location, `device:${parent.code}`)];
}

async function checkBayFree(device: Device, site: SiteReader): Promise<readonly ErrorFinding[]> {
  if (device.bay === undefined || device.parentDeviceCode === undefined) return [];
  const holder = (await site.childrenOf(device.parentDeviceCode)).find(
    ({ code, bay }) => bay === device.bay && codeKey(code) !== codeKey(device.code),
  );
  if (holder === undefined) return [];
  return [
    createRejection("BAY_OCCUPIED", "bay", `Bay "${device.bay}" holds device "${holder.code}"`, {
      value: device.bay,
      expected: "a free bay",
      ref: `device:${holder.code}`,
    }),
  ];
}

async function checkParentCycle(device: Device, parent: Device, site: SiteReader): Promise<readonly ErrorFinding[]> {
  const chain: string[] = [device.code];
  let next: Device | undefined = parent;
  while (next !== undefined) {
    chain.push(next.code);
    if (codeKey(next.code) === codeKey(device.code)) {
      const path = chain.join(" -> ");
      return [
        createRejection("PARENT_CYCLE", "parent_device_code", `A device cannot contain itself: ${path}`, {
          value: path,
          expected: "a chassis outside of it",
        }),
      ];
    }
    next = next.parentDeviceCode === undefined ? undefined : await site.device(next.parentDeviceCode);
  }
  return [];
}

const RAIL_MOUNTS: readonly (string | undefined)[] = ["RAIL", "SHELF", undefined];

/** Checks fields that require or exclude each other. Source: docs/contract/datacenter-rules.md#device-placement. */
function checkFieldCombination({ after }: ResourceWrite<Device>): Findings {
  const { positionU, uHeight, face, mount, slot, rackCode } = after;
  const found: ErrorFinding[] = [];
  if (rackCode === undefined && positionU !== undefined) {
    found.push(createConflictRejection("position_u", `Field "position_u" needs a rack: ${positionU}`, "rack_code"));
  }
  if (rackCode === undefined && face !== undefined)
    found.push(createConflictRejection("face", `Field "face" needs a rack: ${face}`, "rack_code"));
  if (positionU !== undefined && face === undefined) {
    found.push(
      createConflictRejection("face", `Field "face" is required with position_u ${positionU}`, "FRONT or REAR"),
    );
  }
  if (positionU !== undefined && uHeight === 0) {
    found.push(createConflictRejection("u_height", `Field "u_height" is 0 with position_u ${positionU}`, "above 0"));
  }
  if (positionU !== undefined && !RAIL_MOUNTS.includes(mount)) {
    found.push(
      createConflictRejection(
        "position_u",
        `Field "position_u" is ${positionU} for a device mounted ${mount}`,
        "no position",
      ),
    );
  }
  if (slot !== undefined && slot !== "FULL" && uHeight === 0) {
    found.push(
      createConflictRejection("slot", `Field "slot" is ${slot} for a device with u_height 0`, "u_height above 0"),
    );
  }
  if (rackCode !== undefined && (mount === "FLOOR" || mount === "UNRACKED")) {
    found.push(
      createConflictRejection("mount", `Field "mount" is ${mount} for a device in rack "${rackCode}"`, "no rack_code"),
    );
  }
  return found;
}

/** Requires a location, from rack, chassis or device. A device's own location must match that of its rack. */
async function checkDeviceLocation({ after }: ResourceWrite<Device>, site: SiteReader): Promise<Findings> {
  const found: Finding[] = [];
  if (after.rackCode !== undefined) found.push(...checkRackAgreement(after, await site.rack(after.rackCode)));
  else if (after.location === undefined && after.parentDeviceCode === undefined) {
    found.push(
      createRejection("REQUIRED_FIELD", "location", 'Field "location" is required outside of racks and chassis', {
        expected: "site_id",
      }),
    );
  }
  return found;
}

function checkRackAgreement(device: Device, rack: Rack | undefined): readonly ErrorFinding[] {
  const code = device.rackCode ?? "";
  if (rack === undefined || rack.code !== code) {
    const detail = { expected: rack?.code ?? "an existing rack", ref: `rack:${code}` };
    return [createMissingRefRejection("rack_code", "rack", code, detail)];
  }
  return checkLocationAgreement(device.location, rack.location, `rack:${rack.code}`);
}

/** Checks that the space is inside the rack, is free, and is not reserved for another device. */
async function checkRackSpace(change: ResourceWrite<Device>, site: SiteReader): Promise<Findings> {
  const { after, now } = change;
  const wanted = getRackSpace(after);
  const rack = after.rackCode === undefined ? undefined : await site.rack(after.rackCode);
  if (wanted === undefined || rack === undefined) return [];
  const { from, to } = getUnitRange(rack);
  if (wanted.from < from || wanted.to > to) {
    return [
      createRejection("RACK_TOO_SHORT", "position_u", `Rack "${rack.code}" has no such units`, {
        value: `${wanted.from} to ${wanted.to - 0.5}`,
        expected: `units ${from} to ${to - 1}`,
        ref: `rack:${rack.code}`,
      }),
    ];
  }
  return [
    ...checkSpaceIsFree(wanted, await listOtherRackDevices(rack, change, site)),
    ...checkSpaceReserved(after, wanted, rack, now),
  ];
}

function checkSpaceIsFree(wanted: RackSpace, others: readonly DeviceBody[]): readonly ErrorFinding[] {
  return others
    .filter((other) => doesDeviceOccupySpace(other, wanted))
    .map((other) =>
      createRejection("U_SPACE_OCCUPIED", "position_u", `The space is taken by device "${other.code}"`, {
        value: `${wanted.from} to ${wanted.to - 0.5}`,
        expected: "free units",
        ref: `device:${other.code}`,
      }),
    );
}

function doesDeviceOccupySpace(device: DeviceBody, wanted: RackSpace): boolean {
  const taken = getRackSpace(device);
  return taken !== undefined && doSpacesOverlap(wanted, taken);
}

function checkSpaceReserved(device: Device, wanted: RackSpace, rack: Rack, now: string): Findings {
  const units = listCoveredUnits(wanted);
  return (rack.reservations ?? [])
    .filter(
      (reservation) => isReservationInForce(reservation, now) && reservation.units.some((unit) => units.includes(unit)),
    )
    .map((reservation) => {
      const owner = reservation.owner ?? "";
      const detail = { value: wanted.from, expected: "units that are not reserved", ref: `rack:${rack.code}` };
      return owner !== "" && owner === device.tenant
        ? createWarning("UNIT_RESERVED_BY_OWNER", "position_u", `The units are reserved for "${owner}" itself`, detail)
        : createRejection("UNIT_RESERVED", "position_u", `The units are reserved for "${owner}"`, detail);
    });
}

/** Returns the stored devices in the rack without the written one. */
async function listOtherRackDevices(
  rack: Rack,
  { before, after }: ResourceWrite<Device>,
  site: SiteReader,
): Promise<readonly Device[]> {
  const all = await site.devicesInRack(rack.code);
  const own = codeKey(after.code);
  return before === undefined ? all : all.filter(({ code }) => codeKey(code) !== own);
}

/** Rejects weight above the rack's limit; warns about airflow, depth, liquid cooling, draw and heat. */
async function checkRackLimits(change: ResourceWrite<Device>, site: SiteReader): Promise<Findings> {
  const { after } = change;
  const rack = after.rackCode === undefined ? undefined : await site.rack(after.rackCode);
  if (rack === undefined) return [];
  const all = [...(await listOtherRackDevices(rack, change, site)), after];
  return [...checkRackWeight(rack, all, "weight_kg"), ...checkRackFit(after, rack), ...checkRackTotals(all, rack)];
}

function checkRackFit(device: Device, rack: Rack): Findings {
  const found: Finding[] = [];
  const ref = `rack:${rack.code}`;
  if (hasOppositeAirflow(device.airflow, rack.airflow)) {
    found.push(
      createWarning("AIRFLOW_AGAINST_RACK", "airflow", "The air moves against that of the rack", {
        value: device.airflow,
        expected: rack.airflow ?? "",
        ref,
      }),
    );
  }
  const depthMm = device.placement?.depthMm;
  if (depthMm !== undefined && rack.mountingDepthMm !== undefined && depthMm > rack.mountingDepthMm) {
    found.push(
      createWarning("DEEPER_THAN_RACK", "placement.depth_mm", "The device is deeper than the rack's rails allow", {
        value: depthMm,
        expected: `at most ${rack.mountingDepthMm}`,
        ref,
      }),
    );
  }
  if (rack.coolingCapability === "AIR_ONLY" && (device.coolingMethod ?? "AIR") !== "AIR") {
    found.push(
      createWarning("LIQUID_IN_AIR_ONLY_RACK", "cooling_method", "The rack offers no liquid cooling", {
        value: device.coolingMethod,
        expected: "AIR",
        ref,
      }),
    );
  }
  return found;
}

function checkRackTotals(devices: readonly Device[], rack: Rack): Findings {
  const ref = `rack:${rack.code}`;
  const draw = devices.reduce((sum, device) => sum + (getDrawW(device, "ALLOCATED") ?? 0), 0);
  const heat = devices.reduce((sum, device) => sum + computeAirHeatW(device, "ALLOCATED"), 0);
  const found: Finding[] = [];
  if (rack.powerCapacityW !== undefined && draw > rack.powerCapacityW) {
    found.push(
      createWarning("RACK_POWER_EXCEEDED", "allocated_draw_w", `The devices of rack "${rack.code}" draw ${draw} W`, {
        value: draw,
        expected: `at most ${rack.powerCapacityW} W`,
        ref,
      }),
    );
  }
  if (rack.coolingCapacityW !== undefined && heat > rack.coolingCapacityW) {
    found.push(
      createWarning("RACK_COOLING_EXCEEDED", "heat_w", `The devices of rack "${rack.code}" give off ${heat} W`, {
        value: heat,
        expected: `at most ${rack.coolingCapacityW} W`,
        ref,
      }),
    );
  }
  return found;
}

/** Rules for the placement of a device. Source: docs/contract/datacenter-rules.md#device-placement. */
export const devicePlacementRules = [checkFieldCombination];
export const deviceLocationRules = [checkDeviceLocation, checkDeviceBay];
export const deviceSpaceRules = [checkRackSpace, checkRackLimits];
