import { existsSync } from "node:fs";
import { join } from "node:path";
import { isInteractive } from "../terminal.ts";
import { UsageError } from "../usage_error.ts";
import type { AgentName } from "./agents.ts";
import { projectName } from "./project_name.ts";
import type { Setup } from "./set_up.ts";

/** The checked words of `planner init`. */
export interface InitWords {
  readonly agent: readonly AgentName[];
  readonly name: string | undefined;
  readonly prompts: boolean;
  readonly "no-prompts": boolean;
  readonly hook: boolean;
  readonly "no-hook": boolean;
  readonly yes: boolean;
}

/** What is to be set up, asked for where a person is there; undefined when the person gave up. */
export async function decideSetup(root: string, words: InitWords): Promise<Setup | undefined> {
  const prompts = choice(words, "prompts");
  const hook = choice(words, "hook");
  const name = words.name ?? projectName(root);
  if (words.yes || words.agent.length > 0 || !isInteractive()) {
    return { name, prompts: prompts ?? true, agents: words.agent, hook: hook ?? false };
  }
  const isNew = !existsSync(join(root, ".planner", "config.md"));
  const { askForSetup } = await import("./wizard.ts");
  const answers = await askForSetup({
    root,
    name: isNew && words.name === undefined ? name : undefined,
    asksPrompts: isNew && prompts === undefined,
    asksHook: hook === undefined && (await lacksHook(root)),
  });
  if (answers === undefined) return undefined;
  return {
    name: answers.name ?? name,
    prompts: prompts ?? answers.prompts ?? true,
    agents: answers.agents,
    hook: hook ?? answers.hook ?? false,
  };
}

async function lacksHook(root: string): Promise<boolean> {
  const [{ findRepository }, { hookState }] = await Promise.all([
    import("../git/repository.ts"),
    import("../hook/hook_file.ts"),
  ]);
  // Without git on this machine there is nothing to ask about.
  const repository = await findRepository(root).catch(() => undefined);
  return repository !== undefined && !(await hookState(repository)).installed;
}

function choice(words: InitWords, name: "prompts" | "hook"): boolean | undefined {
  if (words[name] && words[`no-${name}`])
    throw new UsageError(`Flags "--${name}" and "--no-${name}" exclude each other`, null);
  if (words[`no-${name}`]) return false;
  return words[name] ? true : undefined;
}
