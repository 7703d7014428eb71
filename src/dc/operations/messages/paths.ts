import type { CablePath } from "#dc/analysis/cabling/cable_path.ts";
import { CablePathSchema, SegmentKind, Severity } from "#gen/datacenter/v1/datacenter_pb.ts";
import { toMessage } from "./convert.ts";

export function pathMessage({ hops, segments, problems, ...path }: CablePath) {
  return toMessage(CablePathSchema, {
    ...path,
    hops: hops.map(({ device, inPort, outPort }) => ({
      deviceCode: device.code,
      kind: device.kind,
      inPort,
      outPort,
      location: device.location,
      rackCode: device.rackCode,
      positionU: device.positionU,
      status: device.status ?? "ACTIVE",
    })),
    segments: segments.map((segment) => ({
      ...segment,
      kind: segment.cable === undefined ? SegmentKind.INTERNAL : SegmentKind.CABLE,
    })),
    findings: problems.map((problem) => ({ ...problem, severity: Severity.WARNING })),
  });
}
