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
import type { ArgValues } from "../args.ts";
import { print } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { writeFile } from "../output/write_file.ts";
import { formatHelpHint, UsageError } from "../usage_error.ts";
import { convertToEnumName, type RENDER_FLAGS } from "./asked_flags.ts";
import type { DatabaseLocation } from "./database.ts";
import { resolveRef, SCOPE_KINDS } from "./resolve_ref.ts";
import { SYSTEM_CALLER, withService } from "./with_service.ts";

/** Screens by their name on the command line, with the kinds of resources that a bare code may refer to. */
const SCREENS = {
  rack: { screen: "ELEVATION", kinds: ["RACK", "DEVICE"] },
  cable: { screen: "CABLE_PATH", kinds: ["PORT"] },
  power: { screen: "POWER", kinds: ["SUPPLY", "DEVICE", "PORT", ...SCOPE_KINDS] },
  thermal: { screen: "THERMAL", kinds: [...SCOPE_KINDS, "CRAC"] },
  fabric: { screen: "FABRIC", kinds: ["FABRIC", ...SCOPE_KINDS] },
  floor: { screen: "FLOOR", kinds: ["FLOOR", "ROOM", "ROW", "RACK", "DEVICE", "CRAC"] },
} as const;

const FORMATS_BY_EXTENSION: Readonly<Record<string, keyof typeof FormatNumber>> = {
  svg: "SVG",
  png: "PNG",
  html: "HTML",
  htm: "HTML",
  dot: "DOT",
  gv: "DOT",
};

/** Options of `planner dc render`. */
export interface RenderPictureOptions extends Partial<ArgValues<typeof RENDER_FLAGS>> {
  readonly screen: keyof typeof SCREENS;
  readonly ref: string;
  /** Path of the file; undefined for standard output. */
  readonly output: string | undefined;
  /** References of resources to highlight. */
  readonly highlight?: readonly string[];
  /** Failure that a picture of power shows. */
  readonly failure: FailureOptions;
}

/** Sources that fail besides the subject of a power picture, and options for the loss that they cause. */
export type FailureOptions = Pick<PowerBlastRadiusRequest, "cascade"> &
  Partial<Pick<PowerBlastRadiusRequest, "additionalSourceRefs" | "assumeBattery" | "loadBasis">>;

/** Draws a picture from a database and writes it completely or not at all. */
export async function renderPicture(
  database: DatabaseLocation,
  call: RenderPictureOptions,
  log: StderrLogger,
): Promise<void> {
  const options = create(RenderOptionsSchema, {
    format: FormatNumber[chooseFormat(call)],
    theme: call.theme === undefined ? ThemeNumber.UNSPECIFIED : ThemeNumber[convertToEnumName(call.theme)],
    coloring:
      call.coloring === undefined ? ColoringNumber.UNSPECIFIED : ColoringNumber[convertToEnumName(call.coloring)],
    view: call.view === undefined ? ViewNumber.UNSPECIFIED : ViewNumber[convertToEnumName(call.view)],
    widthPx: call.width ?? 0,
    embedDataset: true,
    highlight: [...(call.highlight ?? [])],
  });
  const rasterizer = new Rasterizer();
  const ports = {
    rasterize: (svg: string, widthPx: number) => rasterizer.renderPng(svg, widthPx),
    loadViewer: () => loadPage("picture_file"),
  };
  try {
    const picture = await withService(database, (service) => drawPicture(service, call, options), ports);
    const content = picture?.artifact.value ?? "";
    if (call.output === undefined) print(content);
    else writeFile(call.output, content);
    if (picture !== undefined && picture.omittedNodes > 0) log.note(`${picture.omittedNodes} nodes are folded`);
  } finally {
    await rasterizer.close();
  }
}

/** Draws the picture. A picture of power shows the failure, so that it agrees with other commands and the console. */
async function drawPicture(
  service: DcService,
  call: RenderPictureOptions,
  options: RenderOptions,
): Promise<RenderResult | undefined> {
  const { screen, kinds } = SCREENS[call.screen];
  const subjectRef = await resolveRef(service, call.ref, kinds);
  if (screen === "POWER") {
    const failing = { sourceRef: subjectRef, ...call.failure, render: options };
    const request = create(PowerBlastRadiusRequestSchema, failing);
    return ((await service.call(powerBlastRadius, request, SYSTEM_CALLER)) as PowerBlastRadiusResponse).render;
  }
  const request = create(RenderRequestSchema, { subjectRef, screen: ScreenNumber[screen], render: options });
  return (await service.call(render, request, SYSTEM_CALLER)) as RenderResult;
}

/** Returns the format of `--format`, otherwise the format of the file's extension; SVG for standard output. */
function chooseFormat({ format, output }: RenderPictureOptions): keyof typeof FormatNumber {
  const named = format ?? (output === undefined ? "svg" : extname(output).slice(1).toLowerCase());
  const found = Object.hasOwn(FORMATS_BY_EXTENSION, named) ? FORMATS_BY_EXTENSION[named] : undefined;
  if (found !== undefined) return found;
  const expected = "expected svg, png, html or dot";
  throw new UsageError(
    `Cannot detect the format of "${output}": ${expected} as its ending, or --format`,
    formatHelpHint("dc render"),
  );
}
