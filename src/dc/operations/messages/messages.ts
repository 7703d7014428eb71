import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { CablePath } from "#dc/analysis/cabling/cable_path.ts";
import { computeOutletCapacityW } from "#dc/model/draw.ts";
import type { Device, DeviceBody, FabricLink, Port } from "#dc/model/resources.ts";
import type { StoredVersion } from "#dc/ports.ts";
import {
  CablePathSchema,
  DeviceSchema,
  FabricLinkSchema,
  SegmentKind,
  Severity,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { convertToMessage } from "./convert.ts";

/** Utilization in percent from which a link is congested. Source: docs/contract/datacenter-analyses.md#fabric. */
export const CONGESTED_PCT = 80;
/** Utilization in percent from which a link is watched. Source: docs/rpcs.md#fabrictopology. */
export const WATCHED_PCT = 60;

/** Returns the message of a resource with its version. */
export function createStoredMessage<Desc extends DescMessage>(
  schema: Desc,
  { resource, etag, createTime, updateTime }: StoredVersion<object>,
): MessageShape<Desc> {
  return convertToMessage(schema, { ...resource, etag, createTime, updateTime });
}

/** Returns a device's message, including the computed fields of its ports. */
export function createDeviceMessage(stored: StoredVersion<Device>) {
  const { resource } = stored;
  const ports = resource.ports?.map((port) => createPortFields(resource.code, port));
  return createStoredMessage(DeviceSchema, {
    ...stored,
    resource: { ...resource, ...(ports !== undefined && { ports }) },
  });
}

/** Returns a port's fields with its device and, for an outlet, its capacity. */
export function createPortFields(deviceCode: string, port: Port): object {
  const capacityW = port.powerOut === undefined ? undefined : computeOutletCapacityW(port.powerOut);
  const powerOut = { ...port.powerOut, capacityW };
  return { ...port, deviceCode, ...(port.powerOut !== undefined && { powerOut }) };
}

/** Returns a device's message as lists show it: without ports, labels and comments. */
export function createBasicDeviceMessage(stored: StoredVersion<DeviceBody>) {
  const { labels: _, comments: __, ...resource } = stored.resource;
  return createStoredMessage(DeviceSchema, { ...stored, resource });
}

/**
 * Returns a link's message with utilization. Leaves `physical` unset, because computing it requires tracing the cables.
 */
export function createFabricLinkMessage(stored: StoredVersion<FabricLink>) {
  const utilizationPct = computeLinkUtilizationPct(stored.resource);
  const resource = { ...stored.resource, utilizationPct, congested: utilizationPct >= CONGESTED_PCT };
  return createStoredMessage(FabricLinkSchema, { ...stored, resource });
}

/** Returns the load of the busier direction relative to the capacity, in percent; 0 if either is unknown. */
export function computeLinkUtilizationPct({ aToBMbps = 0, bToAMbps = 0, capacityMbps }: FabricLink): number {
  return capacityMbps === undefined ? 0 : (Math.max(aToBMbps, bToAMbps) / capacityMbps) * 100;
}

export function createPathMessage({ hops, segments, problems, ...path }: CablePath) {
  return convertToMessage(CablePathSchema, {
    ...path,
    hops: hops.map(({ device, inPort, outPort }) => {
      const { code: deviceCode, status = "ACTIVE" } = device;
      return { ...device, deviceCode, status, inPort, outPort };
    }),
    segments: segments.map((segment) => ({
      ...segment,
      kind: segment.cable === undefined ? SegmentKind.INTERNAL : SegmentKind.CABLE,
    })),
    findings: problems.map((problem) => ({ ...problem, severity: Severity.WARNING })),
  });
}

/** Returns the first items of a list, and the number of omitted items, as fields such as `zones` and `omittedZones`. */
export function limitListFields(
  name: string,
  items: readonly unknown[],
  limit: number,
): Readonly<Record<string, unknown>> {
  const omitted = `omitted${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return { [name]: items.slice(0, limit), [omitted]: Math.max(0, items.length - limit) };
}
