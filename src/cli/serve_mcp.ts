import { AGENT_INSTRUCTIONS } from "#planner/work/guide.ts";
import { serveStdio } from "./serve_stdio.ts";

export interface ServeMcpOptions {
  /** The project's folder as given, or undefined to search from the working directory. */
  readonly root: string | undefined;
}

/** Parses the arguments of `planner mcp` if they are none or one `--root`; returns undefined for others. */
export function parseSimpleMcpArguments(words: readonly string[]): ServeMcpOptions | undefined {
  const [first, second] = words;
  if (first === undefined) return { root: undefined };
  if (words.length === 1 && /^--root=./.test(first)) return { root: first.slice("--root=".length) };
  const plain = words.length === 2 && first === "--root" && second !== undefined && /^[^-]/.test(second);
  return plain ? { root: second } : undefined;
}

/** Serves tools until the input ends, then ends the process. Source: docs/contract/spec-tool.md#versioning. */
export function serveMcp({ root }: ServeMcpOptions): Promise<never> {
  return serveStdio({
    info: { name: "planner", version: "0.1.0" },
    instructions: AGENT_INSTRUCTIONS,
    loadTools: async (log) => {
      const [{ createPlannerTools: plannerTools }, { openPlanner }, { statSync }] = await Promise.all([
        import("#interfaces/mcp/planner_tools.ts"),
        import("./compose.ts"),
        import("node:fs"),
      ]);
      if (root !== undefined && statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
        log(`Cannot find the project's folder "${root}" yet`);
      }
      return plannerTools(() => openPlanner({ cwd: process.cwd(), ...(root === undefined ? {} : { root }) }));
    },
  });
}
