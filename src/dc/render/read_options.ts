import type { FloorPlanResponse, GetRackResponse, RenderOptions } from "#gen/datacenter/v1/datacenter_pb.ts";
import {
  COLORINGS,
  type Coloring,
  RENDER_FORMATS,
  RENDER_VIEWS,
  type RenderFormat,
  type RenderView,
  type Screen,
  THEMES,
  type Theme,
} from "../model/enum_values.ts";
import { parseRef } from "../model/ref.ts";
import { refuse } from "../model/refusal.ts";
import type { CablePicture } from "./cable/items.ts";
import type { FabricPicture } from "./fabric/bundles.ts";
import type { PowerFailure } from "./power/failure.ts";
import type { DrawScreen } from "./scene.ts";
import type { ThermalPicture } from "./thermal/thermal.ts";

export interface PictureOptions {
  readonly format: RenderFormat;
  readonly theme: Theme;
  readonly coloring: Coloring;
  /** The screen selects a view if undefined. */
  readonly view: RenderView | undefined;
  readonly highlight: ReadonlySet<string>;
  /** Legend text for highlighted elements of a floor; "highlighted" if absent. */
  readonly highlightLabel?: string;
  readonly embedDataset: boolean;
  /** Width in pixels; the screen selects one if undefined. */
  readonly widthPx: number | undefined;
  readonly maxNodes: number;
}

/**
 * Checks the options of a picture for one screen, before anything is computed.
 * @throws Refusal naming the field, such as `render.width_px`
 */
export function readRenderOptions(screen: keyof ScreenReplies, options: RenderOptions | undefined): PictureOptions {
  const { views } = SCREEN_DRAWINGS[screen];
  return {
    format: readEnumOption("render.format", options?.format, RENDER_FORMATS) ?? "SVG",
    theme: readEnumOption("render.theme", options?.theme, THEMES) ?? "LIGHT",
    coloring: readColoring(screen, "render.coloring", options?.coloring),
    view: requireOfferedOption("render.view", readEnumOption("render.view", options?.view, RENDER_VIEWS), {
      known: views,
      screen,
    }),
    highlight: readHighlight(options?.highlight ?? []),
    embedDataset: options?.embedDataset === true,
    widthPx: readWidth(options?.widthPx ?? 0),
    maxNodes: readMaxNodes(options?.maxNodes ?? 0),
  };
}

/** Returns the requested colouring, or the screen's default. @throws Refusal naming the field */
export function readColoring(screen: keyof ScreenReplies, field: string, requested: number | undefined): Coloring {
  const known = SCREEN_DRAWINGS[screen].colorings;
  return requireOfferedOption(field, readEnumOption(field, requested, COLORINGS), { known, screen }) ?? known[0];
}

/** Returns the enum value of a number; undefined for 0 and undefined. @throws Refusal for an unknown number */
function readEnumOption<Word extends string>(
  field: string,
  value: number | undefined,
  words: readonly Word[],
): Word | undefined {
  if (value === undefined || value === 0) return undefined;
  const found = words[value - 1];
  if (found !== undefined) return found;
  throw createRangeRefusal(field, value, words.join(", "));
}

/** Returns the requested value; undefined if nothing is requested. @throws Refusal if the screen does not offer it */
function requireOfferedOption<Word extends string>(
  field: string,
  asked: Word | undefined,
  { known, screen }: { readonly known: readonly Word[]; readonly screen: string },
): Word | undefined {
  if (asked === undefined || known.includes(asked)) return asked;
  throw refuse("FIELD_OUT_OF_RANGE", `Screen ${screen} has no ${field} ${asked}`, {
    field,
    value: asked,
    expected: known.join(", "),
  });
}

function readHighlight(refs: readonly string[]): ReadonlySet<string> {
  if (refs.length > MAX_HIGHLIGHTS) {
    throw createRangeRefusal("render.highlight", `${refs.length} references`, `at most ${MAX_HIGHLIGHTS} references`);
  }
  for (const [index, ref] of refs.entries()) {
    if (parseRef(ref) !== undefined) continue;
    const field = `render.highlight[${index}]`;
    throw refuse("INVALID_REF", `Cannot read ${field} "${ref}"`, {
      field,
      value: ref,
      expected: "a reference such as device:<code>",
    });
  }
  return new Set(refs);
}

