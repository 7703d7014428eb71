import { hash } from "node:crypto";
import { create, type JsonObject } from "@bufbuild/protobuf";
import {
  RenderFormat as FormatNumber,
  type RenderResult,
  RenderResultSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { escapeXml } from "#kernel/escape.ts";
import type { RenderFormat, Screen, Theme } from "../model/enum_values.ts";
import { refuse } from "../model/refusal.ts";
import { findHatch, type Paint, resolveColor } from "./palette.ts";
import { MAX_PNG_PIXELS, type PictureOptions, SCREEN_DRAWINGS, type ScreenReplies } from "./read_options.ts";
import {
  computeItemsBounds,
  createRect,
  type Drawing,
  type DrawScreen,
  type Group,
  type Hatch,
  type Item,
  type Line,
  type Path,
  type Point,
  type Rect,
  type Scene,
  type Stroke,
  type Text,
} from "./scene.ts";
import { fitText } from "./text_width.ts";

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

interface RenderInput {
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
    contentHash: hash("sha256", content, "hex"),
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

interface SvgOptions {
  readonly theme: Theme;
  /** Displayed width in pixels; the scene's width if absent. The height is scaled accordingly. */
  readonly widthPx?: number | undefined;
}

/** Fonts of texts. DejaVu is first, because texts are measured in it. The other fonts are as wide or narrower. */
const FONTS = "'DejaVu Sans', Verdana, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

/**
 * Formats a scene as one SVG document: valid XML for any text, scaled by its viewBox, without styles, scripts or
 * external references. Deterministic. Cost: O(items).
 */
export function formatSvg(scene: Scene, { theme, widthPx = scene.width }: SvgOptions): string {
  const writer = new SvgWriter(theme);
  const body = scene.items.map((item) => writer.writeItem(item)).join("");
  const height = Math.round((widthPx * scene.height) / scene.width);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${formatNumber(scene.width)} ${formatNumber(scene.height)}"` +
    ` width="${formatNumber(widthPx)}" height="${height}" role="img" font-family="${FONTS}">` +
    `<title>${escapeXml(scene.title)}</title><desc>${escapeXml(scene.description)}</desc>` +
    writer.writePatterns() +
    `<rect width="100%" height="100%" fill="${resolveColor(theme, "surface")}"/>${body}</svg>\n`
  );
}

class SvgWriter {
  readonly #theme: Theme;
  readonly #patterns = new Map<string, string>();

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  writePatterns(): string {
    return this.#patterns.size === 0 ? "" : `<defs>${[...this.#patterns.values()].join("")}</defs>`;
  }

  writeItem(item: Item): string {
    switch (item.kind) {
      case "rect":
        return this.#writeRect(item);
      case "circle":
        return this.#writeShape(
          `<circle cx="${formatNumber(item.cx)}" cy="${formatNumber(item.cy)}" r="${formatNumber(item.r)}"`,
          item,
        );
      case "line":
        return this.#writeLine(item);
      case "path":
        return this.#writePath(item);
      case "text":
        return this.#writeText(item);
      default:
        return this.#writeGroup(item);
    }
  }

  #writeRect(rect: Rect): string {
    const { x, y, width, height, radius } = rect;
    const place =
      `<rect x="${formatNumber(x)}" y="${formatNumber(y)}" width="${formatNumber(Math.max(0, width))}" height="${formatNumber(Math.max(0, height))}"` +
      (radius === undefined ? "" : ` rx="${formatNumber(radius)}"`);
    return this.#writeShape(place, rect);
  }

  /** Draws a shape in its fill, and again in its hatch if it has one. */
  #writeShape(
    start: string,
    { fill, hatch: own, opacity, ...stroke }: Omit<Rect, "kind" | "x" | "y" | "width" | "height">,
  ) {
    const hatch = own ?? findHatch(this.#theme, fill);
    const faint = opacity === undefined ? "" : ` opacity="${formatNumber(opacity)}"`;
    const paint = ` fill="${fill === undefined ? "none" : resolveColor(this.#theme, fill)}"`;
    const plain = `${start}${paint}${this.#formatStroke(stroke)}${faint}/>`;
    if (hatch === undefined) return plain;
    return `${plain}${start} fill="url(#${this.#addPattern(hatch.pattern, hatch.paint)})"${faint}/>`;
  }

  #writeLine(line: Line): string {
    const { x1, y1, x2, y2 } = line;
    return `<line x1="${formatNumber(x1)}" y1="${formatNumber(y1)}" x2="${formatNumber(x2)}" y2="${formatNumber(y2)}"${this.#formatStroke(line)}/>`;
  }

  #writePath(path: Path): string {
    const { points, curve, closed, arrow } = path;
    const [first, ...rest] = points;
    if (first === undefined) return "";
    const steps =
      curve === "cubic"
        ? `C${rest.map(formatPoint).join(" ")}`
        : rest.map((point) => `L${formatPoint(point)}`).join("");
    const drawn = this.#writeShape(`<path d="M${formatPoint(first)}${steps}${closed === true ? "Z" : ""}"`, path);
    return arrow === true ? drawn + this.#writeArrow(path) : drawn;
  }

  #writeArrow({ points, stroke = "ink", strokeWidth = 1 }: Path): string {
    const tip = points.at(-1);
    const before = points.findLast((point) => tip !== undefined && (point[0] !== tip[0] || point[1] !== tip[1]));
    if (tip === undefined || before === undefined) return "";
    const size = 4 + 1.5 * strokeWidth;
    const along = Math.atan2(tip[1] - before[1], tip[0] - before[0]);
    const wing = (turn: number): Point => [
      tip[0] - size * Math.cos(along + turn),
      tip[1] - size * Math.sin(along + turn),
    ];
    return `<path d="M${formatPoint(tip)}L${formatPoint(wing(0.4))}L${formatPoint(wing(-0.4))}Z" fill="${resolveColor(this.#theme, stroke)}"/>`;
  }

  #writeText({ x, y, text, size, fill, anchor, weight, maxWidth, rotate }: Text): string {
    const shown = maxWidth === undefined ? text : fitText(text, maxWidth, { size, weight });
    if (shown === "") return "";
    return (
      `<text x="${formatNumber(x)}" y="${formatNumber(y)}" font-size="${formatNumber(size)}" fill="${resolveColor(this.#theme, fill)}"` +
      (anchor === undefined || anchor === "start" ? "" : ` text-anchor="${anchor}"`) +
      (weight === undefined ? "" : ` font-weight="${weight}"`) +
      (rotate === undefined
        ? ""
        : ` transform="rotate(${formatNumber(rotate)} ${formatNumber(x)} ${formatNumber(y)})"`) +
      `>${escapeXml(shown)}</text>`
    );
  }

  #writeGroup({ ref, part, height, tip, at, emphasis, items }: Group): string {
    const inner = items.map((item) => this.writeItem(item)).join("");
    return (
      "<g" +
      (ref === undefined ? "" : ` data-ref="${escapeXml(ref)}"`) +
      (part === undefined ? "" : ` data-part="${part}"`) +
      (height === undefined ? "" : ` data-height="${formatNumber(height)}"`) +
      (at === undefined ? "" : ` transform="translate(${formatNumber(at[0])} ${formatNumber(at[1])})"`) +
      (emphasis === "faint" ? ` opacity="${FAINT_OPACITY}"` : "") +
      `>${tip === undefined ? "" : `<title>${escapeXml(tip)}</title>`}${inner}</g>`
    );
  }

  #formatStroke({ stroke, strokeWidth = 1, dash }: Stroke): string {
    if (stroke === undefined) return "";
    const dashes = { dashed: "6 4", dotted: "1.5 3" };
    return (
      ` stroke="${resolveColor(this.#theme, stroke)}"` +
      (strokeWidth === 1 ? "" : ` stroke-width="${formatNumber(strokeWidth)}"`) +
      (dash === undefined ? "" : ` stroke-dasharray="${dashes[dash]}"`)
    );
  }

  /** Adds a pattern and returns its id. The id depends only on the content, so that pictures of a page may share it. */
  #addPattern(hatch: Hatch, paint: Paint): string {
    const color = resolveColor(this.#theme, paint);
    const id = `hatch-${hatch}-${color.slice(1)}`;
    const line = `stroke="${color}" stroke-width="1.4"`;
    const strokes = {
      diagonal: `<path d="M-2 2L2 -2M0 8L8 0M6 10L10 6" ${line}/>`,
      cross: `<path d="M0 0L8 8M0 8L8 0" ${line}/>`,
      dots: `<circle cx="3" cy="3" r="1" fill="${color}"/>`,
    };
    const side = hatch === "dots" ? 6 : 8;
    this.#patterns.set(
      id,
      `<pattern id="${id}" width="${side}" height="${side}" patternUnits="userSpaceOnUse">${strokes[hatch]}</pattern>`,
    );
    return id;
  }
}

