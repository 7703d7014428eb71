import { describe, expect, test } from "bun:test";
import { parse as parseToml } from "smol-toml";
import {
  DEFAULT_CONFIG,
  type PlannerConfig,
  PROVIDER_NAMES,
  type ProviderName,
  type ProviderSettings,
} from "#planner/config/config.ts";
import { type AgentLaunch, buildAgentLaunch, type LaunchOptions } from "#planner/work/agent_launch.ts";
import { buildAllowSetting } from "#planner/work/provider_row.ts";
import { explainExitStatus, PROVIDERS, selectProvider } from "#planner/work/providers.ts";

/** What an agent could be told so that it asks for nothing; none of it may reach one unasked. */
const SKIPPING =
  /dangerous|bypass|danger-full|yolo|^--force$|^-f$|^-y$|^--auto$|^--trust|approve-mcps|skip-trust|full-auto|allow-all/i;

/** What switches every question off, by the agents' own documentation. */
const OWN_FLAGS: Readonly<Record<ProviderName, string>> = {
  claude: "--dangerously-skip-permissions",
  codex: "--dangerously-bypass-approvals-and-sandbox",
  gemini: "yolo",
  "cursor-agent": "--force",
  opencode: "--auto",
  kiro: "--trust-all-tools",
  qwen: "yolo",
  copilot: "--allow-all",
  command: "--yolo",
};

/** What keeps a split from changing files, by the agents' own documentation. */
const READ_ONLY: Readonly<Record<string, RegExp>> = {
  claude: /--permission-mode default --disallowedTools Edit,Write,NotebookEdit/,
  codex: /--sandbox read-only/,
  gemini: /--approval-mode default .*"write_file","replace","run_shell_command"\]\ndecision = "deny"/s,
  qwen: /--approval-mode plan/,
  copilot: /--deny-tool=write --deny-tool=shell/,
  opencode: /"edit": "deny",\s+"bash": \{\s+"\*": "deny"\s+\}/,
};

const PLACE: LaunchOptions = {
  prompt: "Do it\n",
  promptFile: "/run/prompt.md",
  mcpConfigFile: "/run/mcp.json",
  runFile: "/run/own",
  dir: "/work tree",
  grant: { task: "work", commands: ["npm test && npm run 'a && b'"] },
  session: null,
  server: { command: "/bin/planner", args: ["mcp", "--root", "/work tree"] },
  writableFolders: ["/repo/.git", "/repo/.git/worktrees/a"],
};

function config(provider: string, settings?: ProviderSettings, model: string | null = null): PlannerConfig {
  return {
    ...DEFAULT_CONFIG,
    defaults: { ...DEFAULT_CONFIG.defaults, provider, model },
    providers: settings === undefined ? {} : { [provider]: settings },
  };
}

function launch(provider: string, settings?: ProviderSettings, model: string | null = "m1"): AgentLaunch {
  const named = provider in PROVIDERS && provider !== "command" ? settings : { command: "./agent", ...settings };
  return buildAgentLaunch(selectProvider(config(provider, named), { model, task: "work" }), PLACE);
}

const MCP_FILE = {
  path: "/run/mcp.json",
  text: `${JSON.stringify({ mcpServers: { planner: { type: "stdio", ...PLACE.server } } }, null, 2)}\n`,
};

