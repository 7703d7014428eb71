import { extname } from "node:path";
import { create } from "@bufbuild/protobuf";
import { openService } from "#dc/open_service.ts";
import { render } from "#dc/operations/render.ts";
import {
  Coloring as ColoringNumber,
  RenderFormat as FormatNumber,
  RenderRequestSchema,
  Screen as ScreenNumber,
  Theme as ThemeNumber,
  RenderView as ViewNumber,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { loadPage } from "#runtime/pages.ts";
import { Rasterizer } from "#runtime/rasterizer.ts";
import type { Args } from "../command.ts";
import { print } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { writeFile } from "../output/write_file.ts";
import { usageError } from "../usage_error.ts";
import type { Database } from "./database.ts";
import { enumName } from "./enum_word.ts";
import type { RENDER_FLAGS } from "./render_flags.ts";

/** How people call the screens. */
const SCREENS = {
  rack: "ELEVATION",
  cable: "CABLE_PATH",
  power: "POWER",
  thermal: "THERMAL",
  fabric: "FABRIC",
  floor: "FLOOR",
} as const;

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
}

/** Draws a picture straight from a database, without a server. A file appears whole or not at all. */
export async function renderPicture(database: Database, call: RenderCall, log: StderrLogger): Promise<void> {
  const request = create(RenderRequestSchema, {
    subjectRef: call.ref,
    screen: ScreenNumber[SCREENS[call.screen]],
    render: {
      format: FormatNumber[formatOf(call)],
      theme: call.theme === undefined ? ThemeNumber.UNSPECIFIED : ThemeNumber[enumName(call.theme)],
      coloring: call.coloring === undefined ? ColoringNumber.UNSPECIFIED : ColoringNumber[enumName(call.coloring)],
      view: call.view === undefined ? ViewNumber.UNSPECIFIED : ViewNumber[enumName(call.view)],
      widthPx: call.width ?? 0,
      embedDataset: true,
      highlight: [...(call.highlight ?? [])],
    },
  });
  if (!database.exists()) throw new OperationError("not_found", `There is no database "${database.shown}"`);
  const store = await database.open();
  const rasterizer = new Rasterizer();
  try {
    const service = await openService(store, {
      clock: { now: () => new Date() },
      authRequired: false,
      rasterize: (svg, widthPx) => rasterizer.png(svg, widthPx),
      loadViewer: () => loadPage("picture_file"),
    });
    const reply = await service.call(render, request, { interface: "SYSTEM" });
    const { artifact, omittedNodes } = reply as Awaited<ReturnType<typeof render.run>>;
    const content = artifact.value ?? "";
    if (call.output === undefined) print(content);
    else writeFile(call.output, content);
    if (omittedNodes > 0) log.note(`${omittedNodes} nodes are folded`);
  } finally {
    await rasterizer.close();
    await store.close();
  }
}

/** By `--format`, else by the file's name; SVG for standard output. */
function formatOf({ format, output }: RenderCall): keyof typeof FormatNumber {
  const named = format ?? (output === undefined ? "svg" : extname(output).slice(1).toLowerCase());
  const found = Object.hasOwn(FORMAT_OF, named) ? FORMAT_OF[named] : undefined;
  if (found !== undefined) return found;
  const expected = "expected svg, png, html or dot";
  throw usageError("dc render", `Cannot detect the format of "${output}": ${expected} as its ending, or --format`);
}
