import type { PlannerContext } from "#planner/context.ts";
import { findSpec } from "#planner/operations/shared/find_spec.ts";
import { readLostRules } from "#planner/operations/shared/held_rules.ts";
import { buildCheckLines } from "#planner/work/acceptance.ts";
import { openPlanner } from "./compose.ts";
import { askToAcceptCommands } from "./consent.ts";
import type { Cli } from "./declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "./exit_status.ts";
import type { OpenedProject } from "./open_project.ts";
import { sanitizeLine } from "./output/print.ts";
import { getInterruptionStatus, listenForSignals } from "./work/signals.ts";

/** Number of lines of a failed check's output that are printed. */
const TAIL_LINES = 20;

/**
 * Runs a command that may complete specs. It first asks about commands that no person has accepted, prints a line for
 * each finished check, and stops the checks on Ctrl-C.
 * @param ids full or partial ids of the specs whose checks may run
 */
export async function runProvingCommand(
  cli: Cli,
  ids: readonly string[],
  runCommand: (context: PlannerContext, signal: AbortSignal) => Promise<void>,
): Promise<ExitStatus> {
  const project = await cli.openProject();
  await askAboutSpecCommands(project, ids);
  const signals = listenForSignals(() => cli.note("Ending the checks"));
  const tell = createProgressPrinter(cli);
  const context: PlannerContext = {
    ...project.context,
    proveSpec: async (wanted) => {
      const { proveSpecInFolder } = await import("./work/run_deps.ts");
      return proveSpecInFolder(project.root, { ...wanted, signal: signals.soon }, { open: openPlanner, tell });
    },
  };
  try {
    await runCommand(context, signals.soon);
    return EXIT_STATUS.ok;
  } catch (error) {
    const by = signals.getFirstSignal();
    if (by === null) throw error;
    cli.warn("Interrupted: nothing was changed");
    return getInterruptionStatus(by);
  } finally {
    signals.close();
  }
}

async function askAboutSpecCommands(project: OpenedProject, ids: readonly string[]): Promise<void> {
  const lines = [...(await readLostRules(project.context))];
  for (const id of ids) {
    lines.push(...buildCheckLines((await findSpec(project.context, id, { archived: false })).body));
  }
  await askToAcceptCommands(project, lines);
}

/** Creates a function that prints one line per check, and the end of a failed check's output. */
export function createProgressPrinter(cli: Cli): (line: string) => void {
  let tail: string[] = [];
  return (line) => {
    const [, result, seconds, command] = /^planner: (?:verify|setup): (.+?) after ([\d.]+) s: (.*)$/s.exec(line) ?? [];
    if (line.startsWith("planner: ")) {
      if (command === undefined) tail = [];
      else if (result === "passed") cli.note(`passed in ${seconds} s: ${sanitizeLine(command)}`);
      else cli.warn([...tail.map(sanitizeLine), `${result} in ${seconds} s: ${sanitizeLine(command)}`].join("\n"));
      return;
    }
    tail = [...tail.slice(1 - TAIL_LINES), line];
  };
}
