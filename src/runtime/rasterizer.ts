import { URL } from "node:url";
import { Worker } from "node:worker_threads";
import type { RasterAnswer, RasterTask } from "./raster_worker.ts";
import { isInsideExecutable } from "./self_command.ts";

/** Idle time after which the thread ends, in milliseconds. Our choice: the thread uses some 60 MB. */
const IDLE_MS = 60_000;

interface PendingPicture {
  readonly resolve: (png: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Converts SVG to PNG in a worker thread, so that a large picture delays no other call. The thread starts with the
 * first picture and ends after a minute without requests; it does not keep the process alive.
 */
export class Rasterizer {
  #worker: Worker | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #pendingPictures = new Map<number, PendingPicture>();
  #lastId = 0;

  /** Renders SVG to PNG. Throws an Error if the SVG is invalid or the thread ends. */
  renderPng(svg: string, widthPx: number): Promise<Uint8Array<ArrayBuffer>> {
    clearTimeout(this.#idleTimer);
    const worker = this.#worker ?? this.#startWorker();
    this.#lastId += 1;
    const task: RasterTask = { id: this.#lastId, svg, widthPx };
    return new Promise((resolve, reject) => {
      this.#pendingPictures.set(task.id, { resolve, reject });
      worker.ref();
      worker.postMessage(task);
    });
  }

  /** Ends the thread; a picture in progress fails. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    this.#failPending(new Error("The renderer of PNG pictures was closed"));
  }

  #startWorker(): Worker {
    const worker = new Worker(getWorkerUrl());
    this.#worker = worker;
    worker.on("message", (answer: RasterAnswer) => this.#handleAnswer(answer));
    const lost = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#failPending(error);
    };
    worker.on("error", lost);
    worker.on("exit", (code) => lost(new Error(`The renderer of PNG pictures ended with status ${code}`)));
    return worker;
  }

  #handleAnswer(answer: RasterAnswer): void {
    const waiting = this.#pendingPictures.get(answer.id);
    this.#pendingPictures.delete(answer.id);
    if ("png" in answer) waiting?.resolve(answer.png);
    else waiting?.reject(new Error(answer.error));
    if (this.#pendingPictures.size > 0) return;
    this.#worker?.unref();
    this.#idleTimer = setTimeout(() => void this.close(), IDLE_MS);
    this.#idleTimer.unref();
  }

  #failPending(error: Error): void {
    const all = [...this.#pendingPictures.values()];
    this.#pendingPictures.clear();
    for (const { reject } of all) reject(error);
  }
}

/** URL of the worker's module: beside this file, or below the executable's root after a build. */
function getWorkerUrl(): URL {
  const source = new URL("./raster_worker.ts", import.meta.url);
  return isInsideExecutable(source) ? new URL("./runtime/raster_worker.js", import.meta.url) : source;
}
