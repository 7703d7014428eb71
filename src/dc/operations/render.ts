import { SCREENS, type Screen } from "#dc/model/enum_values.ts";
import { parseRef } from "#dc/model/ref.ts";
import { Refusal } from "#dc/model/refusal.ts";
import { type PictureOptions, readRenderOptions, type ScreenReplies } from "#dc/render/read_options.ts";
import { renderDrawing, renderScreen } from "#dc/render/render_screen.ts";
import { DatacenterService, type RenderResult } from "#gen/datacenter/v1/datacenter_pb.ts";
import { readEnumValue, readRef } from "./answers/parameters.ts";
import { createRenderPorts } from "./answers/pictured.ts";
import { extractPowerSubgraph, readRenderRefs, requireShownRefs } from "./answers/render_refs.ts";
import { DEFAULT_SCREEN, SCREEN_PICTURES } from "./answers/render_subject.ts";
import { defineRead, type ReadSession } from "./rpc.ts";

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
      const { drawSubgraph } = await import("#dc/render/dot.ts");
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
