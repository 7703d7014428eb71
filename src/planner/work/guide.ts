/** Default instructions for agents in the reply to MCP's `initialize`. */
export const AGENT_INSTRUCTIONS = `Work in this project is described by specs, Markdown files under .planner/specs/. Find work with planner_ready, read a spec with planner_spec_get, and look for related ones with planner_search. Record a result with planner_spec_update (output, status). Check a criterion (planner_spec_update, check) only when you have seen that it holds; planner_verify lists the open ones and planner_finalize completes the spec. A criterion may name its check, a line "verify: <command>" indented below it: the spec is completed only if the command succeeds. Propose one where a command can tell; a person accepts it before it runs. Run planner_lint after you changed a spec. planner_work_start, planner_split and planner_watch_start start other agents: call them only when a person asks for that. When something does not move on, call planner_diagnose.`;

/** Instructions as a Markdown page with the commands, for files that agents read and for `planner prime`. */
export const AGENT_GUIDE = `## Specs (planner)

Work in this project is described by specs: Markdown files under \`.planner/specs/\` with YAML frontmatter. Use the tools of
the MCP server \`planner\`, or the commands; both keep the files valid.

| To | Tool | Command |
| --- | --- | --- |
| find work | \`planner_ready\` | \`planner ready\` |
| read a spec | \`planner_spec_get\` | \`planner show <id>\` |
| look for related specs | \`planner_search\` | \`planner search <text>\` |
| list specs by label, priority or person | \`planner_spec_list\` | \`planner list --label <label>\` |
| write a new spec | \`planner_add\` with \`criteria\`, \`labels\`, \`depends_on\` | \`planner add "<title>"\` |
| record a result or a field | \`planner_spec_update\` | \`planner update <id>\` |
| check a criterion | \`planner_spec_update\` with \`check\` | \`planner check <id> <number>\` |
| see what is open | \`planner_verify\` | \`planner verify <id>\` |
| complete a spec | \`planner_finalize\` | \`planner finalize <id>\` |
| find mistakes in specs | \`planner_lint\` | \`planner lint\` |
| see why a spec is stuck | \`planner_diagnose\` | \`planner diagnose <id>\` |

- Check a criterion (\`- [x]\`) when you have seen that it holds, not before. Do not reword or remove criteria.
- A line \`verify: <command>\` indented below a criterion is its check: the spec is completed only if it succeeds. Write one below
  each new criterion that a command can decide, as in \`verify: npm test -- urls\`. A person accepts it before it runs.
- Begin commit messages with \`planner(<id>):\`.
- Start other agents (\`planner work\`, \`planner split\`, \`planner watch\`) only when a person asks for it.
`;
