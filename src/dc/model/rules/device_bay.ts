import { codeKey } from "../code.ts";
import { createConflictRejection, createRejection, type ErrorFinding } from "../finding.ts";
import type { Device } from "../resources.ts";
import type { Findings, ResourceWrite } from "../rule.ts";
import type { SiteReader } from "../site.ts";
import { createMissingRefRejection } from "./checks.ts";
import { checkLocationAgreement } from "./general.ts";

/** Checks that a bay is in a chassis and contains one device, and that rack and position match those of the chassis. */
export async function checkDeviceBay({ after }: ResourceWrite<Device>, site: SiteReader): Promise<Findings> {
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