describe("buildAgentLaunch", () => {
  test("starts claude in print mode with our server alone", () => {
    const started = launch("claude");

    expect(started.argv).toEqual([
      ...["claude", "-p", "--output-format", "stream-json", "--verbose"],
      ...["--mcp-config", "/run/mcp.json", "--strict-mcp-config"],
      ...["--permission-mode", "acceptEdits", "--settings", expect.any(String)],
      ...["--model", "m1"],
    ]);
    expect(started).toMatchObject({ input: "Do it\n", files: [MCP_FILE], projectFile: null, env: {} });
    const { allow } = JSON.parse(started.argv[started.argv.indexOf("--settings") + 1] ?? "").permissions;
    expect(allow.slice(0, 4)).toEqual(["mcp__planner", "Bash(git add:*)", "Bash(git commit:*)", "Bash(git status:*)"]);
    expect(allow).toContain("Bash(planner lint:*)");
    expect(allow.slice(-3)).toEqual(["Bash(npm test && npm run 'a && b')", "Bash(npm test)", "Bash(npm run 'a && b')"]);
  });

  test("gives a split nothing to change anything with, permissions skipped or not", () => {
    for (const provider of PROVIDER_NAMES.filter((name) => !["cursor-agent", "kiro", "command"].includes(name))) {
      for (const settings of [undefined, { skip_permissions: true }]) {
        const chosen = selectProvider(config(provider, settings), { model: null, task: "split" });
        const grant = { task: "split", commands: ["npm test"] } as const;
        const { argv, files, projectFile } = buildAgentLaunch(chosen, { ...PLACE, server: null, grant });
        const words = [...argv, ...files.map(({ text }) => text)].join(" ");
        expect(words).toMatch(READ_ONLY[provider] ?? /never/);
        expect(words).not.toMatch(/npm test|planner mcp|acceptEdits|workspace-write|auto_edit/);
        expect(argv.filter((word) => SKIPPING.test(word))).toEqual([]);
        expect(projectFile).toBeNull();
      }
    }
  });

  test("continues a session with the agent's own words, the prompt behind them", () => {
    const ends: Readonly<Record<string, readonly string[]>> = {
      claude: ["--resume", "s1"],
      codex: ["resume", "s1", "-"],
      gemini: ["--resume", "s1"],
      opencode: ["--session", "s1"],
      qwen: ["--resume", "s1"],
      copilot: ["--session-id=s1"],
    };
    for (const [provider, words] of Object.entries(ends)) {
      const chosen = selectProvider(config(provider), { model: null, task: "work" });
      expect(
        buildAgentLaunch(chosen, { ...PLACE, session: { name: "s1", isNew: false } }).argv.slice(-words.length),
      ).toEqual([...words]);
    }
  });

  test("names the session of an agent that reports it only at its end", () => {
    const named = Object.keys(PROVIDERS).filter((provider) => {
      const chosen = selectProvider(config(provider, { command: "agent" }), { model: null, task: "work" });
      return buildAgentLaunch(chosen, { ...PLACE, session: { name: "s1", isNew: true } })
        .argv.join()
        .includes("s1");
    });

    expect(named).toEqual(["copilot"]);
  });

  test("starts codex in its sandbox, with git's folders writable and the server in its arguments", () => {
    const started = launch("codex");

    expect(started.argv).toEqual([
      ...["codex", "exec", "--json", "--color", "never", "--sandbox", "workspace-write"],
      ...["-c", 'sandbox_workspace_write.writable_roots=["/repo/.git","/repo/.git/worktrees/a"]'],
      ...["-c", 'mcp_servers.planner.command="/bin/planner"'],
      ...["-c", 'mcp_servers.planner.args=["mcp","--root","/work tree"]'],
      ...["-c", 'mcp_servers.planner.default_tools_approval_mode="approve"'],
      ...["--model", "m1", "-"],
    ]);
    expect(started).toMatchObject({ input: "Do it\n", files: [], projectFile: null });
  });

  test("starts gemini with its settings file extended", async () => {
    const started = launch("gemini");

    expect(started.argv).toEqual([
      "gemini",
      "--output-format",
      "stream-json",
      "--approval-mode",
      "auto_edit",
      ...["--policy", "/run/own.policy.toml", "--policy", "~/.gemini/policies", "--model", "m1"],
    ]);
    expect(started.files.map(({ path }) => path)).toEqual(["/run/own.policy.toml"]);
    const { rule } = parseToml(started.files[0]?.text ?? "") as { rule: Readonly<Record<string, unknown>>[] };
    expect(rule.map(({ decision }) => decision)).toEqual(Array(rule.length).fill("allow"));
    // A longer line than the configured one begins with it and is none of it.
    const regex = new RegExp(`"command":"${rule[2]?.["commandRegex"]}`);
    expect(regex.test(JSON.stringify({ command: "npm test && npm run 'a && b'", description: "x" }))).toBe(true);
    expect(regex.test(JSON.stringify({ command: "npm test && npm run 'a && b' && rm -r x" }))).toBe(false);
    expect(started.projectFile?.files).toEqual([".gemini/settings.json"]);
    expect(await written(started)).toEqual({ mcpServers: { planner: { ...PLACE.server, trust: true } } });
  });

  test("starts cursor-agent with the prompt as its argument", async () => {
    const started = launch("cursor-agent");

    expect(started.argv).toEqual(["cursor-agent", "-p", "--output-format", "stream-json", "--model", "m1", "Do it\n"]);
    expect(started).toMatchObject({ input: null, files: [] });
    expect(started.projectFile?.files).toEqual([".cursor/mcp.json"]);
    expect(await written(started)).toEqual({ mcpServers: { planner: { type: "stdio", ...PLACE.server } } });
  });

  test("starts opencode in its folder, with settings of the run below those of the project", () => {
    const started = launch("opencode", undefined, "anthropic/m1");

    expect(started.argv).toEqual([
      ...["opencode", "run", "--format", "json", "--dir", "/work tree", "--model", "anthropic/m1"],
    ]);
    expect(started).toMatchObject({ input: "Do it\n", projectFile: null });
    expect(started.env).toEqual({ OPENCODE_CONFIG: "/run/own.opencode.json" });
    const { $schema, mcp, permission } = JSON.parse(started.files[0]?.text ?? "");
    expect($schema).toBe("https://opencode.ai/config.json");
    const command = ["/bin/planner", "mcp", "--root", "/work tree"];
    expect(mcp).toEqual({ planner: { type: "local", command, enabled: true } });
    // The last rule that fits decides, so the general one comes first.
    expect(Object.entries(permission.bash)[0]).toEqual(["*", "deny"]);
    expect(permission.bash).toMatchObject({ "git add *": "allow", "npm test": "allow" });
  });

  test("starts kiro without a person", async () => {
    const started = launch("kiro");

    expect(started.argv).toEqual(["kiro-cli", "chat", "--no-interactive", "--model", "m1"]);
    expect(started).toMatchObject({ input: "Do it\n", files: [] });
    expect(started.projectFile?.files).toEqual([".kiro/settings/mcp.json"]);
    expect(await written(started)).toEqual({ mcpServers: { planner: PLACE.server } });
  });

  test("starts any command, every placeholder filled in and its files written", () => {
    const started = launch("command", {
      args: ["--task={prompt_file}", "{model}", "--mcp", "{mcp_config}", "{other}"],
    });

    expect(started.argv).toEqual(["./agent", "--task=/run/prompt.md", "m1", "--mcp", "/run/mcp.json", "{other}"]);
    expect(started.input).toBeNull();
    expect(started.files).toEqual([{ path: "/run/prompt.md", text: "Do it\n" }, MCP_FILE]);
  });

  test("knows agents that only the configuration names", () => {
    const started = launch("mine", { command: "mine", args: ["go"], prompt_via: "file", env: { DEPTH: "3" } });

    expect(started.argv).toEqual(["mine", "go", "/run/prompt.md"]);
    expect(started).toMatchObject({ env: { DEPTH: "3" }, input: null });
  });

  test("lets the configuration change a row", () => {
    const started = launch("claude", { command: "/opt/claude", args: ["--max-turns", "5"], env: { A: "1" } }, null);

    expect(started.argv[0]).toBe("/opt/claude");
    expect(started.argv.slice(-2)).toEqual(["--max-turns", "5"]);
    expect(started.env).toEqual({ A: "1" });
    expect(started.argv).not.toContain("--model");
  });

  test("has a proof for every row", () => {
    expect(Object.keys(PROVIDERS).sort()).toEqual([...PROVIDER_NAMES].sort());
    expect(Object.keys(OWN_FLAGS).sort()).toEqual([...PROVIDER_NAMES].sort());
  });

  for (const name of PROVIDER_NAMES) {
    test(`knows the flag of ${name} that skips permissions, and keeps it out of its configured arguments`, () => {
      const { skipArgs, skipWords } = PROVIDERS[name];
      const flag = OWN_FLAGS[name];

      expect(skipWords).toContain(flag);
      expect(skipArgs.length > 0 ? skipArgs : [flag]).toContain(flag);
      for (const word of skipWords) expect(() => launch(name, { args: [word] })).toThrow("skips permissions");
    });

    test(`passes ${name} no flag that skips permissions unless the configuration says so`, () => {
      for (const settings of [undefined, {}, { skip_permissions: false }, { args: ["--max-turns", "5"] }]) {
        const { argv } = launch(name, settings);
        const words = argv.flatMap((argument) => [argument, ...argument.split(/[="']+/)]);
        expect(argv.filter((argument) => SKIPPING.test(argument))).toEqual([]);
        expect(words.filter((word) => PROVIDERS[name].skipWords.includes(word))).toEqual([]);
      }
    });
  }

  test("passes each agent's own flag once the configuration says so, in place of what it is held to", () => {
    const skipping = { skip_permissions: true };

    expect(launch("claude", skipping).argv).toContain("--dangerously-skip-permissions");
    expect(launch("claude", skipping).argv).not.toContain("--permission-mode");
    expect(launch("codex", skipping).argv).toContain("--dangerously-bypass-approvals-and-sandbox");
    expect(launch("codex", skipping).argv).not.toContain("--sandbox");
    expect(launch("gemini", skipping).argv.join(" ")).toContain("--approval-mode yolo");
    expect(launch("cursor-agent", skipping).argv).toContain("--force");
    expect(launch("opencode", skipping).argv).toContain("--auto");
    expect(launch("kiro", skipping).argv).toContain("--trust-all-tools");
    expect(launch("command", { ...skipping, args: ["--yolo"] }).argv).toEqual(["./agent", "--yolo"]);
  });

  test("leaves a prompt that is too long for an argument in its file", () => {
    const prompt = "é".repeat(20_000);
    const provider = selectProvider(config("cursor-agent"), { model: null, task: "work" });

    const started = buildAgentLaunch(provider, { ...PLACE, prompt });

    expect(started.argv.at(-1)).toBe("Read the whole file /run/prompt.md and do what it says.");
    expect(started.files).toEqual([{ path: "/run/prompt.md", text: prompt }]);
  });

  test("never lets a prompt be read as a flag", () => {
    const provider = selectProvider(config("cursor-agent"), { model: null, task: "work" });

    expect(buildAgentLaunch(provider, { ...PLACE, prompt: "--force" }).argv.at(-1)).toBe("\n--force");
  });

  test("refuses an argument that wants a model when none is chosen", () => {
    expect(() => launch("command", { args: ["-m", "{model}"] }, null)).toThrow(
      'Cannot start the agent "command": argument "{model}" requires a model: expected "defaults.model" or the spec\'s own',
    );
  });
});

describe("selectProvider", () => {
  test("lets the spec's model win over the configured one, and a split have its own", () => {
    const both = config("claude", undefined, "sonnet");
    const splitting = { ...both, defaults: { ...both.defaults, split_model: "opus" } };

    expect(selectProvider(both, { model: "haiku", task: "work" }).model).toBe("haiku");
    expect(selectProvider(splitting, { model: null, task: "work" }).model).toBe("sonnet");
    expect(selectProvider(splitting, { model: null, task: "split" }).model).toBe("opus");
    expect(selectProvider(both, { model: null, task: "split" }).model).toBe("sonnet");
    expect(selectProvider(splitting, { model: "haiku", task: "split" }).model).toBe("haiku");
    expect(selectProvider(DEFAULT_CONFIG, { model: null, task: "work" }).model).toBeNull();
  });

  test("refuses a model that would be read as a flag, or as a command of a shell", () => {
    for (const model of ["--yolo", "-y", "a b", "", "a\nb", "a;b", "$(a)", "`a`", "a|b", "a&b", "a>b", "a'b", 'a"b']) {
      expect(() => selectProvider(config("gemini"), { model, task: "work" })).toThrow("is not a model's name");
    }
  });

  test("takes the names that models have", () => {
    for (const model of "opus claude-opus-4.1 sonnet[1m] openai/gpt-5:free us.vendor@20260101 modèle_2".split(" ")) {
      expect(selectProvider(config("gemini"), { model, task: "work" }).model).toBe(model);
    }
  });

  test("refuses configured arguments that skip permissions without saying so", () => {
    const hidden: readonly (readonly [string, string])[] = [
      ["claude", "--dangerously-skip-permissions"],
      ["claude", "--permission-mode=bypassPermissions"],
      ["codex", 'sandbox_mode="danger-full-access"'],
      ["gemini", "--approval-mode=yolo"],
      ["gemini", "-y"],
      ["cursor-agent", "-f"],
      ["opencode", "--auto"],
      ["kiro", "--trust-all-tools"],
      ["command", "--dangerously-skip-permissions"],
    ];
    for (const [name, argument] of hidden) {
      expect(() => launch(name, { args: [argument] })).toThrow(
        `argument "${argument}" skips permissions: expected "skip_permissions: true" beside it`,
      );
      expect(launch(name, { args: [argument], skip_permissions: true }).argv).toContain(argument);
    }
  });

  test("refuses the command row without a command", () => {
    expect(() => selectProvider(config("command"), { model: null, task: "work" })).toThrow(
      'Cannot start the agent "command": "providers.command.command" in .planner/config.md names no program',
    );
  });
});

test("explainExitStatus tells statuses that an agent documents", () => {
  const gemini = selectProvider(config("gemini"), { model: null, task: "work" });

  expect(explainExitStatus(gemini, 53)).toBe("it reached its limit of turns");
  expect(explainExitStatus(gemini, 1)).toBeNull();
});

test("qwen writes files below its worktree alone", () => {
  const { argv } = launch("qwen");
  expect(argv.join(" ")).toContain("--approval-mode default ");
  expect(argv.filter((word) => /^(?:edit|write_file)\b/.test(word))).toEqual(["edit(/**)", "write_file(/**)"]);
});

async function written({ projectFile }: AgentLaunch): Promise<unknown> {
  const edit = await projectFile?.extend(projectFile.files[0], "");
  return edit?.kind === "added" ? JSON.parse(edit.text) : edit;
}

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
