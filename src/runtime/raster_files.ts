import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** The renderer and its letters. */
export interface RasterFiles {
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
