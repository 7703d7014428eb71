import type { Topology } from "#dc/analysis/topology.ts";
import type { TimeSpan } from "#dc/analysis/window/judgement.ts";
import { MAX_WINDOW_DAYS, MAX_WINDOW_ELEMENTS } from "#dc/model/inventory.ts";
import { codeKey } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { type CheckWindowRequest, CheckWindowResponseSchema } from "#gen/datacenter/v1/windows_pb.ts";
import { resolveFailingSources } from "../answers/failing_sources.ts";
import { createMissingFieldRefusal, readLoadBasis, readRef } from "../answers/parameters.ts";
import { CONGESTED_PCT, convertTimestampToMs, convertToMessage } from "../messages/convert.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import { ACCEPTED_KINDS, createMissingRefRefusal, isInInventory, ROLE_PREFIX } from "./windows/judge_piece.ts";
import { DEFAULT_EXPOSED_RACKS, listOpenWindows, readListLimit, WindowTimeline } from "./windows/judge_window.ts";
import { readAllWindows, requireWindow } from "./windows/list_windows.ts";

/** Maximum value of `exposed_racks`. Source: docs/windows.md#limits. */
const MAX_EXPOSED_RACKS = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

export const checkWindow = defineRead({
  method: PlanningService.method.checkWindow,
  effect: "read",
  async run(session, request) {
    const { startsAt, elementRefs, acceptedRefs } = request;
    const span = readTimeSpan(session, request);
    const listed = readListLimit(request.maxItems);
    requireElementCount(elementRefs.length);
    const limits = { exposedRacks: readExposedRacks(request.exposedRacks), uplinkPct: CONGESTED_PCT };
    const basis = readLoadBasis(request.loadBasis);
    const topology = await session.topology("judged");
    requireAcceptedRefs(topology, acceptedRefs);
    const asked = elementRefs.map((text, at) => ({ field: `element_refs[${at}]`, text }));
    await resolveFailingSources({ topology, reader: session.reader }, asked);
    const own = { code: "", ...span, refs: elementRefs, accepted: acceptedRefs };
    const others = request.ignoreStored ? [] : await readOtherOpenWindows(session, request.exceptCode);
    const timeline = new WindowTimeline(
      { session, topology, basis, limits },
      [own, ...others],
      Date.parse(session.now),
    );
    if (startsAt === undefined) session.lapsesAt(Date.parse(session.now));
    return convertToMessage(CheckWindowResponseSchema, {
      revision: await session.reader.revision(),
      ...(await timeline.createReply(own, listed)),
    });
  },
});

/** Reads the open windows except the one with this code. @throws Refusal for a code that no window has */
async function readOtherOpenWindows({ reader, now }: ReadSession, code: string) {
  if (code !== "") await requireWindow(reader, "except_code", code);
  const stored = (await readAllWindows(reader)).map(({ resource }) => resource);
  const others = stored.filter((window) => codeKey(window.code) !== codeKey(code));
  return listOpenWindows(others, Date.parse(now));
}

/** Checks the number of elements. @throws Refusal for no elements, or too many */
function requireElementCount(count: number): void {
  const expected = `1 to ${MAX_WINDOW_ELEMENTS} references`;
  const field = "element_refs";
  if (count === 0) throw createMissingFieldRefusal(field, expected);
  if (count <= MAX_WINDOW_ELEMENTS) return;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${field}" has ${count} references`, {
    field,
    value: count,
    expected,
  });
}

/** Reads the start and end time. @throws Refusal naming the field */
function readTimeSpan({ now }: ReadSession, { startsAt, endsAt }: CheckWindowRequest): TimeSpan {
  const at = Date.parse(now);
  const start = startsAt === undefined ? at : convertTimestampToMs(startsAt, "starts_at");
  if (endsAt === undefined) throw createMissingFieldRefusal("ends_at", "the time at which everything is back");
  const end = convertTimestampToMs(endsAt, "ends_at");
  const createSpanRefusal = (why: string, expected: string) =>
    refuse("FIELD_OUT_OF_RANGE", `Field "ends_at" ${why}: ${convertMsToTime(end)}`, {
      field: "ends_at",
      value: convertMsToTime(end),
      expected,
    });
  if (end <= start) throw createSpanRefusal("is not after starts_at", `a time after ${convertMsToTime(start)}`);
  if (end - start > MAX_WINDOW_DAYS * DAY_MS)
    throw createSpanRefusal(
      `is more than ${MAX_WINDOW_DAYS} days after starts_at`,
      `at most ${convertMsToTime(start + MAX_WINDOW_DAYS * DAY_MS)}`,
    );
  if (end <= at) throw createSpanRefusal("is over", `a time after ${now}`);
  return { from: start, until: end };
}

function convertMsToTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Reads the number of racks that one more failure may take down. @throws Refusal naming the field */
function readExposedRacks(asked: number | undefined): number {
  if (asked === undefined) return DEFAULT_EXPOSED_RACKS;
  if (asked >= 0 && asked <= MAX_EXPOSED_RACKS) return asked;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "exposed_racks" is out of range: ${asked}`, {
    field: "exposed_racks",
    value: asked,
    expected: `0 to ${MAX_EXPOSED_RACKS}`,
  });
}

/** Checks the references of accepted losses. @throws Refusal for a malformed reference or a missing element */
function requireAcceptedRefs(topology: Topology, texts: readonly string[]): void {
  const roles = new Set(topology.inventory.devices.map(({ role }) => role));
  for (const [at, text] of texts.entries()) {
    const field = `accepted_refs[${at}]`;
    const isKnown = text.startsWith(ROLE_PREFIX)
      ? roles.has(text.slice(ROLE_PREFIX.length))
      : isInInventory(topology, readRef(field, text, ACCEPTED_KINDS));
    if (!isKnown) throw createMissingRefRefusal(field, text);
  }
}
