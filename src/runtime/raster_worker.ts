import { parentPort } from "node:worker_threads";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { rasterFiles } from "./raster_files.ts";

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
