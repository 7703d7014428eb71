import { DEFAULT_ROW, type ProviderRow } from "./provider_row.ts";

/** Row for any program, used for agents that exist only in the configuration. */
export const commandRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "a command of your own",
  program: null,
  args: [],
  guardedArgs: () => [],
  skipArgs: [],
  // Only flags with a single meaning: other programs use --force and --auto differently.
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
  buildAllowSetting: null,
};
