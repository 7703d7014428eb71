// Separate from acceptance.ts, which every command loads, because this module also loads the table of agents.

import type { PlannerConfig } from "../config/config.ts";
import { type AcceptableLine, type AcceptedLineKind, buildProviderLine } from "./acceptance.ts";
import { selectProvider } from "./providers.ts";

/** Returns `verify.commands`, `worktree.setup` and the agents' changed start settings from a project's settings. */
export function listConfigLines(config: PlannerConfig): readonly AcceptableLine[] {
  const line = (kind: AcceptedLineKind) => (text: string) => ({ kind, text });
  const providers = Object.keys(config.providers).flatMap((provider) => {
    try {
      return (
        buildProviderLine(
          selectProvider({ ...config, defaults: { ...config.defaults, provider, model: null } }, ANY_MODEL),
        ) ?? []
      );
    } catch {
      // The provider cannot be started, which a run reports.
      return [];
    }
  });
  const { setup } = config.worktree;
  return [...config.verify.commands.map(line("verify")), ...(setup ?? []).map(line("setup")), ...providers];
}

const ANY_MODEL = { model: null, task: "work" } as const;
