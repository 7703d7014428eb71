import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parentPort } from "node:worker_threads";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

/** Request to the worker thread, and its reply. */
export interface RasterTask {
  readonly id: number;
  readonly svg: string;
  readonly widthPx: number;
}
export type RasterAnswer = { readonly id: number } & (
  | { readonly png: Uint8Array<ArrayBuffer> }
  | { readonly error: string }
);

const FAMILY = "DejaVu Sans";

const ready = rasterFiles().then(async ({ wasm, fonts }) => {
  await initWasm(wasm);
  return fonts;
});

parentPort?.on("message", async ({ id, svg, widthPx }: RasterTask) => {
  parentPort?.postMessage(await answer(id, async () => draw(svg, widthPx, await ready)));
});

async function answer(id: number, work: () => Promise<Uint8Array<ArrayBuffer>>): Promise<RasterAnswer> {
  try {
    return { id, png: await work() };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Memory of the renderer is not collected, so it is given back at once. */
function draw(svg: string, widthPx: number, fonts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const renderer = new Resvg(svg, {
    fitTo: { mode: "width", value: widthPx },
    font: { fontBuffers: [...fonts], defaultFontFamily: FAMILY, sansSerifFamily: FAMILY },
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

/** The renderer and its letters. */
interface RasterFiles {
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly fonts: readonly Uint8Array<ArrayBuffer>[];
}

/** Reads the files from the executable, or from the installed packages if the program runs from source. */
export async function rasterFiles(): Promise<RasterFiles> {
  const [wasm, ...fonts] = (await paths()).map((path) => new Uint8Array(readFileSync(path)));
  if (wasm === undefined) throw new Error("The renderer of PNG pictures is missing");
  return { wasm, fonts };
}

/** Only Bun supports imports of type "file", which embed the file in an executable; their value is the file's path. */
async function paths(): Promise<readonly string[]> {
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
