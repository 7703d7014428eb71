import { PROVIDER_NAMES, type ProviderName } from "#planner/config/provider_values.ts";
import { isProgramThere } from "#planner/store/processes/program_lookup.ts";
import { PROVIDERS } from "#planner/work/providers.ts";
import type { AgentName } from "./agents.ts";

/** The provider that starts an agent; those that only edit beside a person have none. */
export const PROVIDER_OF: Readonly<Partial<Record<AgentName, ProviderName>>> = {
  claude: "claude",
  cursor: "cursor-agent",
  codex: "codex",
  gemini: "gemini",
  opencode: "opencode",
  kiro: "kiro",
  qwen: "qwen",
  copilot: "copilot",
};

/** The providers whose program is on PATH, in the order of the table. */
export function installedProviders(env: Readonly<Record<string, string | undefined>>): readonly ProviderName[] {
  if (env["PATH"] === undefined && env["Path"] === undefined) return [];
  return PROVIDER_NAMES.filter((name) => {
    const { program } = PROVIDERS[name];
    return program !== null && isProgramThere(program, env);
  });
}
