import { initWasm } from "@resvg/resvg-wasm";
import { readRasterFiles } from "#runtime/raster_worker.ts";

/** Loads the rasterizer once for all test files of a process, and returns the files that it needs. */
export async function loadRasterizer(): Promise<Awaited<ReturnType<typeof readRasterFiles>>> {
  const files = await readRasterFiles();
  await initWasm(files.wasm).catch((error: unknown) => {
    if (!String(error).includes("Already initialized")) throw error;
  });
  return files;
}
