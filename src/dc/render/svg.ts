import type { Theme } from "#dc/model/enum_values.ts";
import { escapeXml } from "#kernel/escape_xml.ts";
import { FAINT_OPACITY } from "./emphasis.ts";
import { findHatch, type Paint, resolveColor } from "./palette.ts";
import type { Circle, Group, Hatch, Item, Line, Path, Point, Rect, Scene, Stroke, Text } from "./scene.ts";
import { fitText } from "./text_width.ts";

export interface SvgOptions {
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
        return this.#writeCircle(item);
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

  #writeCircle(circle: Circle): string {
    return this.#writeShape(
      `<circle cx="${formatNumber(circle.cx)}" cy="${formatNumber(circle.cy)}" r="${formatNumber(circle.r)}"`,
      circle,
    );
  }

  /** Draws a shape in its fill, and again in its hatch if it has one. */
  #writeShape(
    start: string,
    { fill, hatch: own, opacity, ...stroke }: Omit<Rect, "kind" | "x" | "y" | "width" | "height">,
  ) {
    const hatch = own ?? findHatch(this.#theme, fill);
    const faint = opacity === undefined ? "" : ` opacity="${formatNumber(opacity)}"`;
    const plain = `${start}${this.#formatFill(fill)}${this.#formatStroke(stroke)}${faint}/>`;
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

  #formatFill(fill: Paint | undefined): string {
    return ` fill="${fill === undefined ? "none" : resolveColor(this.#theme, fill)}"`;
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
