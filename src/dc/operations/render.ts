import { create } from "@bufbuild/protobuf";
import {
  DatacenterService,
  FabricTopologyRequestSchema,
  FloorPlanRequestSchema,
  GetRackRequestSchema,
  PowerBlastRadiusRequestSchema,
  type RenderResult,
  ThermalHeadroomRequestSchema,
  TraceCablePathRequestSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatWatts } from "#words/figures.ts";
import { formatConstant, getRefName } from "#words/names.ts";
import type { PowerGraph } from "../analysis/power/power_nodes.ts";
import { computeNextChangeMs } from "../analysis/racks/rack_facts.ts";
import type { Topology } from "../analysis/topology.ts";
import { isPowerKind } from "../model/draw.ts";
import { type Coloring, SCREENS, type Screen } from "../model/enum_values.ts";
import { formatRef, parseRef, REF_GRAMMAR, type Ref, type RefKind, toRefKey } from "../model/ref.ts";
import { Refusal, refuse } from "../model/refusal.ts";
import type { Location } from "../model/resources.ts";
import type { Subgraph, SubgraphEdge, SubgraphNode } from "../render/dot.ts";
import { type PictureOptions, readRenderOptions, type ScreenReplies } from "../render/read_options.ts";
import { renderDrawing, renderScreen } from "../render/render_screen.ts";
import { FAILING_REF_KINDS } from "./answers/failing_sources.ts";
import { LOCATION_KINDS, readEnumValue, readRef } from "./answers/parameters.ts";
import { createRenderPorts } from "./answers/pictured.ts";
import { answerFabricTopology } from "./fabric_topology.ts";
import { findRackRisks } from "./planning/rehearsals.ts";
import { answerTraceCablePath } from "./port_reads.ts";
import { answerPowerBlastRadius } from "./power_blast_radius.ts";
import { answerFloorPlan, answerGetRack } from "./rack_reads.ts";
import { defineRead, type ReadSession } from "./rpc.ts";
import { addPictureLocations, answerThermalHeadroom } from "./thermal_headroom.ts";

/** Maximum number of references of a picture request. Our choice: as many as a picture has nodes. */
const MAX_RENDER_REFS = 10_000;

/** Returns references without duplicates. @throws Refusal for too many references, or naming the malformed one */
function readRenderRefs(refs: readonly string[]): readonly string[] {
  if (refs.length > MAX_RENDER_REFS) {
    const expected = `at most ${MAX_RENDER_REFS}`;
    throw refuse("FIELD_OUT_OF_RANGE", `Field "refs" has ${refs.length} references`, {
      field: "refs",
      value: refs.length,
      expected,
    });
  }
  const index = refs.findIndex((ref) => parseRef(ref) === undefined);
  const wrong = refs[index];
  if (wrong === undefined) return [...new Set(refs)];
  throw refuse("INVALID_REF", `Cannot read refs[${index}] "${wrong}"`, {
    field: `refs[${index}]`,
    value: wrong,
    expected: "a reference such as device:<code>",
  });
}

/** Rejects references that the picture does not contain. @throws Refusal naming the first such reference */
function requireShownRefs(refs: readonly string[], isShown: (key: string) => boolean): void {
  const index = refs.findIndex((ref) => !isShown(ref.toLowerCase()));
  const missing = refs[index];
  if (missing === undefined) return;
  throw refuse("NOT_FOUND", `Cannot find "${missing}" in what the screen shows`, {
    field: `refs[${index}]`,
    value: missing,
    ref: missing,
  });
}

/**
 * Returns exactly the requested elements of the power graph. An indirect edge joins two elements if one supplies the
 * other through elements that were not requested. Cost: O(elements × edges between them).
 */
function extractPowerSubgraph({ power, live, loadsW }: Topology, refs: readonly string[], title: string): Subgraph {
  const indexes = refs.map((ref) => power.indexOf.get(toRefKey(ref)) ?? -1);
  requireShownRefs(refs, (key) => indexes[refs.findIndex((ref) => ref.toLowerCase() === key)] !== -1);
  const place = new Map(indexes.map((index, at) => [index, at]));
  const isLive = (index: number) => live[index] === 1;
  return {
    title,
    directed: true,
    nodes: indexes.map((index): SubgraphNode => {
      const { name, kind, ref } = describeNodeIdentity(power, index);
      const load = formatWatts(loadsW[index] ?? 0);
      return {
        ref,
        kind,
        title: name,
        detail: `${kind} · ${load}`,
        fill: isLive(index) ? "okSoft" : "faultSoft",
        facts: [
          ["Kind", kind],
          ["Power", isLive(index) ? "live" : "without power"],
          ["Load", load],
        ],
      };
    }),
    edges: indexes.flatMap((from, at) =>
      findReachedElements(power, from, place).map(
        ([to, indirect]): SubgraphEdge => ({
          from: at,
          to: place.get(to) ?? 0,
          label: indirect ? "through other elements" : "",
          live: isLive(from),
          indirect,
        }),
      ),
    ),
  };
}

