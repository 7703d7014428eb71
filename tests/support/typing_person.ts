import { expect } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLANNER, type RunResult, runCommand } from "./planner_command.ts";

/** A person with an empty project directory who has planner and an agent on the PATH. */
export interface Person {
  /** The project directory. */
  readonly project: string;
  /** Runs a line in a shell, with further variables. */
  type(line: string, env?: Readonly<Record<string, string>>): Promise<RunResult>;
  [Symbol.dispose](): void;
}

/** Does what a run of Claude Code ends with: the criterion is checked and the work committed. */
const AGENT = `#!/bin/sh
echo url > "$PLANNER_SPEC_ID.txt"; git add "$PLANNER_SPEC_ID.txt"
git commit -q -m "planner($PLANNER_SPEC_ID): validate"
sed -i 's/- \\[ \\]/- [x]/' "$PLANNER_SPEC_FILE"
echo '{"type":"result","subtype":"success","result":"Done.","total_cost_usd":0.01,"usage":{"input_tokens":5,"output_tokens":7}}'
`;

export function person(): Person {
  const folder = mkdtempSync(join(tmpdir(), "planner-docs-"));
  const project = join(folder, "project");
  mkdirSync(join(folder, "bin"));
  mkdirSync(project);
  const words = PLANNER.map((word) => `'${word}'`).join(" ");
  writeFileSync(join(folder, "bin/planner"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, "bin/claude"), AGENT, { mode: 0o755 });
  // The project's tests pass once the agent has done the work.
  writeFileSync(join(folder, "bin/npm"), "#!/bin/sh\nls *-001-*.txt >/dev/null 2>&1\n", { mode: 0o755 });
  const own = {
    HOME: folder,
    XDG_STATE_HOME: join(folder, "state"),
    PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: join(folder, ".gitconfig"),
  };
  return {
    project,
    type: (line, env = {}) => runCommand(["/bin/sh", "-c", line], { cwd: project, env: { ...own, ...env } }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Types the lines of blocks one after the other; each must succeed. Returns all that they print. */
export async function typeAll(
  by: Person,
  lines: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  let printed = "";
  for (const line of lines) {
    const { code, stdout, stderr } = await by.type(line, env);
    expect({ line, code, stderr: code === 0 ? "" : stderr }).toEqual({ line, code: 0, stderr: "" });
    printed += stdout;
  }
  return printed;
}