function readWidth(asked: number): number | undefined {
  if (asked === 0) return undefined;
  if (asked >= MIN_WIDTH_PX && asked <= MAX_WIDTH_PX) return asked;
  throw createRangeRefusal("render.width_px", asked, `${MIN_WIDTH_PX} to ${MAX_WIDTH_PX}, or 0`);
}

function readMaxNodes(asked: number): number {
  if (asked === 0) return DEFAULT_MAX_NODES;
  if (asked > 0 && asked <= MAX_NODES_LIMIT) return asked;
  throw createRangeRefusal("render.max_nodes", asked, `1 to ${MAX_NODES_LIMIT}, or 0`);
}

function createRangeRefusal(field: string, value: string | number, expected: string) {
  return refuse("FIELD_OUT_OF_RANGE", `Field "${field}" is out of range: ${value}`, {
    field,
    value,
    expected,
  });
}

/** Minimum and maximum width of a picture, in pixels. Source: docs/rpcs.md#render. */
const MIN_WIDTH_PX = 64;
const MAX_WIDTH_PX = 8192;

/** Default and maximum number of nodes drawn before groups are collapsed; no screen can show more. */
const DEFAULT_MAX_NODES = 500;
const MAX_NODES_LIMIT = 10_000;

/** Maximum number of highlighted references. Chosen by us: more would not stand out. */
const MAX_HIGHLIGHTS = 1000;

/**
 * Maximum number of pixels of a PNG. Chosen by us: rasterizing takes several times four bytes per pixel, so 16,000 by
 * 16,000 pixels would take 2 GiB.
 */
export const MAX_PNG_PIXELS = 16_000_000;

/** Input of each screen's drawing: its reply, or the complete analysis if the reply limits its number of items. */
export interface ScreenReplies {
  readonly ELEVATION: GetRackResponse;
  readonly CABLE_PATH: CablePicture;
  readonly POWER: PowerFailure;
  readonly THERMAL: ThermalPicture;
  readonly FABRIC: FabricPicture;
  readonly FLOOR: FloorPlanResponse;
}

interface ScreenDrawing<Reply> {
  /** Supported colourings; the first one is the default. */
  readonly colorings: readonly [Coloring, ...Coloring[]];
  /** Views that a request may select; the drawing selects one if the request does not. */
  readonly views: readonly RenderView[];
  /** Loads the drawing's module on first use, so that a service that draws nothing does not load it. */
  readonly load: () => Promise<DrawScreen<Reply>>;
}

export const SCREEN_DRAWINGS: { readonly [Name in Screen]: ScreenDrawing<ScreenReplies[Name]> } = {
  ELEVATION: {
    colorings: ["ROLE", "STATUS", "HEALTH", "POWER", "NONE"],
    views: ["BOTH", "FRONT", "REAR", "COMPACT", "FULL"],
    load: async () => (await import("./elevation/elevation.ts")).drawElevation,
  },
  CABLE_PATH: {
    colorings: ["ROLE", "STATUS", "NONE"],
    views: ["FULL", "COMPACT"],
    load: async () => (await import("./cable/draw.ts")).drawCablePath,
  },
  POWER: {
    colorings: ["POWER", "STATUS", "ROLE", "UTILIZATION", "NONE"],
    views: ["FULL", "COMPACT"],
    load: async () => (await import("./power/draw.ts")).drawPower,
  },
  THERMAL: {
    colorings: ["THERMAL", "HEALTH", "UTILIZATION", "NONE"],
    views: ["FULL", "COMPACT"],
    load: async () => (await import("./thermal/thermal.ts")).drawThermal,
  },
  FABRIC: {
    colorings: ["UTILIZATION", "HEALTH", "STATUS", "ROLE", "NONE"],
    views: ["FULL", "COMPACT"],
    load: async () => (await import("./fabric/draw.ts")).drawFabric,
  },
  FLOOR: {
    colorings: ["HEALTH", "RISK", "POWER", "THERMAL", "UTILIZATION", "NONE"],
    views: ["FULL"],
    load: async () => (await import("./floor/floor_plan.ts")).drawFloorPlan,
  },
};