function describeNodeIdentity(power: PowerGraph, index: number) {
  const node = power.nodes[index];
  const ref = node?.ref ?? "";
  const short = getRefName(ref);
  if (node?.kind === "DEVICE") {
    const { kind, code } = node.device;
    return { ref: `device:${code}`, name: code, kind: formatConstant(isPowerKind(kind) ? kind : "CONSUMER") };
  }
  if (node?.kind === "CRAC") return { ref: `crac:${node.crac.code}`, name: node.crac.code, kind: "Cooling unit" };
  return { ref, name: short, kind: node?.kind === "OUTLET" ? "Outlet" : "Feed" };
}

/**
 * Returns the requested elements downstream of an element, and whether each is reached only through unrequested ones.
 */
function findReachedElements(
  power: PowerGraph,
  from: number,
  asked: ReadonlyMap<number, number>,
): readonly [number, boolean][] {
  const found = new Map<number, boolean>();
  const direct = new Set(power.supplies.listEdges(from).map(({ to }) => to));
  const seen = new Set(direct);
  // A Set also iterates over elements that are added during the loop, so it serves as the queue.
  for (const index of seen) {
    if (asked.has(index)) found.set(index, !direct.has(index));
    else for (const { to } of power.supplies.listEdges(index)) seen.add(to);
  }
  found.delete(from);
  return [...found];
}

