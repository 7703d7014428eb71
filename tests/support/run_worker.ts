import { join } from "node:path";
import { LinesOfProcess } from "./lines_of_process.ts";

const SCRIPT = join(import.meta.dirname, "scripts", "use_runs.ts");

/** A process of its own that uses the run ports of a project; killed when it is disposed of. */
export class RunWorker {
  readonly #lines: LinesOfProcess;

  constructor(root: string) {
    this.#lines = new LinesOfProcess([process.execPath, SCRIPT, root], root);
  }

  get pid(): number {
    return this.#lines.child.pid ?? 0;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  do(operation: string, id: string, word = ""): Promise<any> {
    this.#lines.send(`${JSON.stringify([operation, id, word])}\n`);
    return this.#lines.next();
  }

  async kill(): Promise<void> {
    this.#lines.child.kill("SIGKILL");
    await this.#lines.ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
