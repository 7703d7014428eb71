import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Topology } from "#dc/analysis/topology.ts";
import { Acceptance } from "#dc/analysis/window/acceptance.ts";
import { contactsOf } from "#dc/analysis/window/contacts.ts";
import { outageHarm } from "#dc/analysis/window/harm.ts";
import { type Judged, judge } from "#dc/analysis/window/judgement.ts";
import { nextFailures } from "#dc/analysis/window/next_failures.ts";
import { type WindowGround, WindowSite } from "#dc/analysis/window/outage.ts";
import { relievingRacks } from "#dc/analysis/window/relief.ts";
import { formatRef, type Ref } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import { refKey } from "#dc/model/resource_key.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { type CheckWindowRequest, CheckWindowResponseSchema } from "#gen/datacenter/v1/windows_pb.ts";
import { devicesWithoutDataPath } from "../answers/data_paths.ts";
import { type FailingSources, failingSources } from "../answers/failing_sources.ts";
import { cutFabrics } from "../answers/network_loss.ts";
import { readBasis, readCount, readRef } from "../answers/parameters.ts";
import { toMessage } from "../messages/convert.ts";
import { CONGESTED_PCT } from "../messages/messages.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import { windowReply } from "./window_reply.ts";

/** Elements of one window, items of a list, and racks of `exposed_racks`. Source: docs/windows.md#limits. */
const MAX_ELEMENTS = 200;
const DEFAULT_LISTED = 50;
const MAX_LISTED = 1000;
const MAX_EXPOSED = 1000;
/** Racks that one more failure may take unless the request says otherwise: its own. */
const USUAL_EXPOSED = 1;
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_DAYS = 90;

export const checkWindow = defineRead({
  method: PlanningService.method.checkWindow,
  effect: "read",
  async run(session, request) {
    const { durationS } = readTime(session, request);
    const listed = readCount("max_items", request.maxItems, { usual: DEFAULT_LISTED, most: MAX_LISTED });
    const limits = { exposedRacks: readExposed(request.exposedRacks), uplinkPct: CONGESTED_PCT };
    const topology = await session.judgedTopology();
    const accepted = readAccepted(topology, request.acceptedRefs);
    const { ground, failing } = await groundOf(session, topology, request, durationS);
    const window = new WindowSite(ground);
    const outage = await session.scheduler.run(window.outage());
    const harm = outageHarm(topology, outage);
    const next = await session.scheduler.run(nextFailures(window, { outage, harm, accepted }));
    const network = { off: outage.off, cutOff: outage.fabric.cutOff, ports: failing.networkPorts };
    const withoutDataPath = await devicesWithoutDataPath({ ...session, topology }, network);
    const judged: Judged = { ground, outage, harm, withoutDataPath, accepted, next: next.failures, limits };
    const lost = [...harm.off, ...harm.cutOff, ...withoutDataPath];
    const judgement = judge(judged);
    const relief = judgement.verdict === "NO_GO" ? await session.scheduler.run(relievingRacks(window, judged)) : [];
    return toMessage(CheckWindowResponseSchema, {
      revision: await session.reader.revision(),
      ...windowReply(judged, judgement, { contacts: contactsOf(ground, outage, lost), limit: listed }),
      elementsFailed: next.tried,
      relievedBy: relief.slice(0, listed),
    });
  },
});

async function groundOf(
  session: ReadSession,
  topology: Topology,
  { elementRefs, loadBasis }: CheckWindowRequest,
  durationS: number,
): Promise<{ readonly ground: WindowGround; readonly failing: FailingSources }> {
  const { reader, scheduler } = session;
  demandCount(elementRefs.length);
  const asked = elementRefs.map((text, at) => ({ field: `element_refs[${at}]`, text }));
  const failing = await failingSources({ topology, reader }, asked);
  const { watch, cut } = await cutFabrics({ topology, reader, scheduler }, failing);
  const ground = {
    topology,
    site: failing.site,
    sources: failing.nodes,
    fabrics: watch,
    cutLinks: cut,
    basis: readBasis(loadBasis),
    durationS,
  };
  return { ground, failing };
}

/** @throws Refusal for none, or too many */
function demandCount(count: number): void {
  const expected = `1 to ${MAX_ELEMENTS} references`;
  const field = "element_refs";
  if (count === 0)
    throw refuse("REQUIRED_FIELD", `Field "${field}" is required: expected ${expected}`, { field, expected });
  if (count <= MAX_ELEMENTS) return;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${field}" has ${count} references: expected ${expected}`, {
    field,
    value: count,
    expected,
  });
}

/** Reads the time, and limits how long the reply is kept to it. @throws Refusal naming the field */
function readTime({ now, lapsesAt }: ReadSession, { startsAt, endsAt }: CheckWindowRequest) {
  const at = Date.parse(now);
  const start = startsAt === undefined ? at : timestampMs(startsAt);
  if (endsAt === undefined) {
    const expected = "the time at which everything is back";
    throw refuse("REQUIRED_FIELD", `Field "ends_at" is required: expected ${expected}`, { field: "ends_at", expected });
  }
  const end = timestampMs(endsAt);
  const wrong = (why: string, expected: string) =>
    refuse("FIELD_OUT_OF_RANGE", `Field "ends_at" ${why}: ${isoTime(end)}, expected ${expected}`, {
      field: "ends_at",
      value: isoTime(end),
      expected,
    });
  if (end <= start) throw wrong("is not after starts_at", `a time after ${isoTime(start)}`);
  if (end - start > MAX_DAYS * DAY_MS)
    throw wrong(`is more than ${MAX_DAYS} days after starts_at`, `at most ${isoTime(start + MAX_DAYS * DAY_MS)}`);
  if (end <= at) throw wrong("is over", `a time after ${now}`);
  lapsesAt(startsAt === undefined ? at : end);
  return { durationS: (end - start) / 1000 };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** @throws Refusal naming the field */
function readExposed(asked: number | undefined): number {
  if (asked === undefined) return USUAL_EXPOSED;
  if (asked >= 0 && asked <= MAX_EXPOSED) return asked;
  const expected = `0 to ${MAX_EXPOSED}`;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "exposed_racks" is out of range: ${asked}, expected ${expected}`, {
    field: "exposed_racks",
    value: asked,
    expected,
  });
}

const ACCEPTED_KINDS = ["device", "rack", "crac", "row", "room", "zone", "floor", "site"] as const;
const ROLE = "role:";

/** Reads what may be lost. @throws Refusal for what is no reference, or is not there */
function readAccepted(topology: Topology, texts: readonly string[]): Acceptance {
  const refs: Ref[] = [];
  const roles: string[] = [];
  const known = new Set(topology.inventory.devices.map(({ role }) => role));
  for (const [at, text] of texts.entries()) {
    const field = `accepted_refs[${at}]`;
    const missing = () => refuse("NOT_FOUND", `Cannot find ${field} "${text}"`, { field, value: text, ref: text });
    if (text.startsWith(ROLE)) {
      const role = text.slice(ROLE.length);
      if (!known.has(role)) throw missing();
      roles.push(role);
      continue;
    }
    const ref = readRef(field, text, ACCEPTED_KINDS);
    if (!isThere(topology, ref)) throw missing();
    refs.push(ref);
  }
  return new Acceptance(topology, refs, roles);
}

function isThere(topology: Topology, ref: Ref): boolean {
  if (ref.kind === "device" || ref.kind === "crac")
    return topology.power.indexOf.get(refKey(formatRef(ref))) !== undefined;
  return topology.hasPlace(ref);
}