/** Default screen for a subject, by the kind of its reference. */
const DEFAULT_SCREEN: Readonly<Partial<Record<RefKind, Screen>>> = {
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
  async ELEVATION(subject, { reader, topology, now, lapsesAt }) {
    const known = await topology("judged");
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
  async FABRIC(subject, session) {
    if (subject.kind !== "fabric" && !LOCATION_KINDS.some((kind) => kind === subject.kind)) {
      throw createScreenRefusal(subject, "FABRIC", ["fabric", ...LOCATION_KINDS]);
    }
    const asked = subject.kind === "fabric" ? { fabricId: subject.code } : { scopeRef: formatRef(subject) };
    const request = create(FabricTopologyRequestSchema, asked);
    return (await answerFabricTopology({ ...session, topology: await session.topology() }, request)).picture();
  },
  async FLOOR(subject, session, coloring) {
    const known = await session.topology("judged");
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

const SUBJECT_KINDS = [
  "rack",
  "floor",
  "device",
  "port",
  "feed",
  "fabric",
  "crac",
  "room",
  "row",
  "zone",
  "site",
] as const;

export const render = defineRead({
  method: DatacenterService.method.render,
  effect: "read",
  async run(session, request) {
    const subject = readRef("subject_ref", request.subjectRef, SUBJECT_KINDS);
    const screen = readEnumValue("screen", request.screen, SCREENS) ?? DEFAULT_SCREEN[subject.kind] ?? "POWER";
    const refs = readRenderRefs(request.refs);
    const options = readRenderOptions(screen, request.render);
    const input = {
      options: highlightSubject(options, request.subjectRef, screen),
      ports: createRenderPorts(session),
    };
    if (refs.length === 0) return renderSubject(screen, session, { subject, input });
    if (screen === "POWER") {
      const { drawSubgraph } = await import("../render/dot.ts");
      const title = `${refs.length} elements around ${request.subjectRef}`;
      return renderDrawing(
        screen,
        drawSubgraph(extractPowerSubgraph(await session.topology(), refs, title), options),
        input,
      );
    }
    return renderSubject(screen, session, { subject, input, refs });
  },
});

/** Highlights the subject, unless the request highlights other elements. */
function highlightSubject(options: PictureOptions, subjectRef: string, screen: Screen): PictureOptions {
  const kind = parseRef(subjectRef)?.kind;
  const among =
    (screen === "ELEVATION" && kind === "device") ||
    (screen === "FLOOR" && (kind === "rack" || kind === "device" || kind === "crac"));
  return among && options.highlight.size === 0 ? { ...options, highlight: new Set([subjectRef]) } : options;
}

interface PictureInput {
  readonly subject: ReturnType<typeof readRef<(typeof SUBJECT_KINDS)[number]>>;
  readonly input: Parameters<typeof renderScreen>[2];
  readonly refs?: readonly string[];
}

async function renderSubject<Name extends Screen>(
  screen: Name,
  session: ReadSession,
  { subject, input, refs }: PictureInput,
): Promise<RenderResult> {
  const shown: ScreenReplies[Name] = await SCREEN_PICTURES[screen](subject, session, input.options.coloring).catch(
    (error: unknown) => {
      throw renameErrorField(error);
    },
  );
  await session.scheduler.yieldIfDue();
  return renderScreen(screen, refs === undefined ? shown : NARROW_BY_SCREEN[screen](shown, refs), input);
}

/** Renames an error's field to `subject_ref`, because the screen's request has another field for the subject. */
function renameErrorField(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  const [first, ...others] = error.violations.map((found) => ({ ...found, field: "subject_ref" }));
  return first === undefined ? error : new Refusal(first, others);
}

type NarrowByScreen = {
  readonly [Name in Screen]: (shown: ScreenReplies[Name], refs: readonly string[]) => ScreenReplies[Name];
};

/** Reduces a screen's data to exactly the requested elements. */
const NARROW_BY_SCREEN: NarrowByScreen = {
  ELEVATION(reply, refs) {
    const isAsked = createRequestedRefTest(refs, [
      ...reply.occupants.map(({ deviceCode }) => `device:${deviceCode}`),
      `rack:${reply.rack?.code}`,
    ]);
    return { ...reply, occupants: reply.occupants.filter(({ deviceCode }) => isAsked(`device:${deviceCode}`)) };
  },
  FLOOR(reply, refs) {
    const { racks, cracs, devices, unplaced, unplacedRacks } = reply;
    const isAsked = createRequestedRefTest(refs, [
      ...racks.map(({ code }) => `rack:${code}`),
      ...cracs.map(({ code }) => `crac:${code}`),
      ...devices.map(({ code }) => `device:${code}`),
      ...unplaced,
    ]);
    return {
      ...reply,
      racks: racks.filter(({ code }) => isAsked(`rack:${code}`)),
      cracs: cracs.filter(({ code }) => isAsked(`crac:${code}`)),
      devices: devices.filter(({ code }) => isAsked(`device:${code}`)),
      unplaced: unplaced.filter(isAsked),
      unplacedRacks: unplacedRacks.filter(({ code }) => isAsked(`rack:${code}`)),
    };
  },
  THERMAL({ reply, places }, refs) {
    const { zones, racks } = reply;
    const isAsked = createRequestedRefTest(refs, [
      ...zones.map(({ ref }) => ref),
      ...racks.map(({ code }) => `rack:${code}`),
    ]);
    const narrowed = {
      ...reply,
      zones: zones.filter(({ ref }) => isAsked(ref)),
      racks: racks.filter(({ code }) => isAsked(`rack:${code}`)),
      hotspots: reply.hotspots.filter(({ ref }) => isAsked(ref)),
    };
    return { reply: narrowed, places, unitPlaces: new Map() };
  },
  FABRIC(shown, refs) {
    const { nodes, links, missing } = shown.answer;
    const isAsked = createRequestedRefTest(
      refs,
      nodes.map(({ device }) => `device:${device.code}`),
    );
    const areBothRequested = (a: string, b: string) => isAsked(`device:${a}`) && isAsked(`device:${b}`);
    const answer = {
      ...shown.answer,
      nodes: nodes.filter(({ device }) => isAsked(`device:${device.code}`)),
      links: links.filter(({ link }) => areBothRequested(link.a.deviceCode, link.b.deviceCode)),
      missing: missing.filter(({ leafCode, spineCode }) => areBothRequested(leafCode, spineCode)),
    };
    return { ...shown, answer };
  },
  CABLE_PATH(shown, refs) {
    const isAsked = createRequestedRefTest(
      refs,
      shown.paths.flatMap(({ hops }) => hops.map(({ device }) => `device:${device.code}`)),
    );
    // Paths are never cut: each path through a requested device is drawn whole.
    return {
      ...shown,
      paths: shown.paths.filter(({ hops }) => hops.some(({ device }) => isAsked(`device:${device.code}`))),
    };
  },
  // The `render` RPC draws requested elements from the power graph, because a failure affects more elements.
  POWER: (shown) => shown,
};

function createRequestedRefTest(refs: readonly string[], shown: readonly string[]): (ref: string) => boolean {
  const known = new Set(shown.map((ref) => ref.toLowerCase()));
  requireShownRefs(refs, (key) => known.has(key));
  const wanted = new Set(refs.map((ref) => ref.toLowerCase()));
  return (ref) => wanted.has(ref.toLowerCase());
}
