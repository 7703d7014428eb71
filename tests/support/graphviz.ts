import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const PLACE = "/usr/bin/dot";

/** Finds Graphviz, which is installed from Debian where it is missing and may be; else says why there is none. */
export function openGraphviz(): { readonly dot: (text: string) => Laid } | { readonly missing: string } {
  const root = process.getuid?.() === 0;
  if (!existsSync(PLACE) && root && !install()) {
    spawnSync("apt-get", ["update"], { timeout: 120_000 });
    install();
  }
  return existsSync(PLACE) ? { dot: lay } : { missing: "Graphviz is not here and apt-get cannot install it" };
}

/** What Graphviz made of a text. */
export interface Laid {
  readonly status: number | null;
  /** Warnings and errors. */
  readonly complaints: string;
  readonly svg: string;
}

function install(): boolean {
  return spawnSync("apt-get", ["install", "-y", "graphviz"], { timeout: 300_000 }).status === 0;
}

function lay(text: string): Laid {
  const { status, stdout, stderr } = spawnSync(PLACE, ["-Tsvg"], { input: text, encoding: "utf8", timeout: 60_000 });
  return { status, complaints: stderr, svg: stdout };
}
