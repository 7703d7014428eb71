import { askOnTerminal } from "./accept_commands.ts";
import type { OpenProject } from "./open_project.ts";
import { plainLine } from "./output/plain_text.ts";
import { print } from "./output/print.ts";

/** Asks on the terminal and notes the answer. Taking trust back asks nothing. @returns whether it was done */
export async function trustProject({ context, root }: OpenProject, on: boolean): Promise<boolean> {
  const question = `Every command of ${plainLine(root)}, whoever writes it, will run without a question. Trust this project? [y/N] `;
  if (on && !askOnTerminal(question)) {
    print("Nothing was changed\n");
    return false;
  }
  await context.accepted.trust(on);
  print(on ? "Trusted: every command of this project is accepted\n" : "Single commands have to be accepted again\n");
  return true;
}
