import { expect, test } from "bun:test";
import { buildAllowSetting } from "#planner/work/providers/provider_row.ts";
import { PROVIDERS } from "#planner/work/providers.ts";

type Provider = keyof typeof PROVIDERS;
const ID = "2026-11-21-001-abc";
const line = (provider: Provider, ...denied: readonly string[]): string | null =>
  buildAllowSetting(PROVIDERS[provider].buildAllowSetting, denied, ID);

test("says by which line of which file a denied call is allowed", () => {
  const lines: Readonly<Record<string, readonly [denied: string, line: string]>> = {
    claude: ["Bash curl -s x", 'providers.claude.args: ["--allowedTools", "Bash(curl -s x)"]'],
    qwen: ["run_shell_command curl -s x", 'providers.qwen.args: ["--allowed-tools", "run_shell_command(curl -s x)"]'],
    copilot: ["bash curl -s x", 'providers.copilot.args: ["--allow-tool=shell(curl)"]'],
    opencode: ["bash curl -s x", 'in opencode.json: {"permission":{"bash":{"curl -s x":"allow"}}}'],
    gemini: [
      "run_shell_command curl -s x",
      'in ~/.gemini/policies/planner.toml: rule = [{ priority = 900, toolName = "run_shell_command", commandRegex = "curl -s x\\"", decision = "allow", allowRedirection = true }]',
    ],
  };
  for (const [provider, [denied, expected]] of Object.entries(lines)) {
    expect(line(provider as Provider, denied)).toBe(expected);
  }
  expect(line("copilot", "bash git push && curl http://a.example:8/b http://a.example:8/c")).toBe(
    'providers.copilot.args: ["--allow-tool=shell(git)", "--allow-tool=shell(curl)", "--allow-url=http://a.example:8"]',
  );
  expect(line("opencode", "webfetch http://x")).toBe('in opencode.json: {"permission":{"webfetch":"allow"}}');
});

test("offers no rule that would allow every command of the shell", () => {
  const shells = {
    claude: "Bash",
    qwen: "run_shell_command",
    gemini: "run_shell_command",
    copilot: "bash",
    opencode: "bash",
  };
  for (const [provider, shell] of Object.entries(shells)) {
    for (const denied of [shell, `${shell} `, `${shell} *`, `${shell} :*`, `${shell}  * --force`]) {
      expect([denied, line(provider as Provider, denied)]).toEqual([denied, null]);
    }
    expect(line(provider as Provider, shell, `${shell} make`)).toBe(line(provider as Provider, `${shell} make`));
  }
});

test("says one line for a whole list, each rule once", () => {
  expect(line("claude", "Bash curl -s x", "WebFetch http://a", "WebFetch http://b")).toBe(
    'providers.claude.args: ["--allowedTools", "Bash(curl -s x)", "WebFetch"]',
  );
  expect(line("qwen", "web_fetch a", "run_shell_command b")).toBe(
    'providers.qwen.args: ["--allowed-tools", "web_fetch", "--allowed-tools", "run_shell_command(b)"]',
  );
  expect(line("copilot", "bash curl a", "bash curl b", "web_fetch c")).toBe(
    'providers.copilot.args: ["--allow-tool=shell(curl)", "--allow-tool=web_fetch"]',
  );
  expect(line("opencode", "bash a", "webfetch x", "bash b")).toBe(
    'in opencode.json: {"permission":{"bash":{"a":"allow","b":"allow"},"webfetch":"allow"}}',
  );
  expect(line("gemini", "web_fetch a", "web_fetch b", "glob c")).toBe(
    'in ~/.gemini/policies/planner.toml: rule = [{ priority = 900, toolName = "web_fetch", decision = "allow" }, { priority = 900, toolName = "glob", decision = "allow" }]',
  );
});

test("offers no rule that a run refuses anyway, and none for this spec alone", () => {
  expect(
    line(
      "claude",
      "Bash planner approve --all --yes",
      "Bash cd .. && planner work 002",
      "Bash /usr/bin/planner merge",
      "Bash echo a very long li…",
      `Bash cat /work/.planner/logs/${ID}.log`,
      `Read /work/.planner/worktrees/${ID}/a.ts`,
    ),
  ).toBeNull();
  expect(line("claude", "Bash planner approve", "Bash planner workflows", "Bash make")).toBe(
    'providers.claude.args: ["--allowedTools", "Bash(planner workflows)", "Bash(make)"]',
  );
  expect(line("codex", "Bash make")).toBeNull();
  expect(line("claude")).toBeNull();
});
