import type { Cli } from "../command.ts";
import { plainLine } from "../output/plain_text.ts";
import { printText } from "../output/print_text.ts";
import { paint } from "../output/terminal.ts";
import type { SetupStep } from "./set_up.ts";

const SAID: Record<SetupStep["outcome"], string> = {
  created: "created",
  extended: "extended",
  present: "kept",
  other: "kept",
};

/** Prints one line a file, then what comes next. */
export function reportSetup(cli: Cli, root: string, steps: readonly SetupStep[]): void {
  for (const { file, outcome, note } of steps) {
    const said =
      outcome === "present" || outcome === "other" ? paint(SAID[outcome], "dim") : paint(SAID[outcome], "green");
    printText(`${said} ${plainLine(file)}${remark(outcome, note)}\n`);
  }
  for (const { file, outcome } of steps) {
    if (outcome === "other") {
      cli.warn(`"${file}" has another entry "planner", which is kept`);
    }
  }
  if (steps.every(({ outcome }) => outcome === "present")) cli.note(`Everything exists already in ${root}`);
  else cli.note('Next: planner add "<what is to be done>"');
}

function remark(outcome: SetupStep["outcome"], note: string | null): string {
  if (outcome === "present") return " (already there)";
  if (outcome === "other") return " (has another entry)";
  return note === null ? "" : ` (${note})`;
}
