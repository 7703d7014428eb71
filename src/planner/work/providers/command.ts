import { DEFAULT_ROW, type ProviderRow } from "./provider_row.ts";

/** Row for any program: agents that exist only in the configuration use it. */
export const command: ProviderRow = {
  ...DEFAULT_ROW,
  title: "a command of your own",
  program: null,
  args: [],
  guardedArgs: () => [],
  skipArgs: [],
  // Only what cannot mean anything else: other programs have other meanings for --force and --auto.
  skipWords: [
    "--dangerously-skip-permissions",
    "--allow-dangerously-skip-permissions",
    "--dangerously-bypass-approvals-and-sandbox",
    "--yolo",
    "--trust-all-tools",
    "bypassPermissions",
    "danger-full-access",
  ],
  modelArgs: [],
  resumeArgs: null,
  stream: "text",
  allowing: null,
};
