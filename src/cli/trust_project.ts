import { confirmOnTerminal, isInRun } from "./accept_commands.ts";
import type { OpenedProject } from "./open_project.ts";
import { sanitizeLine } from "./output/plain_text.ts";
import { print } from "./output/print.ts";
import { isInteractive } from "./output/terminal.ts";

/** Trusts the project after a question on the terminal, or ends its trust. Returns whether the trust was changed. */
export async function trustProject({ context, root }: OpenedProject, on: boolean): Promise<boolean> {
  const question = `Every command of ${sanitizeLine(root)}, whoever writes it, will run without a question. Trust this project? [y/N] `;
  if (on && !confirmOnTerminal(question)) {
    print("Nothing was changed\n");
    return false;
  }
  await (await context.openAcceptance()).setTrusted(on);
  print(on ? "Trusted: every command of this project is accepted\n" : "Single commands have to be accepted again\n");
  return true;
}

/** Offers trust on a terminal if the settings allow an agent to run any command without asking. */
export async function offerTrust(project: OpenedProject): Promise<void> {
  const { context, root } = project;
  if (!isInteractive() || isInRun(root)) return;
  const { providers } = await context.readConfig();
  const free = Object.keys(providers).filter((name) => providers[name]?.skip_permissions === true);
  if (free.length === 0 || (await (await context.openAcceptance()).read()).isTrusted) return;
  print(`${free.join(", ")} has skip_permissions: it runs any command without a question, those of checks included\n`);
  await trustProject(project, true);
}