function formatPoint([x, y]: Point): string {
  return `${formatNumber(x)} ${formatNumber(y)}`;
}

/** Formats a number with at most two decimals, which is finer than any screen. */
function formatNumber(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Opacity of de-emphasized elements; their text keeps a contrast of 3 to 1. */
export const FAINT_OPACITY = 0.72;

/** Pixels between a highlighted element and its frame. */
const FRAME_GAP = 2;

/**
 * Highlights the elements of `refs` and fades other elements. References are compared without regard to case.
 * Items without a reference, such as titles and legends, are not changed.
 */
function emphasizeElements(items: readonly Item[], refs: ReadonlySet<string>): readonly Item[] {
  if (refs.size === 0) return items;
  const keys = new Set([...refs].map((ref) => ref.toLowerCase()));
  return items.map((item) => emphasizeItem(item, keys));
}

function emphasizeItem(item: Item, keys: ReadonlySet<string>): Item {
  if (item.kind !== "group") return item;
  if (item.ref !== undefined && keys.has(item.ref.toLowerCase())) return highlightGroup(item);
  const items = item.items.map((inner) => emphasizeItem(inner, keys));
  if (item.ref === undefined || item.items.some((inner) => containsElement(inner, keys))) return { ...item, items };
  return { ...item, emphasis: "faint" };
}

function containsElement(item: Item, keys: ReadonlySet<string>): boolean {
  if (item.kind !== "group") return false;
  return (
    (item.ref !== undefined && keys.has(item.ref.toLowerCase())) ||
    item.items.some((inner) => containsElement(inner, keys))
  );
}

/** Widens a group of lines, such as a cable. Draws a frame around any other group. */
function highlightGroup(group: Group): Group {
  const bare = group.items.every(({ kind }) => kind === "line" || kind === "path");
  if (bare) return { ...group, emphasis: "strong", items: group.items.map(widenLine) };
  const box = computeItemsBounds(group.items);
  if (box === undefined) return group;
  const frame = createRect(
    [box.west - FRAME_GAP, box.north - FRAME_GAP],
    [box.east - box.west + 2 * FRAME_GAP, box.south - box.north + 2 * FRAME_GAP],
    { radius: 3 },
  );
  // A casing in the background colour on both sides makes the frame visible beside any colour.
  const casing: Item = { ...frame, stroke: "panel", strokeWidth: 6 };
  const line: Item = { ...frame, stroke: "accent", strokeWidth: 3 };
  return { ...group, emphasis: "strong", items: [...group.items, casing, line] };
}

function widenLine(item: Item): Item {
  if (item.kind !== "line" && item.kind !== "path") return item;
  return { ...item, stroke: "accent", strokeWidth: (item.strokeWidth ?? 1) + 2 };
}
