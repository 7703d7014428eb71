import { confirm, intro, isCancel, multiselect, select, text, updateSettings } from "@clack/prompts";
import type { ProviderName } from "#planner/config/config.ts";
import { PROVIDERS } from "#planner/work/providers.ts";
import { sanitizeLine } from "../output/print.ts";
import { AGENT_NAMES, AGENTS, type AgentName, PROVIDER_BY_AGENT } from "./agents.ts";

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;
/** Character that a terminal in raw mode sends for the end of input. */
const CTRL_D = "\u0004";

/** Questions that the wizard asks; flags have answered all other questions. */
export interface WizardQuestions {
  readonly root: string;
  /** The name to propose, or undefined if the project already has settings. */
  readonly name: string | undefined;
  /** Agents whose program is installed. */
  readonly installed: readonly ProviderName[];
  readonly asksProvider: boolean;
  readonly asksPrompts: boolean;
  readonly asksGuide: boolean;
  /** True in a git repository without the hook. */
  readonly asksHook: boolean;
}

export interface WizardAnswers {
  readonly name: string | undefined;
  readonly prompts: boolean | undefined;
  readonly agents: readonly AgentName[];
  readonly provider: ProviderName | undefined;
  readonly guide: boolean | undefined;
  readonly hook: boolean | undefined;
}

/** Asks the questions without writing anything; undefined if the person cancelled (Ctrl-C, Ctrl-D or Escape). */
export async function askForSetup(questions: WizardQuestions): Promise<WizardAnswers | undefined> {
  // A terminal of unknown size reports 0, for which the prompts would wrap every character and show no line.
  if (process.stdout.columns === 0) process.stdout.columns = DEFAULT_COLUMNS;
  if (process.stdout.rows === 0) process.stdout.rows = DEFAULT_ROWS;
  updateSettings({ aliases: { [CTRL_D]: "cancel" } });
  intro(`planner init in ${sanitizeLine(questions.root)}`);
  const name = questions.name === undefined ? undefined : await askName(questions.name);
  if (isCancel(name)) return undefined;
  const prompts = questions.asksPrompts
    ? await confirm({ message: "Add a prompt template for agents?", initialValue: true })
    : undefined;
  if (isCancel(prompts)) return undefined;
  const agents = await multiselect<AgentName>({
    message: "Which agents will use the project?",
    options: AGENT_NAMES.map((agent) => ({ value: agent, label: AGENTS[agent].title, hint: AGENTS[agent].files[0] })),
    initialValues: AGENT_NAMES.filter((agent) => isInstalled(agent, questions.installed)),
    required: false,
  });
  if (isCancel(agents)) return undefined;
  const provider = questions.asksProvider ? await askProvider(questions.installed, agents) : undefined;
  if (isCancel(provider)) return undefined;
  const guide =
    questions.asksGuide && agents.length > 0
      ? await confirm({ message: "Add instructions for agents to AGENTS.md and similar files?", initialValue: true })
      : undefined;
  if (isCancel(guide)) return undefined;
  const hook = questions.asksHook
    ? await confirm({ message: "Check specs before every commit (git hook)?", initialValue: false })
    : undefined;
  return isCancel(hook) ? undefined : { name, prompts, agents, provider, guide, hook };
}

function isInstalled(agent: AgentName, installed: readonly ProviderName[]): boolean {
  const provider = PROVIDER_BY_AGENT[agent];
  return provider !== undefined && installed.includes(provider);
}

/** Asks for the provider if there is more than one. */
async function askProvider(installed: readonly ProviderName[], agents: readonly AgentName[]) {
  const options = [...new Set([...agents.flatMap((agent) => PROVIDER_BY_AGENT[agent] ?? []), ...installed])];
  if (options.length < 2) return options[0];
  return select<ProviderName>({
    message: "Which agent works specs?",
    options: options.map((value) => ({
      value,
      label: PROVIDERS[value].title,
      hint: installed.includes(value) ? "installed" : "not found on PATH",
    })),
  });
}

async function askName(proposal: string): ReturnType<typeof text> {
  const answer = await text({ message: "What is the project called?", placeholder: proposal, defaultValue: proposal });
  return isCancel(answer) || answer.trim() !== "" ? answer : proposal;
}
