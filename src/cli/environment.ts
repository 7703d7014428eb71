/** Environment variables of the command line with their effects, for the documentation and the manual page. */
export const ENVIRONMENT_VARIABLES: Readonly<Record<string, string>> = {
  NO_COLOR: "Any value disables colours; overrides `FORCE_COLOR`",
  FORCE_COLOR: "Any value but `0` enables colours without a terminal",
  COLUMNS: "Width of tables and help (default: the terminal's)",
  "VISUAL, EDITOR": "Editor of `planner edit` and `planner review`, with its arguments (default: `vi`)",
  "GIT_PAGER, PAGER":
    "Pager of `planner review`; git's own setting `core.pager` counts if it is not the repository's (default: `less`)",
  PLANNER_PROGRESS_SECONDS: "Seconds between two progress reports of `planner work` without a terminal (default: 60)",
  PLANNER_DEBUG: "`1` prints the stack of a bug in planner",
};
