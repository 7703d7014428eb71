import { expect, test } from "bun:test";
import { PROVIDERS } from "#planner/work/providers.ts";

test("says by which line of which file a denied call is allowed", () => {
  const lines: Readonly<Record<string, readonly [denied: string, line: string]>> = {
    claude: ["Bash curl -s x", 'providers.claude.args: [--allowedTools, "Bash(curl -s x)"]'],
    qwen: ["run_shell_command curl -s x", 'providers.qwen.args: [--allowed-tools, "run_shell_command(curl -s x)"]'],
    copilot: ["bash curl -s x", 'providers.copilot.args: ["--allow-tool=shell(curl)"]'],
    opencode: ["bash curl -s x", 'in opencode.json: {"permission":{"bash":{"curl -s x":"allow"}}}'],
    gemini: [
      "run_shell_command curl -s x",
      'in ~/.gemini/policies/planner.toml: rule = [{ priority = 900, toolName = "run_shell_command", commandRegex = "curl -s x\\"", decision = "allow", allowRedirection = true }]',
    ],
  };
  for (const [provider, [denied, line]] of Object.entries(lines)) {
    expect(PROVIDERS[provider as keyof typeof PROVIDERS].allowing?.(denied)).toBe(line);
  }
  expect(PROVIDERS.copilot.allowing?.("bash git push && curl http://a.example:8/b http://a.example:8/c")).toBe(
    'providers.copilot.args: ["--allow-tool=shell(git)", "--allow-tool=shell(curl)", "--allow-url=http://a.example:8"]',
  );
  expect(PROVIDERS.opencode.allowing?.("webfetch http://x")).toBe(
    'in opencode.json: {"permission":{"webfetch":"allow"}}',
  );
});
