import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parentPort } from "node:worker_threads";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

/** Request to the worker thread. */
export interface RasterTask {
  readonly id: number;
  readonly svg: string;
  readonly widthPx: number;
}
export type RasterAnswer = { readonly id: number } & (
  | { readonly png: Uint8Array<ArrayBuffer> }
  | { readonly error: string }
);

const FONT_FAMILY = "DejaVu Sans";

const loadedFonts = readRasterFiles().then(async ({ wasm, fonts }) => {
  await initWasm(wasm);
  return fonts;
});

parentPort?.on("message", async ({ id, svg, widthPx }: RasterTask) => {
  parentPort?.postMessage(await answerTask(id, async () => renderPng(svg, widthPx, await loadedFonts)));
});

async function answerTask(id: number, work: () => Promise<Uint8Array<ArrayBuffer>>): Promise<RasterAnswer> {
  try {
    return { id, png: await work() };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Renders SVG to PNG. Frees the renderer explicitly, because its WebAssembly memory is not garbage-collected. */
function renderPng(svg: string, widthPx: number, fonts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const renderer = new Resvg(svg, {
    fitTo: { mode: "width", value: widthPx },
    font: { fontBuffers: [...fonts], defaultFontFamily: FONT_FAMILY, sansSerifFamily: FONT_FAMILY },
  });
  try {
    const image = renderer.render();
    try {
      return new Uint8Array(image.asPng());
    } finally {
      image.free();
    }
  } finally {
    renderer.free();
  }
}

/** Contents of the renderer's WebAssembly file and of the fonts. */
interface RasterFiles {
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly fonts: readonly Uint8Array<ArrayBuffer>[];
}

/** Reads renderer and fonts from the executable; from the installed packages if the program runs from source. */
export async function readRasterFiles(): Promise<RasterFiles> {
  const [wasm, ...fonts] = (await findRasterFiles()).map((path) => new Uint8Array(readFileSync(path)));
  if (wasm === undefined) throw new Error("The renderer of PNG pictures is missing");
  return { wasm, fonts };
}

/**
 * Returns the paths of the renderer and the fonts. Only Bun supports imports of type "file", which embed the file in an
 * executable; their value is the file's path.
 */
async function findRasterFiles(): Promise<readonly string[]> {
  if (typeof Bun === "undefined") {
    const { resolve } = createRequire(import.meta.url);
    return [
      resolve("@resvg/resvg-wasm/index_bg.wasm"),
      resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"),
      resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf"),
    ];
  }
  return (await import("./embedded_raster_files.js")).paths;
}
