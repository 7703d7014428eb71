import { confirm, intro, isCancel, multiselect, text, updateSettings } from "@clack/prompts";
import { plainLine } from "../plain_text.ts";
import { AGENT_NAMES, AGENTS, type AgentName } from "./agents.ts";

const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;
/** What a terminal in raw mode sends for the end of input. */
const CTRL_D = "\u0004";

/** What the person is asked for; a question whose answer a flag gives is left out. */
export interface Questions {
  readonly root: string;
  /** The name to offer, or undefined when the project has its settings already. */
  readonly name: string | undefined;
  readonly asksPrompts: boolean;
  /** True in a git repository without the hook. */
  readonly asksHook: boolean;
}

export interface Answers {
  readonly name: string | undefined;
  readonly prompts: boolean | undefined;
  readonly agents: readonly AgentName[];
  readonly hook: boolean | undefined;
}

/** Asks, writing nothing; undefined when the person gave up (Ctrl-C, Ctrl-D or Escape). */
export async function askForSetup(questions: Questions): Promise<Answers | undefined> {
  // A terminal that does not know its size says 0, and the prompts would wrap every character and show no line.
  if (process.stdout.columns === 0) process.stdout.columns = USUAL_COLUMNS;
  if (process.stdout.rows === 0) process.stdout.rows = USUAL_ROWS;
  updateSettings({ aliases: { [CTRL_D]: "cancel" } });
  intro(`planner init in ${plainLine(questions.root)}`);
  const name = questions.name === undefined ? undefined : await askName(questions.name);
  if (isCancel(name)) return undefined;
  const prompts = questions.asksPrompts
    ? await confirm({ message: "Add a prompt template for agents?", initialValue: true })
    : undefined;
  if (isCancel(prompts)) return undefined;
  const agents = await multiselect<AgentName>({
    message: "Which agents shall reach the project?",
    options: AGENT_NAMES.map((agent) => ({ value: agent, label: AGENTS[agent].title, hint: AGENTS[agent].files[0] })),
    required: false,
  });
  if (isCancel(agents)) return undefined;
  const hook = questions.asksHook
    ? await confirm({ message: "Check specs before every commit (git hook)?", initialValue: false })
    : undefined;
  return isCancel(hook) ? undefined : { name, prompts, agents, hook };
}

async function askName(proposal: string): ReturnType<typeof text> {
  const answer = await text({ message: "What is the project called?", placeholder: proposal, defaultValue: proposal });
  return isCancel(answer) || answer.trim() !== "" ? answer : proposal;
}
