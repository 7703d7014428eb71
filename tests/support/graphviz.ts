import { spawnSync } from "node:child_process";
import { fromDebian } from "./debian.ts";

const PROGRAM = "/usr/bin/dot";

export const HAS_GRAPHVIZ = fromDebian(PROGRAM, "graphviz");

/** Lays a DOT text out. @returns the status, warnings and errors, and the SVG */
export function layOut(text: string): {
  readonly status: number | null;
  readonly complaints: string;
  readonly svg: string;
} {
  const { status, stdout, stderr } = spawnSync(PROGRAM, ["-Tsvg"], { input: text, encoding: "utf8", timeout: 60_000 });
  return { status, complaints: stderr, svg: stdout };
}
