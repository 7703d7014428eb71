import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROVIDER_NAMES, type ProviderName } from "#planner/config/config.ts";
import { findSharedFolder } from "#planner/store/worktrees/admin_folder.ts";
import { LOCK_FILES, proposeSetup, type SetupProposal } from "#planner/work/setup_proposals.ts";
import { type ArgValues, booleanFlag, type Flags as CommandFlags, enumFlag, textFlag } from "../args.ts";
import { isInteractive } from "../output/print.ts";
import { AGENT_NAMES, type AgentName, findInstalledProviders, PROVIDER_BY_AGENT } from "./agents.ts";
import { findProjectName } from "./project_name.ts";
import type { Setup } from "./set_up.ts";
import type { WizardAnswers } from "./wizard.ts";

/** Flags of `planner init`. */
export const INIT_FLAGS = {
  agent: enumFlag(AGENT_NAMES, "Write this agent's MCP configuration", { alias: "a", multiple: true }),
  name: textFlag("text", "Name of the project (default: from its package file, else the folder)"),
  prompts: booleanFlag("Add the prompt template (the default)"),
  "no-prompts": booleanFlag("Add no prompt template", { excludes: ["--prompts"] }),
  hook: booleanFlag("Install the git hook that checks specs before every commit"),
  "no-hook": booleanFlag("Install no git hook (the default)", { excludes: ["--hook"] }),
  guide: booleanFlag("Add instructions for agents to AGENTS.md; for claude also a skill and commands"),
  "no-guide": booleanFlag("Add no instructions for agents (the default)", { excludes: ["--guide"] }),
  provider: enumFlag(PROVIDER_NAMES, "Agent that works on specs (default: the only one that is installed)"),
  yes: booleanFlag("Ask nothing", { alias: "y" }),
} as const satisfies CommandFlags;

type InitArgs = ArgValues<typeof INIT_FLAGS>;

/** Returns the setup from flags and, on a terminal, from questions; undefined if the person cancelled. */
export async function decideSetup(root: string, words: InitArgs): Promise<Setup | undefined> {
  const flags: SetupFlags = {
    prompts: readChoice(words, "prompts"),
    hook: readChoice(words, "hook"),
    guide: readChoice(words, "guide"),
    provider: words.provider,
    name: words.name,
  };
  const setup = proposeWorktreeSetup(root);
  const installed = findInstalledProviders(process.env);
  const isAsked = !words.yes && words.agent.length === 0 && isInteractive();
  const answers = isAsked
    ? await askQuestions(root, flags, installed)
    : { agents: words.agent, provider: selectOnlyProvider(words.agent, installed) };
  if (answers === undefined) return undefined;
  return { ...combineChoices(root, flags, answers), agents: answers.agents, setup };
}

type SetupFlags = { readonly [Key in "prompts" | "hook" | "guide"]: boolean | undefined } & {
  readonly provider: ProviderName | undefined;
  readonly name: string | undefined;
};

type PartialAnswers = Partial<Omit<WizardAnswers, "provider">> & {
  readonly provider?: ProviderName | null | undefined;
};

/** Combines flags, answers and defaults; a flag takes precedence over an answer. */
function combineChoices(root: string, flags: SetupFlags, answers: PartialAnswers): Omit<Setup, "agents" | "setup"> {
  return {
    name: flags.name ?? answers.name ?? findProjectName(root),
    prompts: flags.prompts ?? answers.prompts ?? true,
    hook: flags.hook ?? answers.hook ?? false,
    guide: flags.guide ?? answers.guide ?? false,
    provider: flags.provider ?? answers.provider ?? null,
  };
}

async function askQuestions(
  root: string,
  { name, provider, prompts, guide, hook }: SetupFlags,
  installed: readonly ProviderName[],
): Promise<WizardAnswers | undefined> {
  const isNew = !existsSync(join(root, ".planner", "config.md"));
  const { askForSetup } = await import("./wizard.ts");
  return askForSetup({
    root,
    name: isNew && name === undefined ? findProjectName(root) : undefined,
    installed,
    asksProvider: isNew && provider === undefined,
    asksPrompts: isNew && prompts === undefined,
    asksGuide: guide === undefined,
    asksHook: hook === undefined && (await lacksHook(root)),
  });
}

/** Returns the agent to use without a question: the only named agent, otherwise the only installed agent. */
function selectOnlyProvider(agents: readonly AgentName[], installed: readonly ProviderName[]): ProviderName | null {
  const named = agents.flatMap((agent) => PROVIDER_BY_AGENT[agent] ?? []);
  const [first, ...others] = named.length > 0 ? named : installed;
  return first !== undefined && others.length === 0 ? first : null;
}

async function lacksHook(root: string): Promise<boolean> {
  const [{ findRepository }, { readHookState: hookState }] = await Promise.all([
    import("../git/repository.ts"),
    import("../hook/hook_file.ts"),
  ]);
  const repository = await findRepository(root);
  return repository !== undefined && !(await hookState(repository)).installed;
}

function readChoice(words: InitArgs, name: "prompts" | "hook" | "guide"): boolean | undefined {
  if (words[`no-${name}`]) return false;
  return words[name] ? true : undefined;
}

/** Proposes commands that prepare a new worktree, by the lock files of the project up to the repository's top. */
export function proposeWorktreeSetup(root: string): readonly SetupProposal[] {
  const { project } = findSharedFolder(root);
  const above = (project ?? "").split("/").filter((name) => name !== "");
  const ways = Array.from({ length: above.length + 1 }, (_, depth) => Array.from({ length: depth }, () => ".."));
  return proposeSetup(
    ways.map((way) => {
      const folder = join(root, ...way);
      const there = LOCK_FILES.filter((file) => existsSync(join(folder, file)));
      return new Map(there.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
    }),
  );
}
