import { spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

/** A copy of the project in which one file at a time is changed; the checkout itself is never touched. */
export class Workspace {
  readonly folder = mkdtempSync(join(tmpdir(), "planner-mutants-"));

  constructor() {
    // PostgreSQL, which the tests start, may run as another user than root.
    chmodSync(this.folder, 0o755);
    const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
      cwd: ROOT,
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    for (const path of stdout.split("\0").filter((one) => one !== "")) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      cpSync(join(ROOT, path), join(this.folder, path));
    }
    for (const name of ["node_modules", "dist"]) symlinkSync(join(ROOT, name), join(this.folder, name));
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  /** Runs tests while a file holds another text. True when they pass within `limitMs`. */
  async passes(tests: readonly string[], limitMs: number, change?: { path: string; text: string }): Promise<boolean> {
    const before = change && this.read(change.path);
    if (change !== undefined) writeFileSync(join(this.folder, change.path), change.text);
    try {
      for (const test of tests) if (!(await this.run(test, limitMs))) return false;
      return true;
    } finally {
      if (change !== undefined && before !== undefined) writeFileSync(join(this.folder, change.path), before);
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private run(test: string, limitMs: number): Promise<boolean> {
    const path = `${join(ROOT, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}`;
    // A group of its own, so that a test that hangs ends with all that it started.
    const child = spawn("bun", ["test", "--bail", `--timeout=${limitMs}`, test], {
      cwd: this.folder,
      // Tests of commands run the changed source, not the binary that was built from another one.
      env: { ...process.env, PATH: path, PLANNER_COMMAND: "bun src/main.ts" },
      stdio: "ignore",
      detached: true,
    });
    return new Promise((resolve) => {
      const timer = setTimeout(() => child.pid && process.kill(-child.pid, "SIGKILL"), limitMs);
      child.once("exit", (code) => {
        clearTimeout(timer);
        resolve(code === 0);
      });
    });
  }
}
