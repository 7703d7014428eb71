import type { PlannerConfig } from "../../config/config.ts";
import { commitWriter } from "../../work/commit_message.ts";
import type { RemoteSettings } from "./remote_claims.ts";

/** Returns the settings of claims at a remote, or null if the project has none. */
export function remoteSettings({ claims, defaults, git }: PlannerConfig): RemoteSettings | null {
  if (claims.remote === null) return null;
  return {
    remote: claims.remote,
    renewMs: claims.renew_minutes * 60_000,
    mainBranch: defaults.main_branch,
    message: (id) => commitWriter(git.commit_template, { id, title: null }),
  };
}
