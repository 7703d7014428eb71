import { create, type JsonObject } from "@bufbuild/protobuf";
import type { RenderFormat, Screen } from "#dc/model/enum_values.ts";
import { refuse } from "#dc/model/refusal.ts";
import {
  RenderFormat as FormatNumber,
  type RenderResult,
  RenderResultSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { computeSha256 } from "./digest.ts";
import type { Drawing, DrawScreen } from "./drawing.ts";
import { emphasizeElements } from "./emphasis.ts";
import { MAX_PNG_PIXELS, type PictureOptions } from "./read_options.ts";
import type { Scene } from "./scene.ts";
import { SCREEN_DRAWINGS, type ScreenReplies } from "./screens.ts";
import { formatSvg } from "./svg.ts";

/** Converts SVG to PNG of a width in pixels. */
export type Rasterize = (svg: string, widthPx: number) => Promise<Uint8Array>;

/** Loads the HTML page of the viewer; undefined if it is not available. */
export type LoadViewer = () => Promise<string | undefined>;

export interface RenderPorts {
  /** Converts SVG to PNG; absent if this process cannot make PNG files. */
  readonly rasterize: Rasterize | undefined;
  /** Loads the viewer's page for HTML files; absent if this process does not make them. */
  readonly loadViewer?: LoadViewer | undefined;
  /** Awaited between a picture's steps, so that a server can answer other calls. A rejection stops the rendering. */
  readonly checkpoint?: () => Promise<void>;
}

interface Artifact {
  readonly mediaType: string;
  readonly content: string | Uint8Array<ArrayBufferLike>;
  readonly widthPx: number;
  readonly heightPx: number;
}

export interface RenderInput {
  readonly options: PictureOptions;
  readonly ports: RenderPorts;
}

/** Draws one screen's reply in the requested format. @throws Refusal if a PNG would have too many pixels */
export async function renderScreen<Name extends keyof ScreenReplies>(
  screen: Name,
  reply: ScreenReplies[Name],
  input: RenderInput,
): Promise<RenderResult> {
  const draw: DrawScreen<ScreenReplies[Name]> = await SCREEN_DRAWINGS[screen].load();
  const drawing = draw(reply, input.options);
  await input.ports.checkpoint?.();
  return renderDrawing(screen, drawing, input);
}

/**
 * Writes a drawing in the requested format. Deterministic. With the format NONE it returns only the dataset.
 * @throws Refusal if a PNG would have too many pixels
 */
export async function renderDrawing(
  screen: Screen,
  drawing: Drawing,
  { options, ports }: RenderInput,
): Promise<RenderResult> {
  const { format, highlight, embedDataset } = options;
  const data = buildDataset(screen, drawing);
  const scene = { ...drawing.scene, items: emphasizeElements(drawing.scene.items, highlight) };
  const numbers = {
    format: FormatNumber[format],
    truncated: drawing.omittedNodes > 0,
    omittedNodes: drawing.omittedNodes,
  };
  if (format === "NONE") return create(RenderResultSchema, { ...numbers, data });
  await ports.checkpoint?.();
  const { mediaType, content, ...size } = await ARTIFACT_WRITERS[format]({ scene, drawing, data, options, ports });
  return create(RenderResultSchema, {
    ...numbers,
    ...size,
    mediaType,
    artifact:
      typeof content === "string"
        ? { case: "text", value: content }
        : { case: "binary", value: toArrayBufferBytes(content) },
    contentHash: computeSha256(content, "hex"),
    ...(embedDataset && { data }),
  });
}

interface WriterInput {
  readonly scene: Scene;
  readonly drawing: Drawing;
  readonly data: JsonObject;
  readonly options: PictureOptions;
  readonly ports: RenderPorts;
}

const ARTIFACT_WRITERS: Readonly<Record<Exclude<RenderFormat, "NONE">, (input: WriterInput) => Promise<Artifact>>> = {
  async SVG({ scene, options: { theme, widthPx } }) {
    const size = computeScaledSize(scene, widthPx);
    return { mediaType: "image/svg+xml", content: formatSvg(scene, { theme, widthPx: size.widthPx }), ...size };
  },
  async PNG({ scene, options: { theme, widthPx }, ports }) {
    if (ports.rasterize === undefined) {
      throw createFormatRefusal("PNG", "HTML");
    }
    const size = computePngSize(scene, widthPx);
    const svg = formatSvg(scene, { theme, widthPx: size.widthPx });
    return { mediaType: "image/png", content: await ports.rasterize(svg, size.widthPx), ...size };
  },
  async HTML({ scene, data, options: { theme, widthPx, embedDataset }, ports }) {
    const { formatHtmlPage } = await import("./html.ts");
    const page = await ports.loadViewer?.();
    if (page === undefined) {
      throw createFormatRefusal("HTML", "PNG");
    }
    const size = computeScaledSize(scene, widthPx);
    const svg = formatSvg(scene, { theme, widthPx: size.widthPx });
    const content = formatHtmlPage(scene, { svg, theme, page, data: embedDataset ? data : undefined });
    return { mediaType: "text/html", content, ...size };
  },
  async DOT({ drawing: { graph }, options: { theme, widthPx } }) {
    const { formatDotGraph } = await import("./dot.ts");
    return {
      mediaType: "text/vnd.graphviz",
      content: formatDotGraph(graph, { theme, widthPx }),
      widthPx: 0,
      heightPx: 0,
    };
  },
};

/** Creates the error for a format that this process does not make. @param other the format that it may make */
function createFormatRefusal(value: "PNG" | "HTML", other: "PNG" | "HTML") {
  const message = `This service makes no ${value} pictures: expected SVG, ${other} or DOT`;
  return refuse("FIELD_OUT_OF_RANGE", message, { field: "render.format", value, expected: `SVG, ${other}, DOT` });
}

function computeScaledSize({ width, height }: Scene, widthPx = Math.round(width)) {
  return { widthPx, heightPx: Math.round((widthPx * height) / width) };
}

/** Returns a PNG's width and height. A requested width is used or rejected; a default shrinks to the pixel limit. */
function computePngSize(scene: Scene, asked: number | undefined) {
  const size = computeScaledSize(scene, asked);
  const pixels = size.widthPx * size.heightPx;
  if (pixels <= MAX_PNG_PIXELS) return size;
  const fitting = Math.floor(Math.sqrt((MAX_PNG_PIXELS * scene.width) / scene.height));
  if (asked === undefined) return computeScaledSize(scene, fitting);
  const expected = `at most ${fitting} for this picture`;
  throw refuse(
    "FIELD_OUT_OF_RANGE",
    `Field "render.width_px" asks for ${size.widthPx} x ${size.heightPx} pixels, more than ${MAX_PNG_PIXELS}: expected ${expected}`,
    { field: "render.width_px", value: asked, expected },
  );
}

/** Returns the bytes in an ArrayBuffer, which messages require. Copies them if they are in a shared buffer. */
function toArrayBufferBytes(bytes: Uint8Array<ArrayBufferLike>): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}

/** Returns the picture's content as plain JSON: title, description and every element with its facts. */
export function buildDataset(screen: string, { scene, elements, omittedNodes }: Drawing): JsonObject {
  return {
    screen,
    title: scene.title.toWellFormed(),
    description: scene.description.toWellFormed(),
    omitted_nodes: omittedNodes,
    elements: elements.map(({ ref, kind, title, facts, related = [] }) => ({
      ref: ref.toWellFormed(),
      kind,
      title: title.toWellFormed(),
      facts: facts
        .filter(([, value]) => value !== "")
        .map(([label, value]) => ({ label: label.toWellFormed(), value: value.toWellFormed() })),
      related: related.map((one) => one.toWellFormed()),
    })),
  };
}
