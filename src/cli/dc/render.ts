import { extname } from "node:path";
import { create } from "@bufbuild/protobuf";
import { powerBlastRadius } from "#dc/operations/power_blast_radius.ts";
import { render } from "#dc/operations/render.ts";
import type { DcService } from "#dc/service.ts";
import {
  Coloring as ColoringNumber,
  RenderFormat as FormatNumber,
  type PowerBlastRadiusRequest,
  PowerBlastRadiusRequestSchema,
  type PowerBlastRadiusResponse,
  type RenderOptions,
  RenderOptionsSchema,
  RenderRequestSchema,
  type RenderResult,
  Screen as ScreenNumber,
  Theme as ThemeNumber,
  RenderView as ViewNumber,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { loadPage } from "#runtime/pages.ts";
import { Rasterizer } from "#runtime/rasterizer.ts";
import type { Args } from "../command.ts";
import { print } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { writeFile } from "../output/write_file.ts";
import { usageError } from "../usage_error.ts";
import { enumName } from "./asked_flags.ts";
import type { Database } from "./database.ts";
import { resolveRef, SCOPE_KINDS } from "./resolve_ref.ts";
import type { RENDER_FLAGS } from "./shared_flags.ts";
import { withService } from "./with_service.ts";

/** How people call the screens, and the kinds of things that a bare code may name on each. */
const SCREENS = {
  rack: { screen: "ELEVATION", kinds: ["RACK", "DEVICE"] },
  cable: { screen: "CABLE_PATH", kinds: ["PORT"] },
  power: { screen: "POWER", kinds: ["SUPPLY", "DEVICE", "PORT", ...SCOPE_KINDS] },
  thermal: { screen: "THERMAL", kinds: [...SCOPE_KINDS, "CRAC"] },
  fabric: { screen: "FABRIC", kinds: ["FABRIC", ...SCOPE_KINDS] },
  floor: { screen: "FLOOR", kinds: ["FLOOR", "ROOM", "ROW", "RACK", "DEVICE", "CRAC"] },
} as const;

const CALLER = { interface: "SYSTEM" } as const;

const FORMAT_OF: Readonly<Record<string, keyof typeof FormatNumber>> = {
  svg: "SVG",
  png: "PNG",
  html: "HTML",
  htm: "HTML",
  dot: "DOT",
  gv: "DOT",
};

/** What is drawn and how. */
export interface RenderCall extends Args<Record<never, never>, typeof RENDER_FLAGS> {
  readonly screen: keyof typeof SCREENS;
  readonly ref: string;
  /** Undefined for standard output. */
  readonly output: string | undefined;
  /** References to highlight. */
  readonly highlight?: readonly string[];
  /** How the failure of a picture of power is judged. */
  readonly failure: Failure;
}

/** What fails beside the subject, and how its loss is judged, with the names of the request. */
export type Failure = Pick<PowerBlastRadiusRequest, "cascade"> &
  Partial<Pick<PowerBlastRadiusRequest, "additionalSourceRefs" | "assumeBattery" | "loadBasis">>;

/** Draws a picture straight from a database, without a server. A file appears whole or not at all. */
export async function renderPicture(database: Database, call: RenderCall, log: StderrLogger): Promise<void> {
  const options = create(RenderOptionsSchema, {
    format: FormatNumber[formatOf(call)],
    theme: call.theme === undefined ? ThemeNumber.UNSPECIFIED : ThemeNumber[enumName(call.theme)],
    coloring: call.coloring === undefined ? ColoringNumber.UNSPECIFIED : ColoringNumber[enumName(call.coloring)],
    view: call.view === undefined ? ViewNumber.UNSPECIFIED : ViewNumber[enumName(call.view)],
    widthPx: call.width ?? 0,
    embedDataset: true,
    highlight: [...(call.highlight ?? [])],
  });
  const rasterizer = new Rasterizer();
  const ports = {
    rasterize: (svg: string, widthPx: number) => rasterizer.png(svg, widthPx),
    loadViewer: () => loadPage("picture_file"),
  };
  try {
    const picture = await withService(database, (service) => draw(service, call, options), ports);
    const content = picture?.artifact.value ?? "";
    if (call.output === undefined) print(content);
    else writeFile(call.output, content);
    if (picture !== undefined && picture.omittedNodes > 0) log.note(`${picture.omittedNodes} nodes are folded`);
  } finally {
    await rasterizer.close();
  }
}

/** A picture of power is that of its failure, so that it shows what the other commands and the console say. */
async function draw(service: DcService, call: RenderCall, options: RenderOptions): Promise<RenderResult | undefined> {
  const { screen, kinds } = SCREENS[call.screen];
  const subjectRef = await resolveRef(service, call.ref, kinds);
  if (screen === "POWER") {
    const failing = { sourceRef: subjectRef, ...call.failure, render: options };
    const request = create(PowerBlastRadiusRequestSchema, failing);
    return ((await service.call(powerBlastRadius, request, CALLER)) as PowerBlastRadiusResponse).render;
  }
  const request = create(RenderRequestSchema, { subjectRef, screen: ScreenNumber[screen], render: options });
  return (await service.call(render, request, CALLER)) as RenderResult;
}

/** By `--format`, else by the file's name; SVG for standard output. */
function formatOf({ format, output }: RenderCall): keyof typeof FormatNumber {
  const named = format ?? (output === undefined ? "svg" : extname(output).slice(1).toLowerCase());
  const found = Object.hasOwn(FORMAT_OF, named) ? FORMAT_OF[named] : undefined;
  if (found !== undefined) return found;
  const expected = "expected svg, png, html or dot";
  throw usageError("dc render", `Cannot detect the format of "${output}": ${expected} as its ending, or --format`);
}
