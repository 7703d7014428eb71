import { DC_PROMISES } from "./dc_promises.ts";

/** Promises of the spec tool. Source: docs/contract/spec-tool.md. */
const SPEC_PROMISES = {
  // The file format
  "spec.id.from-file-name": "A spec's id is its file name without .md",
  "spec.id.partial": "Tools take a full id or a part of it that means one spec",
  "spec.title.from-heading": "A spec's title is the first heading of its body",
  "spec.title.from-description": "A created spec's title is the description",
  "spec.unknown-keys.kept": "Frontmatter keys that nobody knows survive every change",

  // Transport
  "mcp.transport.line-per-message": "Each request is one line on stdin, each answer one line on stdout",
  "mcp.transport.id-number-or-string": "An answer carries the request's id, number or string",
  "mcp.transport.notification-unanswered": "A request without id gets no answer",
  "mcp.initialize.result":
    "initialize answers protocolVersion 2024-11-05, capabilities {tools: {}} and serverInfo planner 0.1.0",
  "mcp.initialized.ignored": "notifications/initialized does nothing and is not answered",
  "mcp.tools-list.shape": "tools/list names 23 tools, each with name, description and an object inputSchema",
  "mcp.tools-list.required": "inputSchema marks the parameters that the contract stars as required",
  "mcp.tools-call.content": "A tool answers with a content list of one text item",
  "mcp.tools-call.error-flag": "A tool that refuses answers with isError true and one text item",

  // Protocol errors
  "mcp.error.parse": "A line that is no JSON is answered with -32700, `Parse error: …` and id null",
  "mcp.error.version": "A request whose jsonrpc is not 2.0 is answered with -32600 Invalid JSON-RPC version",
  "mcp.error.unknown-method": "An unknown method is answered with an error that says Method not found",

  // Tool errors
  "tool.error.not-initialized": "Without .planner/specs every tool says that planner is not initialized",
  "tool.error.missing-id": "A missing id is named: Missing required parameter: id",
  "tool.error.missing-tool-name": "tools/call without a text name says Missing tool name",
  "tool.error.missing-arguments": "tools/call without arguments says Missing arguments",
  "tool.error.unknown-tool": "A name that is no tool says Unknown tool",

  // Query tools
  "spec_list.shape": "planner_spec_list answers specs with id, title, status and type, and total, limit, returned",
  "spec_list.default-limit": "planner_spec_list returns 50 specs unless told otherwise",
  "spec_list.total-before-limit": "total counts the matches before limit is applied",
  "spec_list.status-filter": "planner_spec_list filters by status, ready and blocked included",
  "spec_get.shape": "planner_spec_get answers id, title, status, type and body",
  "ready.shape": "planner_ready answers in the shape of planner_spec_list",
  "ready.no-unmet-dependencies": "planner_ready lists specs without unmet dependencies",
  "status.counts": "planner_status counts total and every status",
  "status.brief": "planner_status with brief is one line `<n> pending | <n> in_progress | <n> completed`",
  "status.activity": "planner_status with include_activity lists each spec in progress with its times",
  "log.shape": "planner_log answers content, byte_offset, line_count and has_more",
  "log.incremental": "planner_log with a former byte_offset returns only what came after it",
  "log.default-lines": "planner_log returns 100 lines unless told otherwise",
  "log.since": "planner_log with since leaves out older lines",
  "search.case-insensitive": "planner_search finds text in title and body whatever its case",
  "search.status-filter": "planner_search filters by status",
  "diagnose.checks": "planner_diagnose looks at the spec file, log, locks, commits and criteria",
  "lint-tool.one-or-all": "planner_lint checks one spec, or all when no id is given",
  "verify.shape": "planner_verify answers spec_id, verified, criteria counts, unchecked_items and verification_notes",

  // Changing tools
  "spec_update.answer": "planner_spec_update answers `Updated spec: <id>`",
  "spec_update.status": "planner_spec_update sets pending, in_progress, completed or failed",
  "spec_update.invalid-status": "planner_spec_update refuses another status with Invalid status",
  "spec_update.nothing": "planner_spec_update without any change says No updates specified",
  "spec_update.output-appended": "output is appended under ## Output as plain text, whole, without a time",
  "spec_update.replace-body": "replace_body replaces the body and keeps the title heading when the new text has none",
  "spec_update.fields": "planner_spec_update sets depends_on, labels, target_files and model",
  "add.answer": "planner_add answers `Created spec: <id>`",
  "add.diagnostics": "planner_add lints the new spec and lists what it found",
  "add.prompt": "planner_add notes the prompt template that it was given",
  "finalize.completes": "planner_finalize marks a spec completed when all criteria are checked",
  "finalize.open-criteria": "planner_finalize refuses while a criterion is open",
  "reset.failed": "planner_reset turns failed into pending",
  "cancel.cancels": "planner_cancel sets cancelled",
  "archive.moves": "planner_archive moves a completed spec to the archive directory",
  "archive.only-completed": "planner_archive refuses a spec that is not completed",

  // Process tools
  "work_list.shape": "planner_work_list answers process records and a summary of running, completed and failed",
  "pause.nothing-runs": "planner_pause without a process says Failed to pause work … No running process found",
  "takeover.not-worked":
    "planner_takeover without active work and force says Failed to take over … Spec not currently being worked",
  "takeover.worktree-null": "planner_takeover gives a null worktree_path when the worktree is gone",
  "watch_status.shape": "planner_watch_status answers watch_running, worktrees and worktree_count",
  "watch_stop.not-running": "planner_watch_stop says Watch is not running when none is",
  "watch_start.already": "planner_watch_start says Watch is already running when one is",

  // Lint
  "lint.text.enum": "The report names a status outside the enum with the allowed values",
  "lint.text.dependency": "The report names a depends_on id that does not exist",
  "lint.text.optional": "The report warns of a missing optional field",
  "lint.text.total": "The report's last line counts errors and warnings",
  "lint.json": "lint --json answers valid and errors with file, field, message and allowed",
  "lint.one": "lint with an id checks that spec",
  "lint.parse": "Broken frontmatter is a finding of rule parse",
  "lint.config.required": "A field that schema.spec.required names must be there",
  "lint.config.fields": "schema.spec.fields sets type, enum and items of a field",
  "lint.completed-output": "Lint checks the output of completed specs that name an output_schema",
  "fix.status": "lint --fix sets a missing status to pending",
  "fix.id": "lint --fix writes a missing id from the file name",
  "fix.trailing-space": "lint --fix trims trailing white space",
  "fix.indentation": "lint --fix normalizes indentation to two spaces",
  "fix.final-newline": "lint --fix adds a missing newline at the end",
  "fix.not-invalid-status": "lint --fix leaves an invalid status to a person",

  // Output schemas
  "output.passed": "A valid output is answered with `Output validation passed (schema: <path>)`",
  "output.failed": "An invalid output names the schema, each problem and the log file",
  "output.fenced": "JSON is taken from a fenced block",
  "output.whole": "JSON is taken from an output that is JSON as a whole",
  "output.embedded": "JSON is taken from braces or brackets inside text",
  "output.strict": "With strict_output_validation an invalid output makes the spec needs_attention",
  "output.lax": "Without it an invalid output is a warning and the spec is completed",

  // Command line
  "cli.init.mcp-json":
    "init --agent claude writes .mcp.json with the server planner, type stdio, command planner, args [mcp]",
  "cli.init.project": "init sets the project up",
  "cli.add": "planner add creates a spec",
  "cli.local-only": "The server opens no network port",
} as const;

/**
 * Every promise of the product, in our words, by id. A test proves a promise by being declared with `verifies(id, …)`;
 * `manifest.test.ts` fails for a promise that no test proves.
 */
export const PROMISES = { ...SPEC_PROMISES, ...DC_PROMISES } as const;

export type PromiseId = keyof typeof PROMISES;
