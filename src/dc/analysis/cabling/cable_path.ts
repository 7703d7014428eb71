import type { DeviceKind, PathStatus } from "#dc/model/enum_values.ts";
import { isInService } from "#dc/model/in_service.ts";
import type { Cable, Device, PortRef } from "#dc/model/resources.ts";
import type { Branch } from "#gen/datacenter/v1/messages.ts";

/** Fields of a device that a path includes. A cooling unit at the end of a supply has no device kind. */
export interface HopDevice
  extends Pick<Device, "code" | "name" | "role" | "status" | "location" | "rackCode" | "positionU" | "face" | "ports"> {
  readonly kind?: DeviceKind;
}

/** A device on a path, with the ports by which the path enters and leaves. One port is empty at an end of the path. */
export interface PathHop {
  readonly device: HopDevice;
  readonly inPort: string;
  readonly outPort: string;
}

/** A cable, or a connection inside a device or along a feed. */
export interface PathSegment {
  readonly from: PortRef;
  readonly to: PortRef;
  readonly cable?: Cable;
}

export interface PathProblem {
  readonly code: "UNDECLARED_FEED" | "NO_MAPPING" | "NO_POSITION" | "NO_CHANNEL" | "LOOP";
  readonly message: string;
  readonly ref: string;
}

/** A path through cables and devices. Lengths are in metres. */
export interface CablePath {
  readonly origin: PortRef;
  readonly destination?: PortRef;
  readonly status: PathStatus;
  /** Whether every cable is CONNECTED and every device is in service; false for a port without a connection. */
  readonly active: boolean;
  readonly totalLengthM: number;
  /** Whether a cable without a recorded length is part of the path. */
  readonly lengthIsPartial: boolean;
  readonly hops: readonly PathHop[];
  readonly segments: readonly PathSegment[];
  readonly branches: readonly Branch[];
  readonly problems: readonly PathProblem[];
}

/** Parts of a path from which its other fields are computed. */
export interface TracedPath {
  readonly origin: PortRef;
  readonly destination?: PortRef | undefined;
  readonly status: PathStatus;
  readonly hops: readonly PathHop[];
  readonly segments: readonly PathSegment[];
  readonly branches?: readonly Branch[] | undefined;
  readonly problems?: readonly PathProblem[] | undefined;
}

/** Computes the length and activity of a path from its cables and devices. */
export function completeCablePath({ destination, branches = [], problems = [], ...parts }: TracedPath): CablePath {
  const cables = parts.segments.flatMap(({ cable }) => (cable === undefined ? [] : [cable]));
  return {
    ...parts,
    ...(destination !== undefined && { destination }),
    active:
      parts.segments.length > 0 &&
      cables.every(({ status = "CONNECTED" }) => status === "CONNECTED") &&
      parts.hops.every(({ device }) => isInService(device)),
    totalLengthM: Math.round(cables.reduce((sum, { lengthM = 0 }) => sum + lengthM, 0) * 1000) / 1000,
    lengthIsPartial: cables.some(({ lengthM }) => lengthM === undefined),
    branches,
    problems,
  };
}

export function reversePath({ hops, segments }: Pick<TracedPath, "hops" | "segments">) {
  return {
    hops: hops.toReversed().map(({ device, inPort, outPort }) => ({ device, inPort: outPort, outPort: inPort })),
    segments: segments.toReversed().map(({ from, to, ...rest }): PathSegment => ({ from: to, to: from, ...rest })),
  };
}

/** Joins two paths that start at one port. The left path is reversed. */
export function joinPaths(
  left: Pick<TracedPath, "hops" | "segments">,
  right: Pick<TracedPath, "hops" | "segments">,
): Pick<TracedPath, "hops" | "segments"> {
  const [leftStart, ...leftRest] = left.hops;
  const [rightStart, ...rightRest] = right.hops;
  const middle = rightStart ?? leftStart;
  const before = reversePath({ hops: leftRest, segments: left.segments });
  return {
    hops: [
      ...before.hops,
      ...(middle === undefined
        ? []
        : [{ device: middle.device, inPort: leftStart?.outPort ?? "", outPort: rightStart?.outPort ?? "" }]),
      ...rightRest,
    ],
    segments: [...before.segments, ...right.segments],
  };
}

const STATUSES_BY_SEVERITY: readonly PathStatus[] = ["COMPLETE", "UNCONNECTED", "OPEN", "SPLIT", "TRUNCATED", "LOOP"];

/** Returns the state of a path with two halves: complete only if both halves are complete. */
export function combineHalfStatuses(a: PathStatus, b: PathStatus): PathStatus {
  if (a === "UNCONNECTED" && b === "UNCONNECTED") return "UNCONNECTED";
  const worst = Math.max(STATUSES_BY_SEVERITY.indexOf(a), STATUSES_BY_SEVERITY.indexOf(b));
  const status = STATUSES_BY_SEVERITY[worst] ?? "OPEN";
  return status === "UNCONNECTED" ? "OPEN" : status;
}
