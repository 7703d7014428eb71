import type { Topology } from "#dc/analysis/topology.ts";
import type { TimeSpan } from "#dc/analysis/window/timeline.ts";
import { codeKey } from "#dc/model/code.ts";
import { MAX_WINDOW_DAYS, MAX_WINDOW_ELEMENTS } from "#dc/model/maintenance_window.ts";
import { refuse } from "#dc/model/refusal.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { type CheckWindowRequest, CheckWindowResponseSchema } from "#gen/datacenter/v1/windows_pb.ts";
import { failingSources } from "../answers/failing_sources.ts";
import { readBasis, readRef, requiredField } from "../answers/parameters.ts";
import { readMoment, toMessage } from "../messages/convert.ts";
import { CONGESTED_PCT } from "../messages/messages.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import { isThere } from "./windows/judge_piece.ts";
import { openWindows, readListed, USUAL_EXPOSED, WindowTimeline } from "./windows/judge_window.ts";
import { KeptVerdicts } from "./windows/kept_verdicts.ts";
import { allWindows, demandWindow } from "./windows/stored_windows.ts";
import { ACCEPTED_KINDS, ROLE, refuseMissing } from "./windows/window_elements.ts";

/** Racks of `exposed_racks`. Source: docs/windows.md#limits. */
const MAX_EXPOSED = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

export const checkWindow = defineRead({
  method: PlanningService.method.checkWindow,
  effect: "read",
  async run(session, request) {
    const { startsAt, elementRefs, acceptedRefs } = request;
    const span = readTime(session, request);
    const listed = readListed(request.maxItems);
    demandCount(elementRefs.length);
    const limits = { exposedRacks: readExposed(request.exposedRacks), uplinkPct: CONGESTED_PCT };
    const basis = readBasis(request.loadBasis);
    const topology = await session.judgedTopology();
    await KeptVerdicts.follow(session, topology);
    checkAccepted(topology, acceptedRefs);
    const asked = elementRefs.map((text, at) => ({ field: `element_refs[${at}]`, text }));
    await failingSources({ topology, reader: session.reader }, asked);
    const own = { code: "", ...span, refs: elementRefs, accepted: acceptedRefs };
    const others = request.ignoreStored ? [] : await storedBeside(session, request.exceptCode);
    const timeline = new WindowTimeline(
      { session, topology, basis, limits },
      [own, ...others],
      Date.parse(session.now),
    );
    if (startsAt === undefined) session.lapsesAt(Date.parse(session.now));
    return toMessage(CheckWindowResponseSchema, {
      revision: await session.reader.revision(),
      ...(await timeline.reply(own, listed)),
    });
  },
});

/** Open windows but one. @throws Refusal for a code that no window has */
async function storedBeside({ reader, now }: ReadSession, code: string) {
  if (code !== "") await demandWindow(reader, "except_code", code);
  const stored = (await allWindows(reader)).map(({ resource }) => resource);
  const others = stored.filter((window) => codeKey(window.code) !== codeKey(code));
  return openWindows(others, Date.parse(now));
}

/** @throws Refusal for none, or too many */
function demandCount(count: number): void {
  const expected = `1 to ${MAX_WINDOW_ELEMENTS} references`;
  const field = "element_refs";
  if (count === 0) throw requiredField(field, expected);
  if (count <= MAX_WINDOW_ELEMENTS) return;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${field}" has ${count} references`, {
    field,
    value: count,
    expected,
  });
}

/** Reads the time. @throws Refusal naming the field */
function readTime({ now }: ReadSession, { startsAt, endsAt }: CheckWindowRequest): TimeSpan {
  const at = Date.parse(now);
  const start = startsAt === undefined ? at : readMoment(startsAt, "starts_at");
  if (endsAt === undefined) throw requiredField("ends_at", "the time at which everything is back");
  const end = readMoment(endsAt, "ends_at");
  const wrong = (why: string, expected: string) =>
    refuse("FIELD_OUT_OF_RANGE", `Field "ends_at" ${why}: ${isoTime(end)}`, {
      field: "ends_at",
      value: isoTime(end),
      expected,
    });
  if (end <= start) throw wrong("is not after starts_at", `a time after ${isoTime(start)}`);
  if (end - start > MAX_WINDOW_DAYS * DAY_MS)
    throw wrong(
      `is more than ${MAX_WINDOW_DAYS} days after starts_at`,
      `at most ${isoTime(start + MAX_WINDOW_DAYS * DAY_MS)}`,
    );
  if (end <= at) throw wrong("is over", `a time after ${now}`);
  return { from: start, until: end };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** @throws Refusal naming the field */
function readExposed(asked: number | undefined): number {
  if (asked === undefined) return USUAL_EXPOSED;
  if (asked >= 0 && asked <= MAX_EXPOSED) return asked;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "exposed_racks" is out of range: ${asked}`, {
    field: "exposed_racks",
    value: asked,
    expected: `0 to ${MAX_EXPOSED}`,
  });
}

/** Checks what may be lost. @throws Refusal for what is no reference, or is not there */
function checkAccepted(topology: Topology, texts: readonly string[]): void {
  const roles = new Set(topology.inventory.devices.map(({ role }) => role));
  for (const [at, text] of texts.entries()) {
    const field = `accepted_refs[${at}]`;
    const isKnown = text.startsWith(ROLE)
      ? roles.has(text.slice(ROLE.length))
      : isThere(topology, readRef(field, text, ACCEPTED_KINDS));
    if (!isKnown) throw refuseMissing(field, text);
  }
}
