// Apart from acceptance.ts, which every command loads: this one loads the table of agents.

import type { PlannerConfig } from "../config/config.ts";
import { type CommandLine, type LineKind, providerLine } from "./acceptance.ts";
import { providerFor } from "./providers.ts";

/** The commands that the settings of a project name. */
export function configLines(config: PlannerConfig): readonly CommandLine[] {
  const line = (kind: LineKind) => (text: string) => ({ kind, text });
  const providers = Object.keys(config.providers).flatMap((provider) => {
    try {
      return (
        providerLine(providerFor({ ...config, defaults: { ...config.defaults, provider, model: null } }, ANY)) ?? []
      );
    } catch {
      // It cannot be started, which a run says.
      return [];
    }
  });
  const { setup } = config.worktree;
  return [...config.verify.commands.map(line("verify")), ...(setup ?? []).map(line("setup")), ...providers];
}

const ANY = { model: null, task: "work" } as const;
