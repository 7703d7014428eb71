import type { Cable, Device, PortRef } from "#dc/model/resources.ts";
import type { PathStatus } from "#dc/model/words.ts";

/** A device on the way: the port by which the path enters and the one by which it leaves; empty at the ends. */
export interface Hop {
  readonly device: Device;
  readonly inPort: string;
  readonly outPort: string;
}

/** A cable, or a connection inside a device or along a feed. */
export interface Segment {
  readonly from: PortRef;
  readonly to: PortRef;
  readonly cable?: Cable;
}

/** A way that a split could take. */
export interface Branch {
  readonly from: PortRef;
  readonly to: PortRef;
  readonly position: number;
}

export interface PathProblem {
  readonly code: "UNDECLARED_FEED" | "NO_MAPPING" | "LOOP";
  readonly message: string;
  readonly ref: string;
}

/** A way through cables and devices. Lengths are metres. */
export interface CablePath {
  readonly origin: PortRef;
  readonly destination?: PortRef;
  readonly status: PathStatus;
  /** Every cable of it is in place; false for a path without cables. */
  readonly active: boolean;
  readonly totalLengthM: number;
  /** Some cable has no recorded length. */
  readonly lengthIsPartial: boolean;
  readonly hops: readonly Hop[];
  readonly segments: readonly Segment[];
  readonly branches: readonly Branch[];
  readonly problems: readonly PathProblem[];
}

/** What a path is made of; the rest follows from the segments. */
export interface PathParts {
  readonly origin: PortRef;
  readonly destination?: PortRef | undefined;
  readonly status: PathStatus;
  readonly hops: readonly Hop[];
  readonly segments: readonly Segment[];
  readonly branches?: readonly Branch[];
  readonly problems?: readonly PathProblem[];
}

/** Completes a path with what its cables say. */
export function finishPath({ destination, branches = [], problems = [], ...parts }: PathParts): CablePath {
  const cables = parts.segments.flatMap(({ cable }) => (cable === undefined ? [] : [cable]));
  return {
    ...parts,
    ...(destination !== undefined && { destination }),
    active: cables.length > 0 && cables.every(({ status = "CONNECTED" }) => status === "CONNECTED"),
    totalLengthM: Math.round(cables.reduce((sum, { lengthM = 0 }) => sum + lengthM, 0) * 1000) / 1000,
    lengthIsPartial: cables.some(({ lengthM }) => lengthM === undefined),
    branches,
    problems,
  };
}

/** Joins the two halves that start back to back at one passive port: the left one is walked backwards. */
export function joinPaths(left: CablePath, right: CablePath): CablePath {
  const [leftStart, ...leftRest] = left.hops;
  const [rightStart, ...rightRest] = right.hops;
  const middle = rightStart ?? leftStart;
  const hops = [
    ...leftRest.toReversed().map(({ device, inPort, outPort }) => ({ device, inPort: outPort, outPort: inPort })),
    ...(middle === undefined
      ? []
      : [{ device: middle.device, inPort: leftStart?.outPort ?? "", outPort: rightStart?.outPort ?? "" }]),
    ...rightRest,
  ];
  return finishPath({
    // An open left half has no far end, so the path begins where it was asked for.
    origin: left.destination ?? left.origin,
    destination: right.destination,
    status: worse(left.status, right.status),
    hops,
    segments: [
      ...left.segments.toReversed().map(({ from, to, ...rest }) => ({ from: to, to: from, ...rest })),
      ...right.segments,
    ],
    branches: [...left.branches, ...right.branches],
    problems: [...left.problems, ...right.problems],
  });
}

/** A whole path is complete only when both halves are. */
const GRAVITY: readonly PathStatus[] = ["COMPLETE", "UNCONNECTED", "OPEN", "SPLIT", "TRUNCATED", "LOOP"];

function worse(a: PathStatus, b: PathStatus): PathStatus {
  if (a === "UNCONNECTED" && b === "UNCONNECTED") return "UNCONNECTED";
  const worst = Math.max(GRAVITY.indexOf(a), GRAVITY.indexOf(b));
  const status = GRAVITY[worst] ?? "OPEN";
  return status === "UNCONNECTED" ? "OPEN" : status;
}
