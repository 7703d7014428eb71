import { create } from "@bufbuild/protobuf";
import { computeNextChangeMs } from "#dc/analysis/racks/rack_facts.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import type { Coloring, Screen } from "#dc/model/enum_values.ts";
import { formatRef, REF_GRAMMAR, type Ref, type RefKind } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { Location } from "#dc/model/resources.ts";
import type { ScreenReplies } from "#dc/render/read_options.ts";
import {
  FabricTopologyRequestSchema,
  FloorPlanRequestSchema,
  GetRackRequestSchema,
  PowerBlastRadiusRequestSchema,
  ThermalHeadroomRequestSchema,
  TraceCablePathRequestSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { answerFabricTopology } from "../fabric_topology.ts";
import { answerGetRack } from "../get_rack.ts";
import { findRackRisks } from "../planning/risks_for.ts";
import { answerPowerBlastRadius } from "../power_blast_radius.ts";
import type { ReadSession } from "../rpc.ts";
import { addPictureLocations, answerThermalHeadroom } from "../thermal_headroom.ts";
import { answerTraceCablePath } from "../trace_cable_path.ts";
import { FAILING_REF_KINDS } from "./failing_sources.ts";
import { answerFloorPlan } from "./floor_plan.ts";
import { LOCATION_KINDS } from "./parameters.ts";

/** Default screen for a subject, by the kind of its reference. */
export const DEFAULT_SCREEN: Readonly<Partial<Record<RefKind, Screen>>> = {
  site: "THERMAL",
  floor: "FLOOR",
  room: "THERMAL",
  row: "THERMAL",
  zone: "THERMAL",
  rack: "ELEVATION",
  device: "POWER",
  port: "CABLE_PATH",
  feed: "POWER",
  fabric: "FABRIC",
  crac: "THERMAL",
};

type PictureReaders = {
  readonly [Name in Screen]: (subject: Ref, session: ReadSession, coloring: Coloring) => Promise<ScreenReplies[Name]>;
};

/**
 * Computes the data of each screen's picture of a subject. @throws Refusal for a subject that the screen cannot show
 */
export const SCREEN_PICTURES: PictureReaders = {
  async ELEVATION(subject, { reader, judgedTopology, now, lapsesAt }) {
    const known = await judgedTopology();
    if (subject.kind !== "rack" && subject.kind !== "device")
      throw createScreenRefusal(subject, "ELEVATION", ["rack", "device"]);
    const code = subject.kind === "rack" ? subject.code : known.device(subject.code)?.rackCode;
    if (code === undefined) throw createSubjectRefusal(subject, "the device stands in no rack");
    const rack = known.rack(code);
    if (rack !== undefined) lapsesAt(computeNextChangeMs([rack], now));
    return answerGetRack({ reader, topology: known, now }, create(GetRackRequestSchema, { code }));
  },
  async CABLE_PATH(subject, session) {
    if (subject.kind !== "port") throw createScreenRefusal(subject, "CABLE_PATH", ["port"]);
    const request = create(TraceCablePathRequestSchema, { portRef: formatRef(subject), followSplits: true });
    return (await answerTraceCablePath(session, request)).picture();
  },
  async POWER(subject, session) {
    if (subject.kind === "fabric") throw createScreenRefusal(subject, "POWER", FAILING_REF_KINDS);
    // Overloaded equipment trips, as in a rehearsal, the console and the command line.
    const request = create(PowerBlastRadiusRequestSchema, { sourceRef: formatRef(subject), cascade: true });
    return (await answerPowerBlastRadius({ ...session, topology: await session.topology() }, request)).picture();
  },
  async THERMAL(subject, { topology }) {
    const known = await topology();
    const scope = subject.kind === "crac" ? findRoomOrFloor(subject, known.crac(subject.code)?.location) : subject;
    if (!LOCATION_KINDS.some((kind) => kind === scope.kind))
      throw createScreenRefusal(subject, "THERMAL", [...LOCATION_KINDS, "crac"]);
    const request = create(ThermalHeadroomRequestSchema, { scopeRef: formatRef(scope) });
    return addPictureLocations(known.inventory, answerThermalHeadroom(known, request));
  },
  async FABRIC(subject, { reader, topology }) {
    if (subject.kind !== "fabric" && !LOCATION_KINDS.some((kind) => kind === subject.kind)) {
      throw createScreenRefusal(subject, "FABRIC", ["fabric", ...LOCATION_KINDS]);
    }
    const asked = subject.kind === "fabric" ? { fabricId: subject.code } : { scopeRef: formatRef(subject) };
    const request = create(FabricTopologyRequestSchema, asked);
    return (await answerFabricTopology({ reader, topology: await topology() }, request)).picture();
  },
  async FLOOR(subject, session, coloring) {
    const known = await session.judgedTopology();
    const request = create(FloorPlanRequestSchema, { floorRef: formatRef(findFloorOfSubject(subject, known)) });
    return answerFloorPlan(known, session, request, { risks: await findRackRisks(session, known, coloring) });
  },
};

function findFloorOfSubject(subject: Ref, known: Topology): Ref {
  switch (subject.kind) {
    case "floor":
      return subject;
    case "room":
    case "row":
    case "zone":
      return { kind: "floor", site: subject.site, floor: subject.floor };
    case "rack":
      return findFloorOfLocation(subject, known.rack(subject.code)?.location);
    case "device":
      return findFloorOfLocation(subject, known.device(subject.code)?.location);
    case "crac":
      return findFloorOfLocation(subject, known.crac(subject.code)?.location);
    default:
      throw createScreenRefusal(subject, "FLOOR", ["floor", "room", "row", "zone", "rack", "device", "crac"]);
  }
}

function findFloorOfLocation(subject: Ref, location: Location | undefined): Ref {
  if (location === undefined) throw createSubjectRefusal(subject, "nothing is known about where it stands");
  return { kind: "floor", site: location.siteId, floor: location.floorNumber } as Ref;
}

/** Returns the room of a cooling unit, or its floor if no room is recorded. */
function findRoomOrFloor(subject: Ref, location: Location | undefined): Ref {
  const floor = findFloorOfLocation(subject, location);
  if (location?.room === undefined) return floor;
  return { kind: "room", site: location.siteId, floor: location.floorNumber, name: location.room } as Ref;
}

function createScreenRefusal(subject: Ref, screen: Screen, kinds: readonly RefKind[]) {
  const value = formatRef(subject);
  return refuse("INVALID_REF", `Screen ${screen} does not show "${value}"`, {
    field: "subject_ref",
    value,
    expected: kinds.map((kind) => REF_GRAMMAR[kind]).join(", "),
  });
}

function createSubjectRefusal(subject: Ref, because: string) {
  const ref = formatRef(subject);
  return refuse("NOT_FOUND", `Cannot show "${ref}": ${because}`, { field: "subject_ref", value: ref, ref });
}
